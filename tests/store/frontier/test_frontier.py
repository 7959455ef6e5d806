from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.frontier import Target
from tests.store import sites
from tests.store.sites import Pagelet, add, begin, in_memory, record, rows, state, url

if TYPE_CHECKING:
    from store.site import Store


def due(store: Store, limit: int = 100, passed: tuple[int, ...] = ()) -> list[str]:
    return [entry.url.rpartition("/")[2] for entry in sites.due(store, limit, passed)]


def settle(store: Store, page: int, to: str, run: int = 1, **details) -> None:
    with store.transaction():
        store.outcomes.settle(page, to, run, **details)


def test_what_lies_nearest_to_the_start_is_due_first(store: Store) -> None:
    for name, depth in (("far", 3), ("near", 1), ("start", 0), ("beside", 1)):
        add(store, name, depth)
    assert due(store) == ["start", "near", "beside", "far"]
    assert store.frontier.count_due() == 4


def test_pages_in_flight_are_passed_over_but_do_not_shorten_the_batch(store: Store) -> None:
    pages = [add(store, f"p{number}") for number in range(6)]
    assert due(store, 3, tuple(pages[:2])) == ["p2", "p3", "p4"]


def asked(store: Store, *pages: int, round_after: int = 0) -> int:
    with store.transaction():
        return store.frontier.ask(pages, round_after)


def ask_only(store: Store) -> None:
    with store.transaction():
        store.frontier.ask_only()


def test_where_urls_have_to_be_asked_for_nothing_else_is_due(store: Store) -> None:
    before = add(store, "before")
    refused = add(store, "refused", refusal="nofollow")
    ask_only(store)
    record(store, "before", [Pagelet("a", ("linked", "other"))], begin(store))
    assert add(store, "refused") == refused
    assert due(store) == []
    assert store.frontier.arrivals() in ({}, None)
    linked = store.frontier.find(url("linked"))
    assert linked is not None
    assert asked(store, linked, refused) == 2
    assert due(store) == ["refused", "linked"]
    # What the round has settled is not asked for again.
    assert asked(store, before) == 0
    assert asked(store, before, round_after=1) == 1
    with store.transaction():
        store.frontier.begin_round()
    assert due(store) == ["before", "refused", "linked", "other"]


@pytest.mark.parametrize("reason", ["scope", "nofollow", "type", "rule"])
def test_what_may_not_be_requested_cannot_be_asked_for(store: Store, reason: str) -> None:
    ask_only(store)
    assert asked(store, add(store, "p", refusal=reason)) == 0
    assert due(store) == []


def test_another_scope_makes_nothing_due_that_nobody_asks_for(store: Store) -> None:
    add(store, "p")
    ask_only(store)
    with store.transaction():
        store.frontier.judge_again(lambda url, depth: None)
    assert due(store) == []


@pytest.mark.parametrize(("to", "well"), [("gone", False), ("failed", False), (None, True)])
def test_a_page_is_well_as_it_was_found_last(store: Store, to: str | None, well: bool) -> None:
    page = record(store, "p", [Pagelet("a")], begin(store))
    if to is not None:
        settle(store, page, to, 2)
    assert store.frontier.is_well(page) is well


@pytest.mark.parametrize("to", ["refused", "failed", "gone", "redirected"])
def test_what_is_settled_is_not_due_until_the_next_round(store: Store, to: str) -> None:
    page = add(store, "p")
    settle(store, page, to, reason="http 500", status=500)
    assert due(store) == []
    with store.transaction():
        store.frontier.begin_round()
    assert due(store) == ["p"]
    assert state(store, "p") == (to, "http 500")


@pytest.mark.parametrize("reason", ["scope", "nofollow", "depth", "trap", "type"])
def test_what_is_refused_on_sight_is_in_no_round(store: Store, reason: str) -> None:
    add(store, "p", refusal=reason)
    with store.transaction():
        store.frontier.begin_round()
    assert due(store) == []
    assert state(store, "p") == ("refused", reason)


@pytest.mark.parametrize("reason", ["scope", "nofollow", "depth"])
@pytest.mark.parametrize("forgotten", [False, True])
def test_a_link_that_may_be_followed_makes_a_refused_url_due(
    store: Store, reason: str, forgotten: bool
) -> None:
    page = add(store, "p", 4, refusal=reason)
    if forgotten:
        store.frontier.forget()
    assert add(store, "p", 7) == page
    assert due(store) == ["p"]
    assert state(store, "p") == ("known", None)


