from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.frontier import Target
from tests.store.sites import Pagelet, begin, record, rows, url

if TYPE_CHECKING:
    from store.site import Store

TEXT = len("text of a")


@pytest.fixture
def site(store: Store) -> Store:
    """Three pages whose documents have arrived."""
    run = begin(store)
    for name in "abc":
        record(store, name, [Pagelet(f"text of {name}")], run)
    with store.transaction():
        for page in store.documents.to_release(run):
            store.documents.put(page, run, "hash", "v", [True], {})
        store.documents.deliver(run)
        store.rounds.accept(store.rounds.now())
    return store


def page(store: Store, name: str) -> int:
    return store.frontier.add(Target(url(name), None), 0)


def put(store: Store, name: str, **values: object) -> None:
    """Gives a page's columns other values."""
    columns = ", ".join(f"{column} = :{column}" for column in values)
    with store.transaction():
        store.connection.execute(
            f"UPDATE pages SET {columns} WHERE page = :page", {**values, "page": page(store, name)}
        )


@pytest.mark.parametrize(
    ("values", "now"),
    [
        ({"state": "held"}, 3),
        ({"state": "released"}, 3),
        ({"state": "failed", "reason": "http 503"}, 2),
        ({"state": "gone"}, 2),
        ({"linked": 0}, 2),
        ({"reason": "scope"}, 2),
        ({"reason": "missed"}, 3),
        ({"excluded": "noindex"}, 2),
        ({"state": "redirected", "reason": "temporary"}, 2),
    ],
)
def test_what_is_there(site: Store, values: dict[str, object], now: int) -> None:
    put(site, "a", **values)
    assert site.rounds.now().pages == site.rounds.stayed() == now
    # Text counts of pages, too, that get no document.
    assert site.rounds.now().text == (3 if "excluded" in values else now) * TEXT


def test_what_was_there_is_what_has_arrived_and_is_wanted(site: Store) -> None:
    assert (site.rounds.before().pages, site.rounds.before().text) == (3, 3 * TEXT)
    put(site, "a", reason="rule")
    assert site.rounds.before().pages == 2
    with site.transaction():
        site.documents.delete(page(site, "b"), 2, "http 404")
    assert site.rounds.before().pages == 1
    d = record(site, "d", [Pagelet("text of d")], 2)
    with site.transaction():
        for each in (page(site, "c"), d):
            site.documents.put(each, 2, "other", "v", [True], {})
    # Of c an earlier version has arrived, of d none.
    assert site.rounds.before().pages == 1
    with site.transaction():
        site.documents.delete(page(site, "c"), 2, "http 404")
    assert site.rounds.before().pages == 0
    site.rounds.forget_text()
    assert site.rounds.before().text == 0
    assert site.rounds.changed(1)


def test_what_has_changed(site: Store) -> None:
    site.rounds.accept(site.rounds.now())
    assert site.rounds.changed(0)
    assert not site.rounds.changed(1)
    put(site, "a", run=2)
    assert not site.rounds.changed(1)
    put(site, "a", state="failed")
    assert site.rounds.changed(1)
    assert not site.rounds.changed(2)
    put(site, "a", state="held", run=1, fetched_run=2)
    assert site.rounds.changed(1)
    put(site, "a", fetched_run=1)
    site.rounds.forget_text()
    assert site.rounds.changed(1)
    site.rounds.accept(site.rounds.now())
    assert not site.rounds.changed(1)


def test_dead_links_and_redirects_alone_are_not_the_site(store: Store) -> None:
    put(store, "dead", state="gone", run=1)
    assert store.rounds.asked(0)
    record(store, "a", [Pagelet("text")], begin(store))
    with store.transaction():
        store.documents.put(page(store, "a"), 1, "hash", "v", [True], {})
        store.documents.deliver(1)
    put(store, "dead", run=2)
    put(store, "moved", state="redirected", run=2)
    assert not store.rounds.asked(1)
    put(store, "a", state="gone", run=2)
    assert store.rounds.asked(1)


def test_what_was_asked_seen_and_answered(site: Store) -> None:
    assert (site.rounds.asked(0), site.rounds.asked(1)) == (True, False)
    put(site, "a", seen_run=2, run=2)
    put(site, "b", seen_run=None)
    assert (site.rounds.seen(1), site.rounds.unseen(1)) == (1, 2)
    assert (site.rounds.seen(0), site.rounds.unseen(0)) == (2, 1)
    put(site, "a", state="failed", reason="http 503")
    assert site.rounds.answers(1) == [f"{url('a')} failed (http 503)"]
    assert [answer.split()[1] for answer in site.rounds.answers(0)] == ["failed", "delivered", "delivered"]
    assert site.rounds.lost([page(site, "a"), page(site, "b")], 1) == [f"{url('a')} failed (http 503)"]
    assert site.rounds.lost([page(site, "b")], 0) == []
    assert len(rows(site, "SELECT 1 FROM pages")) == 3


