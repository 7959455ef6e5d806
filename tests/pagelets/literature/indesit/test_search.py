from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from pagelets.literature.indesit.search import LinkedPage, Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MENU = {b"menu": [1, 2, 3]}
"""On every page: home, news, about."""


class Site:
    """Pages by number: their link collections. What is not there cannot be had."""

    def __init__(self) -> None:
        self.pages: dict[int, dict[bytes, list[int]]] = {}
        self.moved: dict[int, int] = {}

    def put(self, address: int, **collections: Iterable[int]) -> None:
        own = {name.encode(): list(links) for name, links in collections.items()}
        self.pages[address] = {**MENU, **own}

    def page(self, address: int) -> LinkedPage | None:
        address = self.moved.get(address, address)
        return LinkedPage(address, self.pages[address]) if address in self.pages else None

    def shuffled(self, seed: int) -> Site:
        random, other = Random(seed), Site()
        other.moved = self.moved
        for address, collections in self.pages.items():
            items = [(path, random.sample(links, len(links))) for path, links in collections.items()]
            other.pages[address] = dict(random.sample(items, len(items)))
        return other


def search(site: Site, sample: int, **options: float) -> tuple[set[int], list[int]]:
    """The pages that were found, and those that were asked for."""
    found = Search(sample, **options)
    asked: list[int] = []
    run = found.run()
    answers: Mapping[int, LinkedPage | None] | None = None
    try:
        while True:
            wanted = run.send(answers)  # type: ignore[arg-type]
            assert wanted and not set(wanted) & set(asked) and len(set(wanted)) == len(wanted)
            asked += wanted
            answers = {address: site.page(address) for address in wanted}
    except StopIteration:
        return {page.address for page in found.found()}, asked


PLAYERS = range(1000, 1100)
TEAMS = range(100, 110)
NEWS = range(5000, 5500)


def cup() -> Site:
    """A site of players, teams and news: teams list their players, a page lists the teams, the news are many
    and lead to news.
    """
    site = Site()
    for address in (1, 3):
        site.put(address, banner=[1, 3])
    site.put(2, headlines=NEWS)
    site.put(4, table=TEAMS)
    for team in TEAMS:
        squad = [player for player in PLAYERS if player % 10 == team % 10]
        site.put(team, squad=squad, all_teams=[4], latest=[NEWS[team % 7]])
    for player in PLAYERS:
        site.put(player, team=[100 + player % 10], portrait=[], latest=[NEWS[player % 11]])
    for news in NEWS:
        site.put(news, next=[news + 1], named=[PLAYERS[news % 100]], pictures=[news + 10_000], more=[2])
    return site


def test_all_pages_of_the_class_are_found_by_index_pages_with_few_others() -> None:
    found, asked = search(cup(), 1003)
    assert found == set(PLAYERS)
    # Ten teams and the page that lists them lead there; the news are looked at, and left.
    assert len(asked) < 1.6 * len(PLAYERS)
    assert set(TEAMS) <= set(asked)
    assert len(set(asked) & set(NEWS)) < 30


def test_a_small_class_is_found_with_few_downloads() -> None:
    found, asked = search(cup(), 104)
    assert found == set(TEAMS)
    assert len(asked) < 60


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_links_makes_no_difference(seed: int) -> None:
    found, _ = search(cup().shuffled(seed), 1003)
    assert found == set(PLAYERS)


def test_of_links_that_lead_to_one_cluster_a_few_are_followed() -> None:
    site = Site()
    site.put(10, related=range(100, 200))
    for address in range(100, 200):
        site.put(address, other=[], quite=[])
    found, asked = search(site, 10)
    assert found == {10}
    assert sorted(address for address in asked if address >= 100) == [100, 101, 102, 103]


def test_pages_of_the_class_may_lead_to_each_other() -> None:
    site = Site()
    for address in range(100, 400):
        site.put(address, next=[address + 1], unlike=[], any=[])
    found, asked = search(site, 100)
    assert found == set(range(100, 400))
    assert len(asked) < 310


def test_what_leads_elsewhere_is_no_way_back() -> None:
    site = Site()
    site.put(10, lists=[20])
    site.put(20, mixed=[10, 30, 11, *range(40, 80)], a=[], b=[], c=[])
    site.put(11, lists=[20])
    site.put(30, d=[], e=[], f=[], g=[])
    found, asked = search(site, 10)
    # The paper's rule: one link to another kind scores 0, and no more of them are downloaded.
    assert not set(asked) & set(range(44, 80))
    assert found <= {10, 11}


def test_pages_that_cannot_be_had_stop_nothing() -> None:
    site = cup()
    for address in (1013, 1023, 105):
        del site.pages[address]
    found, _ = search(site, 1003)
    assert found >= {player for player in PLAYERS if player % 10 != 5} - {1013, 1023}


def test_two_addresses_of_one_page_are_one_page() -> None:
    site = cup()
    site.moved = {5_000 + player: player for player in PLAYERS}
    site.pages[104][b"squad"] = [5_000 + player for player in PLAYERS if player % 10 == 4]
    found, _ = search(site, 1003)
    assert found == set(PLAYERS)


def test_similar_is_what_shares_enough_paths() -> None:
    site = Site()
    paths = {f"p{i}": [] for i in range(9)}
    site.put(10, **paths, list=[20])
    site.put(20, list=[10, 11])
    site.put(11, **paths)
    # 10 of 11 paths, and of nothing else.
    assert search(site, 10)[0] == {10, 11}
    assert search(site, 10, similarity=0.95)[0] == {10}


@pytest.mark.parametrize("page", [None, {}])
def test_a_sample_without_links_or_page_ends_the_search(page: dict[bytes, list[int]] | None) -> None:
    site = Site()
    if page is not None:
        site.pages[10] = page
    found, asked = search(site, 10)
    assert (found, asked) == (set(), [10])


def test_a_page_that_is_alone_in_its_class_is_found_alone() -> None:
    site = cup()
    assert search(site, 4)[0] == {4}


def test_sites_without_order_come_to_an_end() -> None:
    random, site = Random(7), Site()
    for address in range(1, 200):
        site.pages[address] = {
            b"%d" % random.randrange(12): random.sample(range(1, 200), 5) for _ in range(random.randrange(6))
        }
    for sample in range(1, 200, 20):
        found, asked = search(site, sample)
        assert found <= set(asked)


def test_the_search_is_the_same_each_time() -> None:
    assert search(cup(), 1003) == search(cup(), 1003)


def test_a_site_whose_pages_are_all_different_is_searched_in_linear_time() -> None:
    """Nothing is timed: where each page is compared with all others it takes far longer."""
    site = Site()
    site.pages[0] = {number.to_bytes(4, "big"): [number] for number in range(1, 5_000)}
    for number in range(1, 5_000):
        site.pages[number] = {b"own %d" % number: [0], b"back": [0]}
    found, asked = search(site, 0)
    assert (found, len(asked)) == ({0}, 5_000)