def test_a_refused_link_does_not_take_a_known_url_back(store: Store) -> None:
    add(store, "p", 1)
    add(store, "p", 1, refusal="nofollow")
    assert due(store) == ["p"]


def test_another_link_does_not_ask_again_for_what_was_settled(store: Store) -> None:
    page = add(store, "p", 3)
    settle(store, page, "refused", reason="robots")
    add(store, "p", 1)
    assert due(store) == []
    assert state(store, "p") == ("refused", "robots")


def test_depth_is_that_of_the_shortest_way(store: Store) -> None:
    for depth in (5, 2, 4):
        add(store, "p", depth)
    assert sites.due(store, 1)[0].depth == 2


def test_redirects_are_followed_to_their_end_and_out_of_a_circle(store: Store) -> None:
    first, second, third = (add(store, name) for name in "abc")
    settle(store, first, "redirected", target=second)
    settle(store, second, "redirected", target=third)
    assert store.frontier.redirects(first) == [first, second, third]
    assert store.frontier.get(first).target == url("b")
    settle(store, third, "redirected", target=first)
    assert store.frontier.redirects(first) == [first, second, third]
    assert store.frontier.redirects(first, after=1) == [first]
    settle(store, third, "redirected")
    assert store.frontier.redirects(first) == [first, second, third]


def test_counts_tell_the_states(store: Store) -> None:
    add(store, "a")
    add(store, "b", refusal="scope")
    settle(store, add(store, "c"), "gone", status=404)
    assert store.frontier.counts() == {"gone": 1, "known": 1, "refused": 1}


def test_another_scope_refuses_and_readmits(store: Store) -> None:
    for name in ("kept", "lost", "won"):
        add(store, name, refusal="scope" if name == "won" else None)
    add(store, "aside", refusal="nofollow")
    for name in ("robots", "robots-lost"):
        settle(store, add(store, name), "refused", reason="robots")
    with store.transaction():
        store.frontier.judge_again(lambda known, _: "scope" if known.endswith("lost") else None)
    assert due(store) == ["kept", "won"]
    assert state(store, "lost") == state(store, "robots-lost") == ("refused", "scope")
    assert state(store, "aside") == ("refused", "nofollow")
    assert state(store, "robots") == ("refused", "robots")
    # The memory of the frontier knows of it too.
    add(store, "lost")
    assert due(store) == ["kept", "lost", "won"]


def test_a_fetched_page_out_of_a_later_scope_is_not_asked_for_again(store: Store) -> None:
    record(store, "p", [Pagelet("some words")], begin(store))
    with store.transaction():
        store.frontier.begin_round()
        store.frontier.judge_again(lambda *_: "scope")
    assert due(store) == []
    assert state(store, "p")[0] == "held"


def test_a_rule_denies_a_stored_page_that_is_no_html_any_more(store: Store) -> None:
    page = record(store, "p", [Pagelet("some words")], begin(store))
    settle(store, page, "refused", reason="other type")
    for refusal in ("rule", None):
        with store.transaction():
            store.frontier.judge_again(lambda *_, refusal=refusal: refusal)
            store.frontier.begin_round()
        assert due(store) == ([] if refusal else ["p"])
        assert store.documents.is_current(page) == (refusal is None)


def test_a_page_that_has_moved_is_not_back_in_a_later_scope(store: Store) -> None:
    run = begin(store)
    for name in ("moved", "away"):
        record(store, name, [Pagelet("some words")], run)
        reason = "temporary" if name == "away" else None
        settle(store, add(store, name), "redirected", target=add(store, "new"), reason=reason)
    with store.transaction():
        store.frontier.judge_again(lambda address, _: None if address == url("new") else "scope")
    assert [state(store, name) for name in ("moved", "away")] == [("gone", "scope"), ("redirected", "scope")]
    assert [store.documents.is_current(add(store, name)) for name in ("moved", "away")] == [False, True]
    with store.transaction():
        store.frontier.judge_again(lambda *_: None)
    assert due(store) == ["moved", "new", "away"]


@pytest.mark.parametrize("known", [False, True], ids=["a new link", "a link that is known"])
def test_a_fetched_page_that_comes_into_the_depth_limit_is_asked_for(store: Store, known: bool) -> None:
    run = begin(store)
    record(store, "hub", [Pagelet("a menu", ("p",))], run)
    record(store, "p", [Pagelet("some words")], run)
    with store.transaction():
        store.frontier.begin_round()
        store.frontier.judge_again(lambda address, _: "depth" if address == url("p") else None)
    assert due(store) == ["hub"]
    if known:
        (fragment,) = rows(store, "SELECT fragment FROM fragment_links")
        with store.transaction():
            store.frontier.come_nearer(*fragment, 1)
    else:
        add(store, "p", 1)
    assert due(store) == ["hub", "p"]
    assert state(store, "p") == ("held", None)


