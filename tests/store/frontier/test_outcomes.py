from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.sites import Pagelet, add, begin, record, rows, state

if TYPE_CHECKING:
    from store.site import Store


@pytest.fixture
def page(store: Store) -> int:
    """A page p that was fetched, beside another."""
    record(store, "other", [Pagelet("other text")], begin(store))
    return record(store, "p", [Pagelet("text")], 1)


def settle(store: Store, page: int, to: str, run: int = 1, **details) -> None:
    with store.transaction():
        store.outcomes.settle(page, to, run, **details)


def send(store: Store, page: int, run: int, *, arrives: bool = True) -> None:
    with store.transaction():
        store.documents.put(page, run, "hash", "v", [True], {})
        if arrives:
            store.documents.deliver(run)


def test_attempts_count_failures_in_a_row(store: Store) -> None:
    page = add(store, "p")
    for to, attempts in (("failed", 1), ("failed", 2), ("gone", 0), ("failed", 1)):
        settle(store, page, to, reason="x")
        assert store.frontier.get(page).attempts == attempts


@pytest.mark.parametrize(
    ("before", "reason", "after", "why", "kept"),
    [
        ("gone", "http 404", "failed", "http 503", True),
        ("gone", "http 404", "refused", "robots", True),
        ("gone", "http 404", "redirected", "temporary", True),
        ("gone", "http 404", "redirected", None, False),
        ("redirected", None, "failed", "http 503", True),
        ("redirected", None, "redirected", "temporary", True),
        ("redirected", None, "gone", "http 404", False),
        ("redirected", "temporary", "failed", "http 503", False),
        ("failed", "http 503", "refused", "robots", False),
    ],
)
@pytest.mark.parametrize("fetched", [True, False])
def test_what_tells_nothing_changes_nothing(
    store: Store, before: str, reason: str | None, after: str, why: str | None, kept: bool, fetched: bool
) -> None:
    page = record(store, "p", [Pagelet("words")], begin(store)) if fetched else add(store, "p")
    other = add(store, "other")
    settle(store, page, before, 1, reason=reason, status=404)
    settle(store, page, after, 2, reason=why, status=503, target=other)
    # Of a page that was never there the last word counts.
    assert state(store, "p") == ((before, reason) if fetched and kept else (after, why))
    [row] = rows(store, "SELECT run, due, status, target FROM pages WHERE page = ?", page)
    assert row == (2, 0, 200 if fetched else 503, None if after == "failed" else other)


def test_a_failure_keeps_where_a_page_leads_and_what_its_status_was(store: Store) -> None:
    page, other = add(store, "p"), add(store, "other")
    settle(store, page, "redirected", reason="temporary", status=302, target=other)
    settle(store, page, "failed", 2, reason="timeout")
    assert rows(store, "SELECT target, status FROM pages WHERE page = ?", page) == [(other, 302)]
    assert store.frontier.get(page).target is None
    settle(store, page, "gone", 3, reason="http 410", status=410)
    assert rows(store, "SELECT target, status FROM pages WHERE page = ?", page) == [(None, 410)]


def test_a_confirmed_page_has_its_document_still(store: Store, page: int) -> None:
    send(store, page, 1)
    settle(store, page, "failed", 2, reason="http 503")
    with store.transaction():
        store.outcomes.confirm(page, 3, 7, 9)
    assert state(store, "p") == ("delivered", None)
    with store.transaction():
        store.documents.delete(page, 3, "http 404")
        store.outcomes.confirm(page, 4, 7, 9)
    # What was deleted, and is there as it was, has to go out again.
    assert state(store, "p") == ("held", None)


def test_a_confirmed_page_starts_anew(store: Store, page: int) -> None:
    settle(store, page, "failed", 2, reason="http 503")
    store.connection.execute("UPDATE pages SET due = 1, target = 1 WHERE page = ?", (page,))
    # The document is another page's.
    send(store, page - 1, 1)
    with store.transaction():
        store.outcomes.confirm(page, 3, 7, 9)
    columns = "state, reason, target, due, attempts, run, seen_run, checked_at, interval"
    row = rows(store, f"SELECT {columns} FROM pages WHERE page = ?", page)
    assert row == [("held", None, None, 0, 0, 3, 3, 7, 9)]
    send(store, page, 4, arrives=False)
    with store.transaction():
        store.outcomes.confirm(page, 4, 7, 9)
    # It never arrived.
    assert state(store, "p")[0] == "held"


def test_only_what_is_held_is_released_and_only_what_is_released_is_delivered(
    store: Store, page: int
) -> None:
    settle(store, page - 1, "failed", reason="http 503")
    for one in (page, page - 1):
        send(store, one, 1, arrives=False)
    assert (state(store, "p")[0], state(store, "other")[0]) == ("released", "failed")
    with store.transaction():
        store.documents.deliver(1)
    assert (state(store, "p")[0], state(store, "other")[0]) == ("delivered", "failed")
    for one in (page, page - 1):
        record(store, "p" if one == page else "other", [Pagelet("new")], 2)
    settle(store, page - 1, "failed", reason="http 503")
    with store.transaction():
        for one in (page, page - 1):
            store.documents.put(one, 2, "hash", "v", [True], {}, confirmed=True)
    assert (state(store, "p")[0], state(store, "other")[0]) == ("delivered", "failed")


def test_documents_of_another_run_are_not_delivered(store: Store, page: int) -> None:
    send(store, page, 2, arrives=False)
    send(store, page - 1, 1)
    assert (state(store, "p")[0], state(store, "other")[0]) == ("released", "delivered")


@pytest.mark.parametrize("every", [True, False])
def test_pages_of_another_class_are_taken_in(store: Store, page: int, every: bool) -> None:
    with store.transaction():
        store.outcomes.exclude(page, "class")
        store.outcomes.exclude(page - 1, "class")
        store.outcomes.take_in(None if every else page)
    assert [store.documents.is_current(one) for one in (page, page - 1)] == [True, every]


def test_what_was_left_out_for_another_reason_is_not_taken_in(store: Store, page: int) -> None:
    with store.transaction():
        store.outcomes.exclude(page, "noindex")
        store.outcomes.take_in(page)
    assert not store.documents.is_current(page)


def test_a_page_is_excluded_and_taken_back(store: Store, page: int) -> None:
    for reason in ("noindex", None):
        with store.transaction():
            store.outcomes.exclude(page, reason)
        assert store.documents.is_current(page) is (reason is None)
