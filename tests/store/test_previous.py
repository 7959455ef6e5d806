from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.frontier import Target
from tests.store.sites import Pagelet, begin, count, in_memory, record, rows, state, url

if TYPE_CHECKING:
    from store.site import Store

MENU = Pagelet("menu of the site", ("a", "b"))


@pytest.fixture
def site(store: Store) -> Store:
    """Three pages whose documents have arrived."""
    begin(store)
    for name in "abc":
        record(store, name, [MENU, Pagelet(f"text of {name}")], body=name.encode())
    deliver(store, 1)
    return store


def deliver(store: Store, run: int) -> None:
    with store.transaction():
        for page in store.documents.to_release(run):
            store.documents.put(page, run, "hash", "v", [True, True], {})
        store.documents.deliver(run)


def page(store: Store, name: str) -> int:
    return store.frontier.add(Target(url(name), None), 0)


def restore(store: Store, round_after: int = 1) -> None:
    with store.transaction():
        store.previous.restore(round_after)


def dump(store: Store) -> dict[str, list[tuple]]:
    """All that a round may change of pages."""
    return {
        "pages": rows(
            store,
            "SELECT url, state, reason, excluded, fetched_run, fetched_at, fingerprint, title FROM pages "
            "ORDER BY page",
        ),
        "pagelets": rows(store, "SELECT * FROM pagelets ORDER BY page, position"),
        "bodies": [(page, store.bodies.get(page).data) for page in store.bodies.pages()],
        "follows": rows(store, "SELECT * FROM follows ORDER BY page, target"),
    }


def test_a_changed_page_is_put_back(site: Store) -> None:
    before = dump(site)
    run = begin(site)
    record(site, "a", [Pagelet("please log in")], run, body=b"other")
    assert site.previous.count() == 1
    restore(site)
    assert dump(site) == before
    assert site.previous.count() == 0


def test_the_first_version_of_a_round_is_kept(site: Store) -> None:
    before = dump(site)
    for text in ("please log in", "please log in again"):
        record(site, "a", [Pagelet(text)], begin(site))
    restore(site)
    assert dump(site) == before


@pytest.mark.parametrize("bodies", [(b"a",), (b"a", b"other"), (b"a", b"other", b"a"), (b"other", b"a")])
def test_a_body_that_stays_the_same_is_there_once(site: Store, bodies: tuple[bytes, ...]) -> None:
    before = dump(site)
    for number, body in enumerate(bodies):
        record(site, "a", [Pagelet(f"please log in {number}")], begin(site), body=body)
    copies = rows(site, "SELECT count(*) FROM previous_versions WHERE body != x''")
    assert copies == [(int(b"other" in bodies),)]
    version = site.previous.version(page(site, "a"))
    assert version is not None
    assert site.bodies.unpacked(*version.packed).data == b"a"
    restore(site)
    assert dump(site) == before


@pytest.mark.parametrize(
    ("to", "reason"), [("gone", "http 404"), ("redirected", None), ("redirected", "temporary")]
)
def test_what_was_found_to_be_gone_is_there_again(site: Store, to: str, reason: str | None) -> None:
    with site.transaction():
        site.outcomes.settle(page(site, "a"), to, 2, reason=reason)
    restore(site)
    assert state(site, "a") == ("delivered", None)
    assert site.documents.is_current(page(site, "a"))


def test_what_asked_for_no_document_has_it_again_unless_people_have_decided(site: Store) -> None:
    with site.transaction():
        site.previous.keep(page(site, "a"))
        site.outcomes.exclude(page(site, "a"), "noindex")
        site.outcomes.exclude(page(site, "b"), "rule")
    restore(site)
    assert site.documents.is_current(page(site, "a"))
    assert not site.documents.is_current(page(site, "b"))


def test_what_an_earlier_run_found_to_ask_for_no_document_stays_without(site: Store) -> None:
    with site.transaction():
        site.outcomes.exclude(page(site, "a"), "noindex")
    record(site, "b", [Pagelet("please log in")], begin(site))
    restore(site)
    assert not site.documents.is_current(page(site, "a"))