def test_unknown_urls_and_ids(store: Store) -> None:
    page = add(store, "p")
    assert store.frontier.find(url("p")) == page
    assert store.frontier.find(url("q")) is None
    assert store.frontier.url(page) == url("p")
    for ask in (store.frontier.url, store.frontier.get):
        with pytest.raises(KeyError):
            ask(99)


@pytest.mark.parametrize("odd", ["http://[broken", "", "\x00", "mailto:x", "http://é/ü"])
def test_any_url_can_be_known(store: Store, odd: str) -> None:
    with store.transaction():
        page = store.frontier.add(Target(odd, None), 0)
    assert store.frontier.url(page) == odd


def test_a_rollback_is_forgotten(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.frontier.add(Target("http://new.example/", None), 0)
        raise RuntimeError
    assert store.frontier.find("http://new.example/") is None
    with store.transaction():
        page = store.frontier.add(Target("http://new.example/", None), 0)
    assert store.frontier.url(page) == "http://new.example/"


def test_hosts_with_due_urls(store: Store) -> None:
    for name in ("http://b.example/1", "http://a.example/1", "http://b.example/2", "http://c.example:80/"):
        add(store, name)
    add(store, "http://d.example/", refusal="scope")
    assert list(store.frontier.hosts_due().values()) == ["b.example", "a.example", "c.example:80"]
    first, second, _ = store.frontier.hosts_due()
    assert [entry.url for entry in store.frontier.due([first], 1)] == ["http://b.example/1"]
    add(store, "http://a.example/nearer", -1)
    nearest = [entry.url for entry in store.frontier.due([first, second], 2)]
    assert nearest == ["http://a.example/nearer", "http://b.example/1"]


def test_hosts_are_told_of_which_urls_become_due(store: Store) -> None:
    def told() -> list[str] | None:
        hosts = store.frontier.arrivals()
        return None if hosts is None else sorted(hosts.values())

    page = add(store, "p")
    assert told() is None
    assert told() == []
    add(store, "p")
    add(store, "q", refusal="nofollow")
    assert told() == []
    add(store, "http://other.example/")
    add(store, "q")
    assert told() == ["other.example", "site.example"]
    record(store, "p", [Pagelet("text", ("deep",))], begin(store), depth=3)
    told()
    store.connection.execute(
        "UPDATE pages SET due = 0, state = 'refused', reason = 'depth' WHERE page != ?", [page]
    )
    record(store, "r", [Pagelet("text", ("deep",))], 1, depth=0)
    assert told() == ["site.example"]
    with store.transaction():
        store.outcomes.settle(page, "delivered", 1)
        store.connection.execute("UPDATE pages SET checked_at = 1")
        store.frontier.modify(page, 2, round_after=1)
    assert told() == ["site.example"]
    for change in (store.frontier.begin_round, lambda: store.frontier.all_due(1)):
        with store.transaction():
            change()
        assert told() is None
    with pytest.raises(RuntimeError), store.transaction():
        raise RuntimeError
    assert told() is None


def test_due_urls_are_read_off_an_index(store: Store) -> None:
    queries: list[str] = []
    store.connection.set_trace_callback(queries.append)
    store.frontier.due([1], 5)
    store.frontier.hosts_due()
    store.connection.set_trace_callback(None)
    of_host, of_all = (
        [row[3] for row in store.connection.execute(f"EXPLAIN QUERY PLAN {query}")] for query in queries
    )
    assert of_host == ["SEARCH pages USING INDEX pages_due (host=?)"]
    assert "SEARCH pages USING INDEX pages_due (host>?)" in of_all
    assert not any("SCAN pages" in step for step in of_all)


# --- When a page is due again ---

NOON = 1_800_000_000
HOUR = 3600


@pytest.fixture
def visited(store: Store) -> Store:
    """A page that was seen at noon, and waits an hour; one that waits for nothing; one that failed."""
    run = begin(store)
    for name in ("waits", "never"):
        record(store, name, [Pagelet(f"text of {name}")], run)
    add(store, "failed")
    with store.transaction():
        store.outcomes.settle(known(store, "failed"), "failed", run, reason="http 503")
        store.connection.execute("UPDATE pages SET checked_at = ?", (NOON,))
        store.outcomes.wait(known(store, "waits"), HOUR)
    return store


def known(store: Store, name: str) -> int:
    page = store.frontier.find(url(name))
    assert page is not None
    return page


def due_at(store: Store, now: int | None) -> list[str]:
    with store.transaction():
        store.frontier.begin_round(now)
    return sorted(due.url.rpartition("/")[2] for due in sites.due(store, 10))


@pytest.mark.parametrize(
    ("now", "waits"),
    [(NOON + HOUR // 2, True), (NOON + HOUR, False), (NOON - 1, False), (None, False)],
    ids=["within", "over", "clock set back", "no intervals"],
)
def test_a_page_waits_until_its_interval_is_over(visited: Store, now: int | None, waits: bool) -> None:
    assert due_at(visited, now) == (["failed", "never"] if waits else ["failed", "never", "waits"])


def test_a_page_waits_no_longer_than_its_url_may_now(visited: Store) -> None:
    for longest, wait in ((HOUR // 2, 1), (HOUR, 1), (60, 0), (0, 0)):
        with visited.transaction():
            visited.frontier.begin_round(NOON + HOUR // 4, {url("waits"): longest}.get)
        assert len(sites.due(visited, 10)) == 3 - wait


def test_a_page_that_a_sitemap_says_has_changed_does_not_wait(visited: Store) -> None:
    assert due_at(visited, NOON + 60) == ["failed", "never"]
    with visited.transaction():
        visited.frontier.modify(known(visited, "waits"), NOON - 5, round_after=1)
    assert len(sites.due(visited, 10)) == 2
    with visited.transaction():
        visited.frontier.modify(known(visited, "waits"), NOON + 5, round_after=1)
    assert len(sites.due(visited, 10)) == 3


def test_a_page_that_the_round_has_settled_is_not_due_by_its_sitemap(visited: Store) -> None:
    with visited.transaction():
        visited.frontier.begin_round()
        visited.outcomes.confirm(known(visited, "waits"), 2, NOON + 10, HOUR)
        visited.frontier.modify(known(visited, "waits"), NOON + 20, round_after=1)
    assert url("waits") not in {due.url for due in sites.due(visited, 10)}


def test_all_that_wait_can_be_called(visited: Store) -> None:
    due_at(visited, NOON + 60)
    with visited.transaction():
        assert visited.frontier.all_due(1) == 1
    assert len(sites.due(visited, 10)) == 3


def test_what_is_gone_is_asked_for_again_where_a_link_leads_to_it(visited: Store) -> None:
    page = known(visited, "never")
    with visited.transaction():
        visited.outcomes.settle(page, "gone", 1, reason="http 404")
        visited.connection.execute("UPDATE pages SET linked = 0 WHERE page = ?", (page,))
    assert "never" not in due_at(visited, None)
    add(visited, "never")
    assert url("never") in {due.url for due in sites.due(visited, 10)}


def test_a_rule_takes_the_document_and_gives_it_back(visited: Store) -> None:
    page = known(visited, "waits")
    with visited.transaction():
        visited.frontier.judge_again(lambda address, depth: "rule" if "waits" in address else None)
    assert not visited.documents.is_current(page)
    assert "waits" not in due_at(visited, None)
    with visited.transaction():
        visited.frontier.judge_again(lambda address, depth: None)
    assert visited.documents.is_current(page)
    assert "waits" in due_at(visited, None)


# --- Both sides of what decides whether a URL is asked for, and what it stays ---


def test_only_a_smaller_depth_brings_a_url_nearer(store: Store) -> None:
    with store.transaction():
        page = store.frontier.add(Target(url("p"), None), 5)
        for depth, nearer in ((5, 0), (6, 0), (4, 1), (4, 1), (5, 1), (3, 2)):
            store.frontier.add(Target(url("p"), None), depth)
            assert store.frontier.nearer == [page] * nearer
        store.frontier.forget()
        store.frontier.add(Target(url("p"), None), 3)
        assert store.frontier.nearer == [page] * 2


def test_a_readmitted_url_takes_one_place_of_its_path(store: Store) -> None:
    store.frontier.queries.limit = 2
    add(store, "list?page=1", 2, refusal="nofollow")
    for _ in range(3):
        add(store, "list?page=1", 2)
    add(store, "list?page=2", 2)
    add(store, "list?page=3", 2)
    assert [state(store, f"list?page={number}")[0] for number in (1, 2, 3)] == ["known", "known", "refused"]
    # A start URL needs none.
    add(store, "list?page=4", 0)
    assert state(store, "list?page=4") == ("known", None)


def test_a_url_that_is_wanted_is_not_admitted_again(store: Store) -> None:
    store.frontier.arrivals()
    add(store, "p", 1)
    assert store.frontier.arrivals() is not None
    add(store, "p", 1)
    assert store.frontier.arrivals() == {}
    # Neither is one by a link that may not be followed.
    add(store, "q", 1, refusal="nofollow")
    add(store, "q", 1, refusal="nofollow")
    assert store.frontier.arrivals() == {}
    assert state(store, "q") == ("refused", "nofollow")


def test_a_rolled_back_host_is_made_again(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.frontier.add(Target("http://new.example/a", None), 0)
        raise RuntimeError
    with store.transaction():
        store.frontier.add(Target("http://new.example/b", None), 0)
    assert store.frontier.alike("http://new.example/a", 5) == ["http://new.example/b"]


@pytest.mark.parametrize(
    ("interval", "now", "waits"),
    [(1000, NOON + 899, True), (1000, NOON + 900, False), (1000, NOON, True), (None, NOON, False)],
)
def test_nine_tenths_of_an_interval_will_do(
    visited: Store, interval: int | None, now: int, waits: bool
) -> None:
    with visited.transaction():
        visited.outcomes.wait(known(visited, "waits"), interval)
    assert visited.pages.fetch(known(visited, "waits")).interval == interval
    assert ("waits" not in due_at(visited, now)) is waits


@pytest.mark.parametrize(("modified", "waits"), [(NOON, True), (NOON + 1, False), (None, True)])
def test_a_change_that_a_sitemap_has_told_before_counts_still(
    visited: Store, modified: int | None, waits: bool
) -> None:
    visited.connection.execute("UPDATE pages SET modified = ?", (modified,))
    assert ("waits" not in due_at(visited, NOON + 60)) is waits


@pytest.mark.parametrize(
    ("modified", "run", "reason", "due"),
    [
        (NOON, 1, None, False),
        (NOON + 1, 1, None, True),
        (NOON + 1, 2, None, False),
        (NOON + 1, None, None, True),
        (NOON + 1, 1, "scope", False),
        (NOON + 1, 1, "missed", True),
    ],
)
def test_what_a_sitemap_says_is_weighed(
    visited: Store, modified: int, run: int | None, reason: str | None, due: bool
) -> None:
    page = known(visited, "waits")
    visited.connection.execute(
        "UPDATE pages SET due = 0, run = ?, reason = ? WHERE page = ?", (run, reason, page)
    )
    visited.frontier.arrivals()
    with visited.transaction():
        visited.frontier.modify(page, modified, round_after=1)
    assert rows(visited, "SELECT due, modified FROM pages WHERE page = ?", page) == [(due, modified)]
    assert bool(visited.frontier.arrivals()) is due


@pytest.mark.parametrize(
    ("run", "reason", "to", "called"),
    [
        (1, None, "held", 1),
        (2, None, "held", 0),
        (None, None, "delivered", 1),
        (1, "scope", "held", 0),
        (1, "missed", "held", 1),
        (1, None, "gone", 0),
    ],
)
def test_what_can_be_called(
    visited: Store, run: int | None, reason: str | None, to: str, called: int
) -> None:
    visited.connection.execute("UPDATE pages SET due = 1")
    visited.connection.execute(
        "UPDATE pages SET due = 0, run = ?, reason = ?, state = ? WHERE page = ?",
        (run, reason, to, known(visited, "waits")),
    )
    with visited.transaction():
        assert visited.frontier.all_due(1) == called
    assert visited.frontier.count_due() == 2 + called


def test_urls_that_are_alike_are_those_of_the_host_whose_length_is_nearest(store: Store) -> None:
    for name in ("abc", "abcdef", "b", "http://other.example/abc"):
        add(store, name)
    assert store.frontier.alike(url("abcd"), 2) == [url("abc"), url("abcdef")]
    assert set(store.frontier.urls()) == {*map(url, ("abc", "abcdef", "b")), "http://other.example/abc"}


@pytest.mark.parametrize(
    ("to", "reason", "linked"),
    [("gone", "http 404", 1), ("refused", "robots", 1), ("held", "scope", 1), ("refused", "type", 0)],
)
def test_what_is_settled_otherwise_is_not_admitted_again(
    store: Store, to: str, reason: str, linked: int
) -> None:
    page = add(store, "p")
    store.connection.execute(
        "UPDATE pages SET state = ?, reason = ?, linked = ?, due = 0 WHERE page = ?",
        (to, reason, linked, page),
    )
    store.frontier.forget()
    add(store, "p")
    assert (due(store), state(store, "p")) == ([], (to, reason))


def test_a_rolled_back_url_has_no_place(store: Store) -> None:
    store.frontier.queries.limit = 1
    with pytest.raises(RuntimeError), store.transaction():
        store.frontier.add(Target(url("list?page=1"), None), 2)
        raise RuntimeError
    add(store, "list?page=2", 2)
    add(store, "list?page=3", 2)
    assert [state(store, f"list?page={number}")[0] for number in (2, 3)] == ["known", "refused"]


def test_a_url_that_was_given_a_place_takes_no_other(store: Store) -> None:
    store.frontier.queries.limit = 1
    pages = [add(store, f"list?page={number}", 2) for number in (1, 2)]
    store.frontier.queries.limit = 3
    with store.transaction():
        assert store.frontier.extend(pages, 0, 0, lambda *_: None) == 1
    for number in (2, 3, 4):
        add(store, f"list?page={number}", 2)
    assert [state(store, f"list?page={number}")[0] for number in (2, 3, 4)] == ["known", "known", "refused"]


@pytest.mark.parametrize("waits", [0, 1])
def test_what_has_come_nearer_is_heard_of(store: Store, waits: int) -> None:
    with store.transaction():
        page = store.frontier.add(Target(url("p"), None), 5)
        store.frontier.arrivals()
        store.connection.execute("UPDATE pages SET due = ?", (waits,))
        store.connection.execute("INSERT INTO fragment_links VALUES (7, 0, ?, '', 0)", (page,))
        store.frontier.come_nearer(7, 2)
        assert bool(store.frontier.arrivals()) is bool(waits)
        assert store.frontier.nearer == [page]
        store.frontier.add(Target(url("p"), None), 3)
        assert store.frontier.nearer == [page]


def test_what_an_archive_lacks_is_asked_for_no_more_where_it_is_gone(store: Store) -> None:
    for name in ("here", "back", "lost", "other"):
        settle(store, add(store, name), "gone" if name != "other" else "failed")
    store.connection.execute("UPDATE pages SET due = 1, linked = url != ?", (url("back"),))
    listed = [known(store, "here"), known(store, "back")]
    for only, left in ((False, ["here", "back", "other"]), (True, ["here", "back"])):
        with store.transaction():
            store.frontier.lead_to(listed, only=only)
        assert due(store) == left
        assert store.frontier.arrivals() is None
    linked = rows(store, "SELECT url FROM pages WHERE linked ORDER BY page")
    assert linked == [(url(name),) for name in ("here", "back", "other")]


def test_what_links_lead_to_again_is_heard_of(store: Store) -> None:
    page = add(store, "p")
    settle(store, page, "gone")
    store.connection.execute("UPDATE pages SET linked = 0, due = 0")
    store.frontier.arrivals()
    with store.transaction():
        assert store.frontier.extend([page], 0, 1, lambda *_: None) == 1
    assert (store.frontier.arrivals(), due(store)) == (None, ["p"])


LINKS = st.lists(
    st.tuples(
        st.sampled_from(
            ["a", "b?c=1", "b?c=2", "b?c=3", "b?c=4", "ä", "http://OTHER.example:80/", "http://[/"]
        ),
        st.sampled_from([None, "nofollow"]),
        st.integers(0, 3),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=50)
@given(pages=st.lists(LINKS, max_size=4), prepared=st.booleans())
def test_urls_that_are_added_together_are_those_that_are_added_one_by_one(pages, prepared) -> None:
    with in_memory() as together, in_memory() as single:
        found: list[list[int]] = []
        for store in (together, single):
            store.frontier.queries.limit = 2
            found.append([])
            for links in pages:
                targets = [(Target(url(name), refusal), depth) for name, refusal, depth in links]
                with store.transaction():
                    if store is single:
                        found[-1] += [store.frontier.add(*target) for target in targets]
                        continue
                    with store.frontier.together([target.url for target, _ in targets if prepared]):
                        found[-1] += [store.frontier.add(*target) for target in targets]
        assert found[0] == found[1]
        for query in ("SELECT * FROM pages ORDER BY page", "SELECT * FROM hosts ORDER BY host"):
            assert rows(together, query) == rows(single, query)
