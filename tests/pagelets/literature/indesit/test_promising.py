from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagelets.literature.indesit.promising import PromisingSearch
from pagelets.literature.indesit.search import LinkedPage

if TYPE_CHECKING:
    from collections.abc import Mapping

CLASS, INDEX, NEWS = [b"a", b"b"], [b"i"], [b"n", b"m"]
Links = dict[bytes, list[int]]
Site = dict[int, tuple[Links, list[bytes]]]


def search(site: Site, sample: int) -> tuple[set[int], list[int]]:
    """The pages that were found, and those that were asked for."""
    found = PromisingSearch(sample)
    asked: list[int] = []
    run = found.run()
    answers: Mapping[int, LinkedPage | None] | None = None
    try:
        while True:
            wanted = run.send(answers)  # type: ignore[arg-type]
            assert wanted and not set(wanted) & set(asked) and len(set(wanted)) == len(wanted)
            asked += wanted
            answers = {one: LinkedPage(one, *site[one]) if one in site else None for one in wanted}
    except StopIteration:
        return {page.address for page in found.found()}, asked


def manual() -> Site:
    """300 pages of a class, which ten indexes list beside some of 2,000 news that all pages lead to."""
    site: Site = {1: ({b"indexes": list(range(10, 20)), b"news": list(range(5000, 5020))}, INDEX)}
    for index in range(10, 20):
        members = list(range(1000 + index % 10, 1300, 10))
        site[index] = ({b"list": [*members[:15], 5000 + index, *members[15:]], b"up": [1]}, INDEX)
    for member in range(1000, 1300):
        text = [5000 + member % 700, 1000 + (member * 7) % 300] if member % 3 else [5000 + member % 500]
        site[member] = ({b"up": [10 + member % 10], b"text": text}, CLASS)
    for news in range(5000, 7000):
        site[news] = ({b"next": [news + 1, news + 2], b"home": [1]}, NEWS)
    return site


@pytest.mark.parametrize("sample", [1000, 1123, 1299])
def test_a_class_is_found_by_lists_that_lead_elsewhere_as_well(sample: int) -> None:
    found, asked = search(manual(), sample)
    assert found == set(range(1000, 1300))
    assert len(asked) < 1.25 * len(found)


def test_a_search_is_more_patient_the_more_rarely_pages_of_the_class_come() -> None:
    """Each page of the class leads to the next by one of ten letters that are all alike."""
    site: Site = {1: ({b"start": [1000]}, INDEX)}
    for member in range(1000, 1012):
        letters = range(member * 100, member * 100 + 10)
        site[member] = ({b"letters": list(letters), b"home": [1]}, CLASS)
        for letter in letters:
            site[letter] = ({b"read": [member + 1 if letter == letters[7] else 1000], b"top": [1]}, NEWS)
    found, _ = search(site, 1000)
    assert found == set(range(1000, 1012))


def test_a_path_hardly_followed_is_tried_before_the_end() -> None:
    site = manual()
    site[1][0][b"more"] = [7000, 7001]
    site[7000] = site[7001] = ({b"home": [1]}, NEWS)
    site[19][0][b"more"] = [29]
    _, asked = search(site, 1000)
    assert 29 in asked


def shop(news: int) -> Site:
    """Five products, which the home page lists beside news."""
    site: Site = {1: ({b"shop": list(range(100, 105)), b"news": list(range(5000, 5000 + news))}, INDEX)}
    for product in range(100, 105):
        site[product] = ({b"up": [1], b"text": [5000 + product - 100]}, CLASS)
    for page in range(5000, 5000 + news):
        site[page] = ({b"next": [5000 + (page + 1) % news], b"home": [1]}, NEWS)
    return site


def test_a_search_for_few_pages_ends_the_sooner_the_fewer_addresses_are_known() -> None:
    found, small = search(shop(news=40), 100)
    assert found == set(range(100, 105))
    assert len(small) < 3 * len(found)
    found, large = search(shop(news=1000), 100)
    assert found == set(range(100, 105))
    assert len(small) < len(large) < 60


def test_a_search_that_finds_nothing_ends_soon() -> None:
    site = manual()
    site[99] = ({b"own": [5000], b"away": [1]}, [b"z"])
    found, asked = search(site, 99)
    assert found == {99}
    assert len(asked) < 150


def test_pages_that_cannot_be_had_stop_nothing() -> None:
    site = manual()
    for lost in (1013, 1023, 15):
        del site[lost]
    found, _ = search(site, 1003)
    assert {page for page in range(1000, 1300) if page % 10 != 5} - {1013, 1023} <= found


@pytest.mark.parametrize("links", [None, {}])
def test_a_sample_without_links_or_page_ends_the_search(links: Links | None) -> None:
    site: Site = {} if links is None else {10: (links, CLASS)}
    assert search(site, 10) == (set(), [10])


def test_the_search_is_the_same_each_time() -> None:
    assert search(manual(), 1003) == search(manual(), 1003)