def test_a_page_that_the_round_met_first_is_known_and_no_more(site: Store) -> None:
    record(site, "login", [Pagelet("please log in")], begin(site))
    restore(site)
    assert state(site, "login") == ("known", None)
    assert page(site, "login") not in site.bodies.pages()
    assert not site.documents.is_current(page(site, "login"))
    assert not site.documents.any_obsolete()


def test_a_document_that_a_killed_run_of_the_round_has_sent_is_deleted(site: Store) -> None:
    run = begin(site)
    record(site, "new", [Pagelet("a new text")], run)
    with site.transaction():
        site.documents.put(page(site, "new"), run, "hash", "v", [True], {})
    restore(site)
    assert [(gone.url, gone.reason) for gone in site.documents.obsolete()] == [(url("new"), "gone")]
    # Unless it is there again.
    record(site, "new", [Pagelet("a new text")], begin(site))
    assert not site.documents.any_obsolete()
    assert page(site, "new") in site.documents.to_release(3)


def test_what_a_part_of_the_round_has_delivered_stays(site: Store) -> None:
    run = begin(site)
    record(site, "new", [Pagelet("a new text")], run)
    deliver(site, run)
    restore(site)
    assert site.documents.is_current(page(site, "new"))


def test_a_page_whose_document_never_arrived_has_no_earlier_version(store: Store) -> None:
    begin(store)
    record(store, "a", [Pagelet("one")])
    record(store, "a", [Pagelet("two")], begin(store))
    assert store.previous.count() == 0


def test_text_counts_each_content_once(site: Store) -> None:
    run = begin(site)
    for name in "abc":
        record(site, name, [MENU, Pagelet("please log in")], run)
    before, now = site.previous.text()
    assert before == len(MENU.text) + 3 * len("text of a")
    assert now == len(MENU.text) + len("please log in")


def test_pages_that_lose_their_templates_are_counted(site: Store) -> None:
    sketch = rows(site, "SELECT sketch FROM fragments JOIN pagelets USING (fragment) WHERE position = 0")[0][
        0
    ]
    site.connection.execute(
        "INSERT INTO templates VALUES (1, ?, NULL, 'local', 3, 0.1, 3, 1.0, 1, 0, 'found', 1, 1)", (sketch,)
    )
    run = begin(site)
    record(site, "a", [MENU, Pagelet("another text")], run)
    record(site, "b", [Pagelet("another menu"), Pagelet("text of b")], run)
    assert site.previous.lost_templates() == 1


STEPS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"), st.sampled_from(["change", "gone", "moved", "noindex"]), st.integers(0, 3)
    ),
    max_size=12,
)


@given(STEPS)
def test_whatever_a_round_has_found_it_can_be_undone(steps: list[tuple[str, str, int]]) -> None:
    store = in_memory()
    begin(store)
    for name in "abcd":
        record(store, name, [MENU, Pagelet(f"text of {name}")], body=name.encode())
    deliver(store, 1)
    documents = list(store.documents.current())
    bodies = {page: store.bodies.get(page).data for page in documents}
    pagelets = rows(store, "SELECT * FROM pagelets ORDER BY page, position")
    run = begin(store)
    for name, what, version in steps:
        number = page(store, name)
        if what == "change":
            record(store, name, [Pagelet(f"version {version}")], run, body=b"new")
        else:
            with store.transaction():
                if what == "noindex":
                    store.previous.keep(number)
                    store.outcomes.exclude(number, "noindex")
                else:
                    store.outcomes.settle(number, "gone" if what == "gone" else "redirected", run)
    restore(store)
    assert list(store.documents.current()) == documents
    assert {page: store.bodies.get(page).data for page in documents} == bodies
    assert rows(store, "SELECT * FROM pagelets ORDER BY page, position") == pagelets
    assert list(store.documents.obsolete()) == []
    assert count(store, "previous_versions") == 0
    store.close()
