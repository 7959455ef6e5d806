from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.duplicates import VALUES, bands, signature, similarity
from tests.store.sites import Pagelet, begin, in_memory, record, rows, url

if TYPE_CHECKING:
    from pagelets.duplicates import Signature
    from store.site import Store

THRESHOLD = 0.8
NAMES = ["a", "b", "c", "d", "e", "f"]


def made(*changes: int) -> Signature:
    """A signature that differs from the one of all zeros at the places of ``changes``."""
    values = np.zeros(VALUES, np.uint32)
    values[list(changes)] = np.array(changes, np.uint32) + 1
    return values


# In a chain of these each is like the next, and the ends are not alike.
KINDS = [made(*range(6 * step)) for step in range(5)] + [made(*range(VALUES)), made(*range(0, VALUES, 8))]


def page(store: Store, name: str, run: int = 1) -> int:
    """A current page whose document was indexed."""
    found = record(store, name, [Pagelet(f"text of {name}")], run)
    with store.transaction():
        store.documents.put(found, run, "hash", "v1", [True], {})
    return found


def put(store: Store, name: str, values: Signature | None) -> None:
    with store.transaction():
        store.duplicates.put(number(store, name), values)


def number(store: Store, name: str) -> int:
    return rows(store, "SELECT page FROM pages WHERE url = ?", url(name))[0][0]


def representative(store: Store, name: str, values: Signature, threshold: float = THRESHOLD) -> str | None:
    found = store.duplicates.representative(number(store, name), url(name), values, threshold)
    return None if found is None else store.frontier.url(found)


def mark_all(store: Store, signatures: dict[str, Signature]) -> dict[str, str | None]:
    """Marks all pages as they should be; returns the marks."""
    with store.transaction():
        for name, values in signatures.items():
            found = number(store, name)
            store.duplicates.mark(found, store.duplicates.representative(found, url(name), values, THRESHOLD))
    return {name: store.duplicates.marked(number(store, name)) for name in signatures}


def expected(signatures: dict[str, Signature]) -> dict[str, str | None]:
    """By the rule, pair by pair."""

    def alike(a: str, b: str) -> bool:
        left, right = signatures[a], signatures[b]
        return similarity(left, right) >= THRESHOLD and bool(set(bands(left)) & set(bands(right)))

    firsts = {name: min(other for other in signatures if alike(name, other)) for name in signatures}
    return {name: None if first == name else url(first) for name, first in firsts.items()}


@pytest.fixture
def site(store: Store) -> Store:
    begin(store)
    for name in ("c", "a", "b"):
        page(store, name)
    return store


def test_the_smallest_url_represents_pages_that_are_alike(site: Store) -> None:
    for name in ("b", "c", "a"):
        put(site, name, made(3))
    assert mark_all(site, {name: made(3) for name in "abc"}) == {"a": None, "b": url("a"), "c": url("a")}
    assert site.duplicates.marks_changed(THRESHOLD) == []


def test_a_page_is_asked_about_before_it_has_a_signature(site: Store) -> None:
    put(site, "a", made())
    assert representative(site, "b", made(1)) == url("a")
    assert representative(site, "b", made(*range(40))) is None
    assert site.duplicates.marked(number(site, "b")) is None


def test_it_is_not_transitive(site: Store) -> None:
    signatures = dict(zip("abc", (made(), made(*range(8)), made(*range(16))), strict=True))
    for name, values in signatures.items():
        put(site, name, values)
    assert mark_all(site, signatures) == {"a": None, "b": url("a"), "c": url("b")}


def test_the_threshold_counts_when_it_is_reached(site: Store) -> None:
    put(site, "a", made())
    assert representative(site, "b", made(*range(32)), 0.5) == url("a")
    assert representative(site, "b", made(*range(33)), 0.5) is None


def test_a_page_that_changes_or_goes_represents_nothing_more(site: Store) -> None:
    signatures = {name: made() for name in "abc"}
    for name, values in signatures.items():
        put(site, name, values)
    mark_all(site, signatures)
    put(site, "a", made(*range(VALUES)))
    assert site.duplicates.marks_changed(THRESHOLD) == [number(site, "b"), number(site, "c")]
    assert site.duplicates.marked(number(site, "b")) == url("a")
    with site.transaction():
        site.duplicates.remove(number(site, "a"))
    assert representative(site, "c", made()) == url("b")
    put(site, "b", None)
    assert representative(site, "c", made()) is None
    assert rows(site, "SELECT count(*) FROM signature_bands") == [(8,)]


def test_a_signature_that_is_put_again_keeps_its_mark(site: Store) -> None:
    put(site, "a", made())
    put(site, "b", made())
    with site.transaction():
        site.duplicates.mark(number(site, "b"), number(site, "a"))
    put(site, "b", made())
    put(site, "b", made(1))
    assert site.duplicates.marked(number(site, "b")) == url("a")
    with site.transaction():
        site.duplicates.mark(number(site, "b"), None)
    assert site.duplicates.marks_changed(THRESHOLD) == [number(site, "b")]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pages SET state = 'gone' WHERE page = ?",
        "UPDATE pages SET excluded = 'noindex' WHERE page = ?",
        "UPDATE documents SET op = 'delete' WHERE page = ?",
        "DELETE FROM documents WHERE page = ?",
    ],
)
def test_only_pages_with_an_indexed_document_count(site: Store, change: str) -> None:
    for name in "abc":
        put(site, name, made())
    mark_all(site, {name: made() for name in "abc"})
    with site.transaction():
        site.connection.execute(change, (number(site, "a"),))
    assert representative(site, "c", made()) == url("b")
    assert site.duplicates.marks_changed(THRESHOLD) == [number(site, "b"), number(site, "c")]


