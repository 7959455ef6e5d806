from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.indesit.likeness import Features, Likeness

MENU = ["menu", "foot"]
TOOL = [*MENU, "tool", "price", "maker", "order"]
NEWS = [*MENU, "news", "date", "author"]


def clues(kinds: str) -> Features:
    """Returns clues to pages. Those with the same letter are linked to in the same way."""
    return Features(np.array([ord(kind) - ord("a") for kind in kinds]), np.arange(len(kinds)), 26)


def members(likeness: Likeness, *pages: list[str], kinds: str = "") -> list[bool]:
    for page in pages:
        likeness.add(page)
    return [bool(one) for one in likeness.members(clues(kinds or "a" * len(pages)))]


def test_the_threshold_stands_in_the_gap_between_two_groups() -> None:
    likeness = Likeness(1)
    tools = [TOOL, [*TOOL, "photo"], TOOL[:-1]]
    assert members(likeness, *tools, NEWS, [*NEWS, "tags"], NEWS[:-1]) == [True] * 3 + [False] * 3
    assert likeness.similarities[3:].max() < likeness.threshold <= likeness.similarities[:3].max()


def test_a_page_that_differs_from_the_sample_is_like_the_class() -> None:
    class_of = [TOOL, *(TOOL[:-1] for _ in range(6))]
    assert members(Likeness(1), *class_of, [*TOOL[:-1], "stock"], *[NEWS] * 4) == [True] * 8 + [False] * 4


def test_a_similarity_that_is_given_is_kept() -> None:
    likeness = Likeness(1, 0.9)
    assert members(likeness, TOOL, [*TOOL, "photo"], TOOL, NEWS) == [True, False, True, False]
    assert likeness.threshold == 0.9


def test_links_and_urls_decide_between_two_gaps() -> None:
    near = [*TOOL[:-1], "stock"]
    pages = [TOOL] * 3 + [near] * 3 + [NEWS] * 3
    assert sum(members(Likeness(1), *pages, kinds="aaabbbbbb")) == 3
    assert sum(members(Likeness(1), *pages, kinds="aaaaaabbb")) == 6


def test_pages_with_a_mark_of_the_sample_are_its_class_however_unlike_they_are() -> None:
    texts = [[f"{page}-{part}" for part in range(8)] for page in range(12)]
    sample = [*MENU, "entry", "name", "synopsis"]
    entries = [[*sample, *text[: 2 * (page % 5)]] for page, text in enumerate(texts)]
    chapters = [[*MENU, "chapter", "contents", *text[:3]] for text in texts]
    found = members(Likeness(1), sample, *entries, *chapters, kinds="a" * 13 + "b" * 12)
    assert found == [True] * 13 + [False] * 12


def test_a_class_within_a_class_is_the_one_if_structure_and_links_tell_it_apart() -> None:
    bar = [f"bar {part}" for part in range(9)]
    uses, trees = [[*bar, "use", "table"]] * 8, [[*bar, "tree", "list"]] * 8
    pages = [*uses, *trees, *[NEWS] * 40]
    assert sum(members(Likeness(1), *pages, kinds="a" * 8 + "b" * 8 + "c" * 40)) == 8


def test_pages_that_are_not_half_alike_leave_the_sample_alone() -> None:
    assert members(Likeness(1), TOOL, *[NEWS] * 6, *[MENU] * 3) == [True] + [False] * 9


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=12))
def test_the_sample_is_always_of_its_class(pages: list[list[str]]) -> None:
    likeness = Likeness(1)
    inside = members(likeness, ["a", "b"], *pages)
    assert inside[0]
    assert len(inside) == len(pages) + 1
    assert 0 <= likeness.threshold <= 1
