from __future__ import annotations

import numpy as np
import pytest

from pagelets.literature.indesit.clues import Clues, url_pattern
from pagelets.literature.indesit.search import LinkedPage


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.example/tool/1.html", "http://a.example/tool/22.html", True),
        ("http://a.example/show?id=1", "http://a.example/show?id=2", True),
        ("http://a.example/tool/1.html", "http://a.example/news/1.html", False),
        ("http://a.example/sql-a.html", "http://a.example/app-a.html", False),
    ],
)
def test_urls_of_a_kind_have_one_pattern(one: str, other: str, same: bool) -> None:
    assert (set(url_pattern(one)) == set(url_pattern(other))) is same


def test_patterns_are_of_bounded_size() -> None:
    assert len(list(url_pattern("http://a.example" + "/a" * 5000 + "?" + "b&" * 5000))) < 100


def bar(number: int) -> LinkedPage:
    """A page whose bar has two links at one path: its use, and its tree."""
    return LinkedPage(number, {b"bar": {1000 + number: "Use", 2000 + number: "Tree"}})


def test_a_recurrent_anchor_tells_two_links_at_one_path_apart() -> None:
    clues = Clues(lambda number: "http://a.example/")
    for number in range(40):
        clues.add(number)
        clues.add_links(bar(number))
    fetched = [*range(1004, 1020), *range(2004, 2020)]
    clues.learn(fetched, np.array([1.0] * 16 + [0.0] * 16))
    use, tree = clues.promises([1030, 2030])
    assert use > 0.7 > 0.3 > tree


def test_a_url_pattern_promises_what_its_pages_were_worth() -> None:
    folders = ("tool", "news")
    clues = Clues(lambda number: f"http://a.example/{folders[number % 2]}/{number}")
    for number in range(40):
        clues.add(number)
    clues.learn(range(20), np.array([1.0, 0.0] * 10))
    tool, news = clues.promises([30, 31])
    assert tool > 0.7 > 0.3 > news
