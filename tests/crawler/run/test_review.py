"""What makes a round one that is not to be trusted: both sides of each threshold.

The spider, its store and its review are those of a crawl; what the network would answer is put in the store.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from tests.reviewed import MENU, Night, Site, names
from tests.store.sites import HOST, Pagelet, record, rows, state

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW = "http://new.test"


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.close()


# --- How many pages, and which ---


@pytest.mark.parametrize(
    ("before", "there", "others", "good"),
    [
        (10, 5, 0, True),
        (10, 4, 0, False),
        # Others make up for nothing, unless the pages are few.
        (10, 4, 9, False),
        (10, 5, 9, True),
        (10, 4, 1, False),
        (5, 2, 9, False),
        (4, 1, 1, True),
        (4, 1, 0, False),
        (4, 2, 0, True),
    ],
)
def test_pages_that_are_there(site, caplog, before, there, others, good):
    site.first(names(before))
    night = site.night()
    kept = names(before)
    night.confirms(kept[:there])
    night.finds(kept[there:], "gone", reason="http 404")
    night.has(names(others + 1, "other")[1:])
    assert night.passes() is good
    assert (night.session.state.suspicion is None) is good
    if good:
        assert state(night.store, kept[-1])[0] == "gone"
        return
    assert state(night.store, kept[-1]) == ("delivered", None)
    said = caplog.records[-1].getMessage()
    assert said.endswith("and the store is as it was")
    if 2 * (there + others) >= before:
        assert said.startswith(f"{there} of the {before} pages of the last good run are there, of")
    else:
        assert said.startswith(f"{there + others} pages, {before} in the last good run; if the site is meant")


def test_what_has_not_changed_is_not_compared(site):
    # People have narrowed the scope in between, and no page says that it is gone.
    site.first(names(10))
    night = site.night()
    night.confirms(names(10))
    night.store.connection.execute("UPDATE pages SET linked = 0 WHERE depth = 0")
    assert night.passes()


@pytest.mark.parametrize("accept", [False, True])
def test_however_much_is_gone_can_be_accepted(site, accept):
    site.first(names(10))
    night = site.night(accept=int(accept))
    night.confirms([""])
    night.finds(names(10)[1:], "gone", reason="http 404")
    assert night.passes() is accept


def test_a_page_that_others_lead_to_stands_for_one_of_them(site):
    kept = names(10)
    for stands, good in ((1, False), (2, True)):
        folder = Site(site.folder / str(stands))
        folder.first(kept)
        night = folder.night()
        # Three are as they were; where the others lead, there is one page, or there are two.
        night.confirms(kept[:3])
        night.has(names(stands + 1, "end")[1:])
        for number, name in enumerate(kept[3:]):
            night.leads(name, f"end{number % stands + 1}", "temporary" if number % 2 else None)
        assert night.passes() is good
        folder.close()


def test_a_page_may_lead_to_one_that_was_there_before(site):
    kept = names(8)
    site.first(kept)
    night = site.night()
    night.confirms(kept[:3])
    # Two of five lead to pages which are there as well, by one more step, and the rest into circles.
    night.leads(kept[3], kept[0])
    night.leads(kept[4], kept[3])
    night.leads(kept[5], kept[6])
    night.leads(kept[6], kept[5])
    night.leads(kept[7], kept[7])
    assert night.passes()
    night.ends("complete")


@pytest.mark.parametrize(
    ("templates", "accept", "good"), [(4, 0, True), (2, 0, True), (1, 0, False), (0, "new.test", True)]
)
def test_pages_of_another_domain_have_to_hold_half_of_the_templates(site, templates, accept, good):
    kept = names(10)
    site.first(kept)
    night = site.night(accept=accept, url=f"{HOST}/,{NEW}/")
    for number, name in enumerate(kept):
        parts = [*MENU[:templates], *(Pagelet(f"of {name} {part}") for part in range(4))]
        record(night.store, f"{NEW}/{number or ''}", parts, night.session.run)
        night.leads(name, f"{NEW}/{number or ''}")
    assert night.passes() is good


@pytest.mark.parametrize(("pages", "good"), [(5, True), (4, False)])
def test_an_accepted_domain_has_to_have_as_many_pages(site, pages, good):
    kept = names(10)
    site.first(kept)
    night = site.night(accept="new.test", url=f"{HOST}/,{NEW}/")
    for number in range(pages):
        record(
            night.store, f"{NEW}/{number or ''}", [Pagelet(f"long text of {number} " * 9)], night.session.run
        )
    for name in kept:
        night.leads(name, f"{NEW}/")
    assert night.passes() is good


@pytest.mark.parametrize(("lead", "good"), [(5, True), (4, False)])
def test_pages_that_lead_to_an_accepted_domain_are_counted_one_by_one(site, lead, good):
    kept = names(10)
    site.first(kept)
    night = site.night(accept="new.test", url=f"{HOST}/,{NEW}/")
    for number in range(10):
        record(
            night.store, f"{NEW}/{number or ''}", [Pagelet(f"long text of {number} " * 9)], night.session.run
        )
    for number, name in enumerate(kept[:lead]):
        night.leads(name, f"{NEW}/{number or ''}")
    night.finds(kept[lead:], "gone", reason="http 404")
    assert night.passes() is good


@pytest.mark.parametrize(("variants", "good"), [(7, True), (8, False)])
def test_pages_that_name_another_as_canonical_are_counted_before_they_go(site, variants, good):
    kept = names(12)
    site.first(kept)
    night = site.night({"CANONICAL_ENABLED": True})
    night.confirms(kept)
    with night.store.transaction():
        for name in kept[-variants:]:
            night.store.previous.keep(night.page(name))
        # All these have the home page for it, which stands for one.
        night.store.connection.execute(
            "UPDATE pages SET canonical = 1, run = ?, fetched_run = ? WHERE page > ?",
            (night.session.run, night.session.run, 12 - variants),
        )
    assert night.passes() is good
    assert night.store.documents.is_current(12) is not good


def test_a_page_that_names_one_which_is_undone_as_canonical_stays(site):
    kept = names(10)
    site.first(kept)
    night = site.night({"CANONICAL_ENABLED": True})
    night.confirms([*kept[:3], "p9"])
    night.has(["new"])
    night.finds(kept[3:9], "gone", reason="http 404")
    pair = night.page("new"), night.page("p9")
    night.store.connection.execute("UPDATE pages SET canonical = ? WHERE page = ?", pair)
    assert not night.passes()
    assert night.session.state.suspicion
    assert rows(night.store, "SELECT excluded FROM pages WHERE url LIKE '%p9'") == [(None,)]


# --- How much text ---


@pytest.mark.parametrize(("kept", "good"), [(50, True), (49, False)])
@pytest.mark.parametrize("pages", [5, 4])
def test_text(site, kept, good, pages):
    menu = sum(len(part.text) for part in MENU)
    alone = ["", *names(pages)[1:]]
    # Of the text one page has all but some characters.
    site.first(alone, lambda name: "x" * (1000 - menu - pages + 1) if not name else name[1])
    night = site.night()
    night.confirms(alone[1:])
    night.has([""], lambda name: "y" * (kept * 10 - menu - pages + 1))
    assert night.passes() is (good or pages == 4)
    if not night.session.state.suspicion:
        return
    assert night.session.state.suspicion.startswith("490 characters of text, 1000 in the last good run")


def changed_part(site: Site, pages: int, chars: int, **given: Any) -> Night:
    """A night that a limit has stopped, of which so many pages have so much text, 100 characters before."""
    menu = sum(len(part.text) for part in MENU)
    site.first(names(9), lambda name: (name or "home").ljust(100, "x"))
    night = site.night(**given)
    night.store.connection.execute("UPDATE fragments SET chars = 100 WHERE fragment > 4")
    night.store.connection.execute("UPDATE fragments SET chars = 0 WHERE fragment <= 4")
    last = rows(night.store, "SELECT max(fragment) FROM fragments")[0][0]
    assert menu
    night.has(names(9)[:pages], lambda name: f"changed {name}")
    night.store.connection.execute("UPDATE fragments SET chars = ? WHERE fragment > ?", (chars, last))
    return night


@pytest.mark.parametrize(
    ("pages", "chars", "accept", "good"),
    [(5, 50, 0, True), (5, 49, 0, False), (5, 49, 1, True), (4, 0, 0, True)],
)
@pytest.mark.parametrize("early", [False, True])
def test_text_of_a_part(site, caplog, pages, chars, accept, good, early):
    night = changed_part(site, pages, chars, accept=accept)
    assert night.passes(early=early) is good
    assert night.session.state.suspicion is None
    kept = night.store.previous.count()
    assert kept == (pages if good and early else 0)
    if not good:
        assert f"have {chars * pages} characters of text, before {100 * pages}" in caplog.text
        assert "changed" not in str(night.store.bodies.get(night.page("p1")).data)


@pytest.mark.parametrize("early", [False, True])
def test_a_run_of_a_part_that_loses_text_is_suspicious_unless_it_ends_early(site, caplog, early):
    night = changed_part(site, 5, 49)
    night.session.partial = True
    assert not night.passes(early=early)
    assert bool(night.session.state.suspicion) is not early
    assert "have 245 characters of text, before 500" in caplog.text
    assert "crawl it with --accept" in caplog.text
    assert night.store.previous.count() == 0


# --- Nothing, and not asked ---


def test_a_run_that_has_found_nothing_undoes_what_it_has_lost(site):
    site.first(names(6))
    night = site.night()
    night.finds(names(6), "gone", reason="http 404")
    assert not night.passes()
    assert night.session.state.suspicion is None
    assert len(night.session.state.answers) == 3
    assert state(night.store, "p1") == ("delivered", None)


def test_a_run_that_has_asked_for_nothing_has_lost_nothing(site):
    site.first(names(6))
    night = site.night()
    assert night.passes()


def test_a_run_that_ends_early_with_nothing_keeps_what_it_knows(site):
    site.first(names(6))
    night = site.night()
    night.finds(["p1"], "gone", reason="http 404")
    assert night.passes(early=True)
    assert state(night.store, "p1")[0] == "gone"
    assert night.session.state.answers == []


def test_what_is_complete_lets_the_earlier_versions_go_and_counts_what_was_missed(site):
    site.first(names(6))
    night = site.night({"MISSED_RUNS": 1})
    night.confirms(names(6)[:5])
    night.has(["p1"], "another text of {}".format)
    night.finds(["p5"], "redirected", reason="temporary", target=1)
    assert night.passes()
    assert night.store.previous.count() == 0
    assert night.stats.get_value("pages/missed") == 1
    # What the next round is compared with.
    assert night.store.rounds.before().text == night.store.rounds.now().text


# --- Deletions of a run that has not seen the whole site ---


@pytest.mark.parametrize(("count", "passes"), [(5, True), (6, False)])
def test_deletions_of_a_limited_run(site, caplog, count, passes):
    site.first(names(10))
    night = site.night()
    night.confirms([""])
    assert night.passes()
    assert night.store.frontier.count_due()
    assert night.review.deletions_pass(count) is passes
    assert ("documents to delete are too many" in caplog.text) is not passes
    night.confirms(names(10))
    assert night.review.deletions_pass(count)


@pytest.mark.parametrize(("share", "count", "passes"), [(0.0, 1, True), (0.0, 2, False), (1.0, 1, False)])
def test_deletions_of_a_limited_run_where_nothing_was_delivered(site, share, count, passes):
    night = site.night({"LOSS_MIN_SHARE": share})
    assert night.store.frontier.count_due()
    night.passes()
    assert night.review.deletions_pass(count) is passes


def test_a_run_of_a_part_deletes_nothing(site):
    site.first(names(10))
    night = site.night()
    night.confirms(names(10))
    assert night.passes()
    assert night.review.deletions_pass(1)
    night.session.partial = True
    assert not night.review.deletions_pass(1)
    assert not night.review.deletions_pass(0)


# --- Redesigns ---


def redesigned(site: Site, lost: int, *, seen: int, pages: int = 20, **given: Any) -> Night:
    """A night on which so many of the pages seen have lost their templates."""
    site.first(names(pages))
    night = site.night(**given)
    for name in names(pages)[:lost]:
        parts = [Pagelet(f"another menu {part}") for part in range(3)]
        record(night.store, name, [*MENU[:1], *parts, Pagelet(f"text of {name}")], night.session.run)
    night.confirms(names(pages)[lost:seen])
    return night


@pytest.mark.parametrize(
    ("lost", "seen", "calls"), [(5, 10, 10), (4, 8, 0), (5, 11, 0), (6, 12, 8), (4, 4, 0), (5, 5, 15)]
)
def test_a_redesign_calls_for_all_pages(site, lost, seen, calls):
    night = redesigned(site, lost, seen=seen)
    with night.store.transaction():
        night.store.connection.execute("UPDATE pages SET due = 0")
        night.store.connection.execute("INSERT OR REPLACE INTO follows SELECT 1, page FROM pages")
    night.store.frontier.arrivals()
    assert night.review.more_to_fetch() is bool(calls)
    assert night.store.frontier.count_due() == calls
    # Where pages have become due, all hosts are looked at again.
    assert not calls or night.store.frontier.arrivals() is None


@pytest.mark.parametrize(("seen", "accept", "good"), [(18, 0, True), (17, 0, False), (17, 1, True)])
def test_a_redesign_that_is_half_seen_waits(site, caplog, seen, accept, good):
    night = redesigned(site, 12, seen=seen, accept=accept)
    assert night.passes(early=True) is good
    assert ("3 of its pages were not seen" in caplog.text) is not good
    # What has changed stays for the run that continues this one.
    assert night.store.previous.count() == 12


def test_a_redesign_is_told(site, caplog):
    night = redesigned(site, 12, seen=20)
    assert night.passes()
    assert night.stats.get_value("templates/redesigned_pages") == 12
    assert "A redesign: 12 pages" in caplog.text


def test_a_redesign_is_told_of_a_limited_run_and_not_of_one_that_ends_early(site):
    night = redesigned(site, 12, seen=19)
    assert night.passes(early=True)
    assert night.stats.get_value("templates/redesigned_pages") is None
    assert night.passes()
    assert night.stats.get_value("templates/redesigned_pages") == 12
    assert night.store.previous.count() == 0


# --- More to fetch ---


def test_the_first_round_and_one_without_changes_fetch_no_more(site):
    night = site.night()
    night.has(names(3))
    night.finds(["p1"], "gone", reason="http 404")
    night.store.connection.execute("INSERT INTO follows VALUES (1, 2)")
    assert not night.review.more_to_fetch()
    night.ends()
    again = site.night()
    again.store.connection.execute("DELETE FROM meta WHERE key = 'links_changed'")
    again.confirms(["", "p2"])
    again.store.connection.execute("UPDATE pages SET due = 0")
    assert not again.review.more_to_fetch()
    # One page has changed, and leads to what had been given up.
    again.has([""], "another text of {}".format)
    again.store.connection.execute("INSERT INTO follows VALUES (1, 2)")
    assert again.review.more_to_fetch()
    assert again.store.frontier.count_due() == 1


# --- Where start URLs lead ---


def leading(site: Site, **given: Any) -> Night:
    site.first(names(6))
    night = site.night(**given)
    record(night.store, NEW + "/", [Pagelet("elsewhere")], night.session.run)
    night.confirms(names(6))
    night.leads("", NEW + "/")
    return night


@pytest.mark.parametrize("early", [False, True])
def test_a_start_url_that_leads_away_holds_everything_back(site, caplog, early):
    night = leading(site)
    assert not night.passes(early=early)
    assert f"{HOST}/ leads to another domain: {NEW}/; if" in caplog.text
    assert "-a accept=new.test, or" in caplog.text
    assert ("the store is as it was" in caplog.text) is not early
    # What ends early is continued, and has to know then.
    assert state(night.store, "")[0] == ("redirected" if early else "delivered")


def test_several_are_counted_and_their_hosts_are_named_as_they_are_accepted(site, caplog):
    site.first(names(6))
    others = ["http://a.test/", "http://b.a.test/", "http://wiki/", "http://[::1]:80/"]
    starts = [f"{HOST}/", *(f"{HOST}/s{number}" for number in range(3))]
    night = site.night(url=",".join(starts))
    for start, other in zip(starts, others, strict=True):
        record(night.store, other, [Pagelet("elsewhere")], night.session.run)
        night.leads(start, other)
    assert not night.passes()
    assert "http://a.test/ (and 3 more); if" in caplog.text
    assert "-a accept=a.test,b.a.test,wiki.,[::1], or" in caplog.text


def test_two_are_counted(site, caplog):
    site.first(names(6))
    others = ["http://a.test/", "http://b.test/"]
    starts = [f"{HOST}/", f"{HOST}/s"]
    night = site.night(url=",".join(starts))
    for start, other in zip(starts, others, strict=True):
        record(night.store, other, [Pagelet("elsewhere")], night.session.run)
        night.leads(start, other)
    assert not night.passes()
    assert "http://a.test/ (and 1 more); if" in caplog.text


def test_what_is_accepted_and_not_met_is_told(site, caplog):
    night = leading(site, accept="new.test,old.test")
    night.passes()
    assert "accept=old.test: no start URL leads to that domain" in caplog.text
    assert "accept=new.test" not in caplog.text
    assert night.session.state.moved == []


def test_the_first_round_tells_where_it_has_been_led(site):
    night = site.night(accept="new.test")
    record(night.store, NEW + "/", [Pagelet("elsewhere")], night.session.run)
    night.leads("", NEW + "/")
    night.passes()
    assert night.session.state.moved == [(f"{HOST}/", f"{NEW}/")]


def test_an_archive_has_no_start_urls_that_could_lead_anywhere(site, tmp_path, caplog):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text("<p>A page</p>")
    caplog.set_level(logging.WARNING)
    night = site.night(spider="archive", path=str(folder), accept="new.test")
    assert night.passes()
    assert "no start URL" not in caplog.text
