"""A made shop: Documents of products with fields that are not ours, and what plain Python finds in them."""

from __future__ import annotations

import operator
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pagelets.fields import FieldColumn
from tests.indexed import index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from search.sink import Operation

    Product = Mapping[str, Any]

COLUMNS = (
    FieldColumn("price", "number"),
    FieldColumn("sku", "text"),
    FieldColumn("tags", "text", many=True),
    FieldColumn("in_stock", "boolean"),
    FieldColumn("closes", "date"),
)
_TAGS = ("new", "used", "sale", "Größe", "it's", 'a "b"')
_WORDS = ("paper", "linen", "thread", "folder", "awl")
_CLOSES = (
    None,
    *(f"2026-0{month}-0{day}" for month in (1, 5) for day in (1, 2)),
    *("2026-05-01T10:00:00+00:00", "2026-05-02T00:30:00+02:00", "2026-05-01T23:59:59.999Z", "soon"),
)


def product(number: int, seed: int = 0) -> dict[str, Any]:
    """The Document of a product; another seed makes another one of some of its fields."""
    dice = random.Random(number * 7919 + seed)
    text = f"{dice.choice(_WORDS)} and {dice.choice(_WORDS)} number {number}"
    price = dice.choice([None, 0.0, -0.0, 1, 19.99, 20, 20.0, 20.01, dice.randrange(4000) / 100, 2**60])
    operation = index(
        f"/p/{number}",
        text,
        f"Product {number}",
        language=dice.choice([None, "en", "en-GB", "de"]),
        published=dice.choice([None, "2026-05-01", "2025-12-31T23:59:59+00:00", "yesterday"]),
        price=price,
        sku=dice.choice([None, f"SKU-{number % 300}", f"sku {number}", ""]),
        tags=dice.sample(_TAGS, dice.randrange(4)),
        in_stock=dice.choice([None, True, False]),
        closes=dice.choice(_CLOSES),
    )
    assert operation.document is not None
    return dict(operation.document)


class Shop(dict[str, dict[str, Any]]):
    """Documents by URL."""

    def __repr__(self) -> str:
        return f"a shop of {len(self)}"


def products(count: int, seed: int = 0) -> Shop:
    """A shop of so many products."""
    made = (product(number, seed) for number in range(count))
    return Shop((one["url"], one) for one in made)


def operations(documents: Iterable[Mapping[str, Any]]) -> list[Operation]:
    """What gives an index documents."""
    return [
        index(one["url"].removeprefix("https://site.example"), one["text"], **_rest(one)) for one in documents
    ]


def _rest(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in ("url", "site", "text")}


def moment(text: str | None) -> datetime | None:
    """The moment of a date, None where a text is none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def values(document: Product, name: str) -> list[Any]:
    """The values of a field as they are compared."""
    value = document.get(name)
    if name in ("closes", "closes_at", "published"):
        value = moment(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return value if isinstance(value, list) else [] if value is None else [value]


Condition = tuple[str, "Callable[[Product], bool]"]
"""An expression, and what it finds."""

_OPERATORS = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _compared(name: str, sign: str, literal: str, value: Any) -> Condition:
    if sign == "!=":
        return f"{name} != {literal}", lambda one: bool(values(one, name)) and value not in values(one, name)
    return f"{name} {sign} {literal}", lambda one: any(
        _OPERATORS[sign](its, value) for its in values(one, name)
    )


def _on_day(name: str, sign: str, day: str) -> Condition:
    first = moment(day)
    assert first is not None
    after = first + timedelta(days=1)
    tests: dict[str, Callable[[datetime], bool]] = {
        "=": lambda its: first <= its < after,
        "<": lambda its: its < first,
        "<=": lambda its: its < after,
        ">": lambda its: its >= after,
        ">=": lambda its: its >= first,
    }
    if sign == "!=":
        return f"{name} != {day}", lambda one: any(not tests["="](its) for its in values(one, name))
    return f"{name} {sign} {day}", lambda one: any(map(tests[sign], values(one, name)))


def _among(name: str, texts: Sequence[str], negated: bool) -> Condition:
    listed = ", ".join(map(_quoted, texts))
    if negated:
        return (
            f"{name} NOT IN ({listed})",
            lambda one: bool(values(one, name)) and not {*texts} & {*values(one, name)},
        )
    return f"{name} in ({listed})", lambda one: bool({*texts} & {*values(one, name)})


_SIGNS = st.sampled_from([*_OPERATORS, "!="])
_NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, 19.99, 20.0, 2.0**60]), st.floats(-50, 50).map(lambda one: round(one, 2))
)
_TEXTS = {
    "sku": st.sampled_from(["SKU-7", "SKU-12", "", "sku 3", "T", "\U0001f600"]),
    "tags": st.sampled_from([*_TAGS, "none"]),
    "language": st.sampled_from(["en", "en-GB", "de", "x"]),
}
_LEAVES = st.one_of(
    st.builds(lambda sign, number: _compared("price", sign, repr(number), number), _SIGNS, _NUMBERS),
    *(
        st.builds(lambda sign, text, name=name: _compared(name, sign, _quoted(text), text), _SIGNS, texts)
        for name, texts in _TEXTS.items()
    ),
    st.builds(
        _on_day,
        st.sampled_from(["closes", "published"]),
        _SIGNS,
        st.sampled_from(["2026-05-01", "2026-01-02", "2025-12-31"]),
    ),
    st.builds(
        lambda sign, text: _compared("closes", sign, text, moment(text)),
        _SIGNS,
        st.sampled_from(["2026-05-01T10:00:00Z", "2026-05-01T22:30:00", "2026-05-01T23:59:59.999Z"]),
    ),
    st.builds(
        lambda name, texts, negated: _among(name, texts, negated),
        st.sampled_from(["tags", "sku"]),
        st.lists(st.one_of(_TEXTS["tags"], _TEXTS["sku"]), min_size=1, max_size=3),
        st.booleans(),
    ),
    st.sampled_from(
        [
            ("in_stock", lambda one: one.get("in_stock") is True),
            ("in_stock = false", lambda one: one.get("in_stock") is False),
        ]
    ),
    st.builds(
        lambda name, negated: (
            f"{name} is {'not ' * negated}null",
            lambda one: bool(values(one, name)) is negated,
        ),
        st.sampled_from(["price", "sku", "tags", "in_stock", "closes", "language", "published"]),
        st.booleans(),
    ),
)


def _joined(word: str, parts: Sequence[Condition]) -> Condition:
    every = all if word == "and" else any
    return f"({f' {word} '.join(text for text, _ in parts)})", lambda one: every(
        holds(one) for _, holds in parts
    )


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda one: (f"not {one[0]}", lambda document: not one[1](document))),
        st.builds(_joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=5,
)
"""Expressions on the fields of a product, and what they find."""


def in_order(documents: Iterable[Product], sort: str) -> list[str]:
    """The URLs of documents in the order that ``--sort`` states."""
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    by_url = sorted(documents, key=lambda one: one["url"])
    there = [one for one in by_url if values(one, name)]
    there.sort(key=lambda one: values(one, name)[0], reverse=descending)
    return [one["url"] for one in [*there, *(one for one in by_url if not values(one, name))]]


def counts(documents: Iterable[Product], name: str) -> dict[Any, int]:
    """How many documents have each value of a field."""
    found = Counter(value for one in documents for value in set(values(one, name)))
    return {one.isoformat() if isinstance(one, datetime) else one: count for one, count in found.items()}
