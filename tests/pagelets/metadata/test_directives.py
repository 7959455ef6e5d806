from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagelets.metadata.directives import RESTRICTING, directives
from pagelets.reading import read

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AGENT = "site-pagelets"


def of_meta(*metas: tuple[str, str], agent: str = AGENT) -> set[str]:
    return set(directives(metas, [], agent, NOW))


def of_headers(*headers: str, agent: str = AGENT) -> set[str]:
    return set(directives([], headers, agent, NOW))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("noindex", {"noindex"}),
        ("NoIndex, NOFOLLOW", {"noindex", "nofollow"}),
        ("none", {"noindex", "nofollow"}),
        ("all", set()),
        ("index,follow", set()),
        ("noindex nofollow", {"noindex", "nofollow"}),
        ("noindex;nofollow", {"noindex", "nofollow"}),
        (" , ,noarchive,", {"noarchive"}),
        ("max-snippet:-1, max-image-preview:large, nosnippet", {"nosnippet"}),
        ("noindexing, xnofollow", set()),
        ("", set()),
        ("max-foo: 3, noindex", {"noindex"}),
    ],
)
def test_what_is_said_to_all(content: str, found: set[str]) -> None:
    assert of_meta(("robots", content)) == of_headers(content) == found


def test_an_agents_own_directives_add_to_those_for_all() -> None:
    metas = [("robots", "noarchive"), ("Site-Pagelets", "nofollow"), ("googlebot", "noindex")]
    assert of_meta(*metas) == {"noarchive", "nofollow"}
    assert of_meta(*metas, agent="Googlebot/2.1 (+http://www.google.com/bot.html)") == {
        "noarchive",
        "noindex",
    }
    assert of_meta(("robots", "noindex"), ("site-pagelets", "all")) == {"noindex"}


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("site-pagelets: noindex", {"noindex"}),
        ("SITE-PAGELETS :noindex, nofollow", {"noindex", "nofollow"}),
        ("googlebot: noindex, nofollow", set()),
        ("googlebot: noindex, site-pagelets: nofollow", {"nofollow"}),
        ("noarchive, googlebot: noindex", {"noarchive"}),
        ("googlebot: none, *: noarchive", {"noarchive"}),
        ("googlebot: unavailable_after: 1 Jan 2020 00:00:00 GMT", set()),
        ("site-pagelets: unavailable_after: 1 Jan 2020 00:00:00 GMT", {"noindex"}),
        ("site-pagelets:, noindex", {"noindex"}),
        (": noindex", {"noindex"}),
    ],
)
def test_headers_speak_to_agents(header: str, found: set[str]) -> None:
    assert of_headers(header) == found


def test_a_header_speaks_for_itself() -> None:
    assert of_headers("googlebot: nofollow", "noindex") == {"noindex"}
    assert directives([("robots", "nofollow")], ["noindex"], AGENT, NOW) == {"noindex", "nofollow"}


@pytest.mark.parametrize(
    ("date", "passed"),
    [
        ("Fri, 02 Jan 2026 03:04:05 GMT", True),
        ("Fri, 02 Jan 2026 03:04:06 GMT", False),
        ("Friday, 02-Jan-26 03:04:05 GMT", True),
        ("25 Jun 2010 15:00:00 PST", True),
        ("2026-01-02", True),
        ("2026-01-03", False),
        ("2026-01-02T04:04:05+01:00", True),
        ("2026-01-02T03:04:05-01:00", False),
        ("9999-12-31T23:59:59-23:59", False),
        ("0001-01-01T00:00:00+23:59", True),
        ("tomorrow", False),
        ("", False),
        ("Fri", False),
        ("9" * 5000, False),
    ],
)
def test_a_page_that_has_expired_is_not_indexed(date: str, passed: bool) -> None:
    assert of_meta(("robots", f"unavailable_after: {date}")) == ({"noindex"} if passed else set())
    assert of_headers(f"unavailable_after:{date}, noarchive") == {"noarchive"} | (
        {"noindex"} if passed else set()
    )


def test_the_time_may_be_of_any_zone() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=-11)))
    found = directives([("robots", "unavailable_after: Fri, 02 Jan 2026 03:04:05 GMT")], [], AGENT, there)
    assert found == {"noindex"}


def test_a_robot_without_a_name_heeds_what_is_said_to_all() -> None:
    assert of_meta(("robots", "noindex"), ("", "nofollow"), agent="") == {"noindex"}
    assert of_headers("noindex", "x: nofollow", agent="  ") == {"noindex"}


def test_a_page_tells_its_metas() -> None:
    page = read(
        "<head><meta name=Robots content=NoIndex><meta name=SITE-pagelets content=none><meta name=x>",
        "http://localhost/",
    )
    assert page.robots_metas == [("robots", "NoIndex"), ("site-pagelets", "none"), ("x", "")]
    assert directives(page.robots_metas, [], AGENT, NOW) == {"noindex", "nofollow"}


DATES = ["1 Jan 2020 00:00:00 GMT", "2020-01-01T00:00:00+99:99"]
NAMES = ["googlebot:", "site-pagelets:", "unavailable_after:", "max-snippet:", "*:"]
WORDS = st.sampled_from([*sorted(RESTRICTING), "none", "all", "Fri", ",", ":", "\x00", "\n", *DATES, *NAMES])
HOSTILE = st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("".join))


@given(st.lists(st.tuples(HOSTILE, HOSTILE)), st.lists(HOSTILE), HOSTILE)
@example([], ["unavailable_after: Fri, 1 Jan 99999999999999999999 00:00:00 GMT"], "x")
@example([("robots", "unavailable_after: 1 Jan 2020 00:00:00 +999999999999")], [], "x")
def test_hostile_values_give_known_directives(
    metas: list[tuple[str, str]], headers: list[str], agent: str
) -> None:
    assert directives(metas, headers, agent, NOW) <= RESTRICTING


@given(st.lists(HOSTILE), st.lists(HOSTILE))
def test_more_said_never_asks_for_less(headers: list[str], more: list[str]) -> None:
    said = directives([], headers, AGENT, NOW)
    assert said <= directives([], [*headers, *more], AGENT, NOW)


@given(st.lists(st.sampled_from(sorted(RESTRICTING)), min_size=1), st.sampled_from([", ", ",", " , "]))
def test_directives_are_found_wherever_they_stand(words: list[str], comma: str) -> None:
    content = comma.join(words)
    assert of_meta(("robots", content)) == of_headers(content) == set(words)
    assert of_headers(f"{AGENT}: {content}") == set(words)
    assert of_headers(f"otherbot: {content}") == set()
