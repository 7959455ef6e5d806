from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from search.sinks.cluster.index import alias_of, entries_version, is_index_of, new_index, template
from settings.site import SITE_NAME

NOT_IN_A_NAME = re.compile(r'[A-Z\\/*?"<>| ,#:]')

sites = st.from_regex(SITE_NAME, fullmatch=True) | st.sampled_from(
    [
        "Site",
        "site",
        "site-20260101000000-abcdef01",
        "site~",
        "localhost:8000",
        "localhost-8000",
        "a" * 200,
        "a" * 199,
        "A" * 200,
        "a" * 199 + "B",
    ]
).filter(lambda name: SITE_NAME.match(name) is not None)


@given(sites, sites)
def test_no_two_sites_share_an_alias(one: str, other: str) -> None:
    assert (alias_of("site-", one) == alias_of("site-", other)) == (one == other)


@given(sites, sites)
def test_an_alias_is_no_index_of_another_site(one: str, other: str) -> None:
    index = new_index(alias_of("site-", one))
    assert is_index_of(alias_of("site-", one), index)
    assert not is_index_of(alias_of("site-", one), alias_of("site-", other))
    assert is_index_of(alias_of("site-", other), index) == (one == other)


@given(sites)
def test_names_are_such_as_servers_take(site: str) -> None:
    name = new_index(alias_of("p" * 50, site))
    assert not NOT_IN_A_NAME.search(name)
    assert len(name.encode()) <= 255


def test_a_plain_name_stays_readable() -> None:
    assert alias_of("site-", "docs.example.org") == "site-docs.example.org"


def test_indexes_of_the_same_second_have_different_names() -> None:
    assert len({new_index("site-a") for _ in range(100)}) == 100


def test_the_longer_of_two_prefixes_counts() -> None:
    assert template("site-a-")["priority"] > template("site-")["priority"]


def test_other_units_are_other_entries() -> None:
    assert entries_version("documents") != entries_version("sections")