def test_where_pages_have_moved(site: Store) -> None:
    a, b, c = (page(site, name) for name in "abc")
    assert site.rounds.moved() == []
    put(site, "a", state="redirected", target=b)
    assert site.rounds.moved() == [(a, url("a"), b, url("b"))]
    put(site, "b", state="redirected", reason="temporary", target=c)
    assert site.rounds.moved() == [(a, url("a"), c, url("c")), (b, url("b"), c, url("c"))]
    put(site, "c", state="redirected", target=a)
    assert site.rounds.moved() == []
    put(site, "c", state="failed", target=a)
    assert site.rounds.moved() == []
    # A failure tells nothing of where a page is.
    put(site, "c", state="delivered")
    put(site, "a", state="failed")
    assert site.rounds.moved() == [(b, url("b"), c, url("c"))]


def test_a_page_is_where_its_canonical_one_is(site: Store) -> None:
    a, b = page(site, "a"), page(site, "b")
    put(site, "a", canonical=b)
    for enabled in (False, True):
        with site.transaction():
            site.outcomes.point_to_canonical(enabled)
        assert site.rounds.moved() == ([(a, url("a"), b, url("b"))] if enabled else [])
        assert site.documents.is_current(a) is not enabled


@pytest.mark.parametrize(
    ("own", "other", "points"),
    [
        ({}, {}, True),
        # A page that is there, has a document, and names no further one.
        ({}, {"canonical": 3}, False),
        ({}, {"canonical": 2}, True),
        ({}, {"state": "failed"}, False),
        ({}, {"excluded": "noindex"}, False),
        ({"canonical": 1}, {}, False),
        ({"excluded": "noindex"}, {}, False),
    ],
)
def test_which_pages_point_to_others(
    site: Store, own: dict[str, object], other: dict[str, object], points: bool
) -> None:
    put(site, "a", **{"canonical": 2, **own})
    put(site, "b", **{"title": "other", **other})
    with site.transaction():
        site.outcomes.point_to_canonical(True)
    excluded = rows(site, "SELECT excluded FROM pages WHERE page = 1")
    assert excluded == [("canonical" if points else own.get("excluded"),)]


def test_templates_that_a_page_holds_are_counted_once(site: Store) -> None:
    run = begin(site)
    record(site, "d", [Pagelet("menu"), Pagelet("menu", path="html/p"), Pagelet("other")], run)
    [[sketch]] = rows(
        site,
        "SELECT DISTINCT sketch FROM fragments JOIN pagelets USING (fragment) "
        "WHERE page = 4 AND position < 2",
    )
    assert site.rounds.templates_on(4) == 0
    site.connection.execute(
        "INSERT INTO templates VALUES (1, ?, NULL, 'local', 3, 0.1, 3, 1.0, 1, 0, 'found', 1, 1)", (sketch,)
    )
    assert (site.rounds.templates_on(4), site.rounds.templates_on(1)) == (1, 0)


def test_what_points_to_no_other_any_more_has_its_document_again(site: Store) -> None:
    put(site, "a", canonical=2)
    for enabled in (True, False):
        with site.transaction():
            site.outcomes.point_to_canonical(enabled)
        assert site.documents.is_current(1) is not enabled


def test_a_document_that_never_arrived_has_not_moved(site: Store) -> None:
    d = record(site, "d", [Pagelet("text of d")], 2)
    put(site, "d", state="redirected", target=2)
    with site.transaction():
        site.documents.put(d, 2, "other", "v", [True], {})
    assert site.rounds.moved() == []


def test_without_pages_there_is_no_text(store: Store) -> None:
    assert (store.rounds.now().pages, store.rounds.now().text) == (0, 0)


def test_text_is_told_as_pages_are_derived_now(site: Store) -> None:
    # They had a third of it before.
    site.rounds.scale_text(TEXT)
    assert site.rounds.before().text == 9 * TEXT
    site.rounds.scale_text(0)
    assert site.rounds.before().text == 9 * TEXT
    site.rounds.forget_text()
    site.rounds.scale_text(TEXT)
    assert site.rounds.before().text == 0