def test_what_was_rolled_back_never_was(site: Store) -> None:
    put(site, "a", made())
    with pytest.raises(ZeroDivisionError), site.transaction():
        site.duplicates.remove(number(site, "a"))
        assert representative(site, "b", made()) is None
        raise ZeroDivisionError
    assert representative(site, "b", made()) == url("a")


def test_real_texts_that_differ_in_a_word(site: Store) -> None:
    words = [f"word{random.Random(2).randrange(900)}-{i}" for i in range(300)]
    texts = {
        "a": " ".join(words),
        "b": " ".join([*words[:150], "other", *words[150:]]),
        "c": "something else",
    }
    signatures = {name: signature(text) for name, text in texts.items()}
    for name, values in signatures.items():
        put(site, name, values)
    assert mark_all(site, signatures) == {"a": None, "b": url("a"), "c": None}  # type: ignore[arg-type]


@pytest.mark.parametrize("first", ["p050", "p199"])
def test_a_site_that_shows_one_text_everywhere(store: Store, first: str) -> None:
    begin(store)
    names = [f"p{i:03}" for i in range(200)]
    for name in names:
        page(store, name)
        put(store, name, made(*range(int(name[1:]) % 2)))
    # From here on the pages of the bands are kept in order.
    assert representative(store, first, made()) == url("p000")
    with store.transaction():
        store.duplicates.remove(number(store, "p000"))
    assert representative(store, first, made()) == url("p001")
    page(store, "p")
    put(store, "p", made(1))
    assert representative(store, first, made()) == url("p")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.duplicates.remove(number(store, "p"))
        store.duplicates.remove(number(store, "p001"))
        assert representative(store, first, made()) == url("p002")
        raise ZeroDivisionError
    assert representative(store, first, made()) == url("p")


def leave_out(store: Store) -> list[int]:
    """Leaves out what is to be left out, as a release does; returns the pages that were judged again."""
    changed = store.duplicates.marks_changed(THRESHOLD, leave_out=True)
    for found in changed:
        with store.transaction():
            row = rows(
                store, "SELECT url, signature FROM pages JOIN signatures USING (page) WHERE page = ?", found
            )
            values = np.frombuffer(row[0][1], "<u4")
            other = store.duplicates.representative(found, row[0][0], values, THRESHOLD)
            store.duplicates.mark(found, other)
            store.outcomes.exclude(found, None if other is None else "duplicate")
    return changed


def left_out(store: Store) -> list[str]:
    found = rows(store, "SELECT url FROM pages WHERE excluded = 'duplicate' ORDER BY url")
    return [one[-1] for (one,) in found]


def test_what_is_left_out_represents_none_and_comes_back(site: Store) -> None:
    for name, values in zip("abc", (made(), made(*range(8)), made(*range(16))), strict=True):
        put(site, name, values)
    leave_out(site)
    assert left_out(site) == ["b"]
    assert leave_out(site) == []
    with site.transaction():
        site.connection.execute("UPDATE pages SET state = 'gone' WHERE url = ?", (url("a"),))
    assert leave_out(site) == [number(site, "b"), number(site, "c")]
    assert left_out(site) == ["c"]
    assert site.duplicates.marked(number(site, "c")) == url("b")


HISTORIES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.none() | st.integers(0, len(KINDS) - 1)), max_size=25
)


@given(history=HISTORIES, ask=st.booleans())
def test_any_history_ends_as_the_rule_says(history: list[tuple[str, int | None]], *, ask: bool) -> None:
    with in_memory() as store:
        begin(store)
        for name in reversed(NAMES):
            page(store, name)
        kept: dict[str, Signature] = {}
        for name, kind in history:
            put(store, name, None if kind is None else KINDS[kind])
            kept.pop(name, None)
            if kind is not None:
                kept[name] = KINDS[kind]
            if ask:
                mark_all(store, kept)
        right = expected(kept)
        stored = {name: store.duplicates.marked(number(store, name)) for name in kept}
        changed = [number(store, name) for name in sorted(kept) if stored[name] != right[name]]
        assert store.duplicates.marks_changed(THRESHOLD) == changed
        assert mark_all(store, kept) == right
        assert store.duplicates.marks_changed(THRESHOLD) == []


@given(history=HISTORIES)
def test_who_is_left_out_does_not_depend_on_the_history(history: list[tuple[str, int | None]]) -> None:
    with in_memory() as store:
        begin(store)
        for name in NAMES:
            page(store, name)
        kept: dict[str, Signature] = {}
        for name, kind in history:
            put(store, name, None if kind is None else KINDS[kind])
            if kind is None:
                kept.pop(name, None)
                with store.transaction():
                    store.outcomes.exclude(number(store, name), None)
            else:
                kept[name] = KINDS[kind]
            leave_out(store)
        inside: list[str] = []
        for name in sorted(kept):
            if expected({one: kept[one] for one in [*inside, name]})[name] is None:
                inside.append(name)
        assert left_out(store) == sorted(set(kept) - set(inside))
