"""Fields that a site's pages declare or show beside a label, proposed for its file.

Pages declare by JSON-LD, microdata and meta elements; labels are ``dt`` and ``dd``, ``th`` and ``td``, and
"Label: value". A value that pages declare and show gets a CSS selector: one that holds on all pages, and is
likely to next year.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from inspection.sampled_page import (
    MAX_TEXT,
    Label,
    SampledPage,
    are_all,
    item_value,
    kinds_of,
    labels_of,
    name_of,
    rank,
    selectors_of,
    steps_of,
    value_text,
    walk,
)
from pagelets.reading import Element
from pagelets.reading.fields.sources import unescaped

VOCABULARY: Final = Path(__file__).with_name("vocabulary.toml")
SAMPLES: Final = 3
"""Values of a field that are shown."""
_MANY: Final = 5
"""In a sample of so many pages one page alone proposes nothing."""
_SAYS_LITTLE: Final = frozenset({"currency", "availability"})
"""Fields that are of use where all pages say the same."""
FEWEST_PAGES: Final = 3
"""Pages whose values an element has to show: on fewer it may do so by chance."""
_CANDIDATES: Final = 60
"""Selectors that are tried on all pages."""
_CHILDREN: Final = 3
_ATTRIBUTES: Final = 30
_SKIPPED: Final = frozenset({"script", "style", "template", "noscript", "option", "body"})
_DIGITS: Final = re.compile(r"\d[\d.,' ]*")
_VALUE_ATTRIBUTE: Final = re.compile(r"(?:content|datetime|href|src|value|data-[a-z-]+)\Z")
MOST_LABELLED: Final = 8
"""Fields that are proposed for labels."""
_MOST_LABELS: Final = 300
"""Labels of a page that are looked at."""
_LEAST_SHARE: Final = 0.2

Values = dict[int, list[Any]]
"""The values of a field by the places of the pages in the sample."""


@dataclass(slots=True, frozen=True)
class ProposedField:
    """A field for the table ``[extract]`` of a site file.

    ``given`` describes it as that table does; ``pages`` of the sample have it, with such values.
    ``why`` is the evidence for it in words; ``source`` is where things of the ``kind`` declare its values.
    """

    name: str
    given: Mapping[str, Any]
    pages: int
    samples: tuple[str, ...]
    why: str
    source: tuple[str, str] | None = None
    kind: str = ""


def fewest(pages: Sequence[SampledPage]) -> int:
    """The fewest pages of a sample that have to have a field."""
    return 1 if len(pages) < _MANY else 2


def proposed(
    name: str, given: Mapping[str, Any], by_place: Values, why: str, source: tuple[str, str] | None = None
) -> ProposedField:
    """Returns a field with what it was found on.

    Args:
        name: its name.
        given: its description.
        by_place: its values on the sample.
        why: what it was found by.
        source: where the values are declared.

    """
    shown = dict.fromkeys(_shown(value) for values in by_place.values() for value in values[:1])
    return ProposedField(name, given, len(by_place), tuple(shown)[:SAMPLES], why, source)


def _shown(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


@cache
def vocabulary() -> Mapping[str, Any]:
    """The kinds of things and their fields."""
    return tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))


def declared_fields(pages: Sequence[SampledPage]) -> list[ProposedField]:
    """Returns the fields that pages declare, those of the most pages first."""
    fields: dict[str, ProposedField] = {}
    for kind, table in vocabulary().items():
        things = [_Things(page, frozenset(table["types"]), kind) for page in pages]
        if not any(thing.are_there for thing in things):
            continue
        for name, entry in table.items():
            if name != "types" and (field := _declared_field(name, entry, things)) is not None:
                before = fields.get(name)
                if before is None or before.pages < field.pages:
                    fields[name] = replace(field, kind=kind)
    return sorted(fields.values(), key=lambda field: -field.pages)


def agreements(field: ProposedField, pages: Sequence[SampledPage]) -> list[bool]:
    """Compares a proposal with the pages that declare its field: returns True for each that has the same."""
    table = vocabulary()[field.kind]
    things = [_Things(page, frozenset(table["types"]), field.kind) for page in pages]
    assert field.source is not None
    declared = _declared(things, field.source, field.given)
    return [same(pages[place].values(field.given), values) for place, values in declared.items()]


class _Things:
    """Declarations of a page about the one thing of a kind that it presents."""

    def __init__(self, page: SampledPage, types: frozenset[str], kind: str) -> None:
        self.page = page
        self.nodes = [
            node for node in page.nodes if not types.isdisjoint(kind.lower() for kind in kinds_of(node))
        ]
        self.items = [
            element
            for element in page.elements
            if "itemscope" in element.attrib
            and _last(element.get("itemtype") or "") in types
            and element.get("itemprop") is None
        ]
        meta = page.meta
        self.is_meta = kind in "".join(meta.get("og:type", [])[:1]).lower() or any(
            name.startswith(f"{kind}:") for name in meta
        )

    @property
    def are_there(self) -> bool:
        """True if the page declares such a thing."""
        return bool(self.nodes or self.items or self.is_meta)

    def json_ld(self, path: str) -> list[Any]:
        """Returns the values of a path; none if the page presents several things."""
        return list(walk(self.nodes[0], tuple(path.split(".")))) if len(self.nodes) == 1 else []

    def microdata(self, path: str) -> list[Any]:
        """The same of microdata."""
        if len(self.items) != 1:
            return []
        items = self.items
        for part in path.split("."):
            items = [element for item in items for element in _properties(item, part)]
        return [item_value(element) for element in items if "itemscope" not in element.attrib]

    def meta(self, name: str) -> list[Any]:
        """The contents of meta elements, where the page is about such a thing."""
        return [unescaped(text) for text in self.page.meta.get(name, ())] if self.are_there else []


def _last(kind: str) -> str:
    return kind[-100:].strip().rpartition("/")[2].lower()


def _properties(item: Element, name: str) -> Iterator[Element]:
    for element in item.iter("*"):
        if element is not item and name in (element.get("itemprop") or "").split():
            scope = next((each for each in element.iterancestors() if "itemscope" in each.attrib), None)
            if scope is item:
                yield element


def _declared_field(name: str, entry: Mapping[str, Any], things: Sequence[_Things]) -> ProposedField | None:
    """The proposal of a field that enough pages declare."""
    pages = [thing.page for thing in things]
    field = {key: entry[key] for key in ("type", "many") if key in entry}
    sources = [(key, path) for key in ("json_ld", "microdata") for path in entry.get("paths", ())]
    sources += [("meta", meta) for meta in entry.get("meta", ())]
    found = [(source, _declared(things, source, field)) for source in sources]
    source, declared = max(found, key=lambda one: len(one[1]), default=(("", ""), {}))
    if len(declared) < fewest(pages):
        return None
    key, path = source
    is_same = len({tuple(taken) for taken in declared.values()}) == 1
    if len(declared) >= 3 and is_same and name not in _SAYS_LITTLE:
        return None
    why = {"json_ld": "JSON-LD", "microdata": "microdata", "meta": "meta elements"}[key]
    selector = selector_for(pages, declared, field)
    if selector is not None:
        return proposed(name, {"css": selector, **field}, declared, f"shown, and declared by {why}", source)
    for given in _asked(key, path, things):
        description = {**given, **field}
        if all(same(page.values(description), declared.get(place, [])) for place, page in enumerate(pages)):
            return proposed(name, description, declared, f"declared by {why}", source)
    description = {key: path, **field}
    if all(same(pages[place].values(description), values) for place, values in declared.items()):
        return proposed(name, description, declared, f"declared by {why}", source)
    return None


def _declared(things: Sequence[_Things], source: tuple[str, str], field: Mapping[str, Any]) -> Values:
    key, path = source
    by_place: Values = {}
    for place, thing in enumerate(things):
        raw = getattr(thing, key)(path)
        values = (thing.page.typed(item, field.get("type", "text")) for item in raw)
        taken = [value for value in values if value is not None]
        if taken:
            by_place[place] = taken if field.get("many") else taken[:1]
    return by_place


def _asked(key: str, path: str, things: Sequence[_Things]) -> Iterator[dict[str, str]]:
    """The ways to ask for what is declared, the plainest first."""
    yield {key: path}
    if key == "json_ld":
        kinds = {kind for thing in things for node in thing.nodes for kind in kinds_of(node)}
        first, _, rest = path.partition(".")
        for kind in sorted(kind for kind in kinds if kind.isalnum())[:5]:
            for flat in ("", "[]") if rest else ("",):
                end = f"{first}{flat}.{rest}" if rest else first
                yield {key: f"""[?"@type" && contains("@type", '{kind}')].{end}"""}


def selector_for(
    pages: Sequence[SampledPage], declared: Mapping[int, Sequence[Any]], field: Mapping[str, Any]
) -> str | None:
    """Finds a selector that has exactly the declared values on the pages that declare them, and no value on
    the others.

    Args:
        pages: the sample.
        declared: the values by the places of the pages.
        field: its ``type``, and ``many`` if it has several values.

    Returns:
        The selector; None without a fitting one, or without enough pages.

    """
    if len(declared) < FEWEST_PAGES or len({tuple(values) for values in declared.values()}) < 2:
        return None
    counts: Counter[str] = Counter()
    for place, values in declared.items():
        counts.update(set(_candidates(pages[place], values, field)))
    shown = [selector for selector, count in counts.items() if count == len(declared)]
    for selector in sorted(shown, key=rank)[:_CANDIDATES]:
        description = {"css": selector, **field}
        if all(same(page.values(description), declared.get(place, ())) for place, page in enumerate(pages)):
            return selector
    return None


def same(shown: Sequence[Any], declared: Sequence[Any]) -> bool:
    """Returns true if two fields have the same values, in whatever order."""
    return sorted(map(repr, shown)) == sorted(map(repr, declared))


def _candidates(page: SampledPage, values: Sequence[Any], field: Mapping[str, Any]) -> Iterator[str]:
    kind = field.get("type", "text")
    for element in page.elements:
        if element.tag in _SKIPPED or not isinstance(element.tag, str):
            continue
        ends = []
        # Of addresses the attributes below say more.
        is_one = len(element) <= _CHILDREN and kind != "url"
        if is_one and kind == "number":
            is_one = len(_DIGITS.findall(value_text(element))) == 1
        if is_one and page.typed(element, kind, is_data=False) in values:
            ends.append("" if len(element) else "::text")
        for name, value in islice(_attributes(element), _ATTRIBUTES):
            is_short = _VALUE_ATTRIBUTE.match(name) and 0 < len(value) <= MAX_TEXT
            if is_short and page.typed(value, kind) in values:
                ends.append(f"::attr({name})")
        if ends:
            # Of pictures and links a page has many beside the one that it declares.
            steps = (
                selectors_of(element)
                if kind != "url"
                else (step for step in steps_of(element) if "itemprop" in step)
            )
            for selector in steps:
                yield from (selector + end for end in ends)


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    return ((str(name), str(value)) for name, value in element.attrib.items())


def labelled_fields(pages: Sequence[SampledPage], taken: Collection[ProposedField]) -> list[ProposedField]:
    """Returns the fields that stand beside labels, those of the most pages first.

    Args:
        pages: the sample.
        taken: fields that are proposed already; none is proposed again.

    """
    by_label: defaultdict[Label, Values] = defaultdict(dict)
    for place, page in enumerate(pages):
        seen: defaultdict[Label, list[str]] = defaultdict(list)
        for label, value in _labels(page):
            seen[label].append(value)
        for label, texts in seen.items():
            if len(texts) == 1:
                by_label[label][place] = list(texts)
    least = max(fewest(pages), 2, _LEAST_SHARE * len(pages))
    names = {proposal.name for proposal in taken}
    shown = {proposal.samples for proposal in taken}
    fields: list[ProposedField] = []
    for label, values in sorted(by_label.items(), key=lambda item: (-len(item[1]), item[0])):
        name = name_of(label.label)
        if len(values) < least or not name or name in names or len(fields) == MOST_LABELLED:
            continue
        field = _labelled_field(name, label, values, pages)
        if field is not None and field.samples not in shown:
            names.add(name)
            shown.add(field.samples)
            fields.append(field)
    return fields


def _labelled_field(
    name: str, label: Label, values: Values, pages: Sequence[SampledPage]
) -> ProposedField | None:
    by_place = {place: pages[place].values(label.given) for place in values}
    texts = [text for of_page in by_place.values() for text in of_page]
    if any(list(map(_letters, by_place[place])) != list(map(_letters, values[place])) for place in values):
        return None
    # What every page has may be the site's address, which a typing error makes two.
    if len(set(texts)) < (2 if len(by_place) < len(pages) else 3):
        return None
    kind = next((kind for kind in ("number", "date") if are_all(kind, texts, pages[0])), "text")
    given = label.given | ({"type": kind} if kind != "text" else {})
    by_place = {place: pages[place].values(given) for place in values}
    return proposed(name, given, by_place, f"{label.how} {label.label!r}")


def _labels(page: SampledPage) -> Iterator[tuple[Label, str]]:
    left = _MOST_LABELS
    for element in page.elements:
        for label, value in labels_of(element, page):
            if value and len(value) < MAX_TEXT // 2:
                left -= 1
                if left < 0:
                    return
                yield label, value


def _letters(text: str) -> str:
    """A text without white space, which elements inside of it may part or not."""
    return "".join(text.split())
