from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.indesit.likeness import LEAST_SIMILARITY, Likeness

MENU = ["menu", "foot"]
TOOL = [*MENU, "tool", "price", "maker", "order"]
NEWS = [*MENU, "news", "date", "author"]


def members(likeness: Likeness, *pages: list[str]) -> list[bool]:
    for page in pages:
        likeness.add(page)
    return [bool(one) for one in likeness.members(lambda inside: 1.0)]


def test_the_threshold_stands_in_the_gap_between_two_groups() -> None:
    likeness = Likeness(1)
    tools = [TOOL, [*TOOL, "photo"], TOOL[:-1]]
    assert members(likeness, *tools, NEWS, [*NEWS, "tags"], NEWS[:-1]) == [True] * 3 + [False] * 3
    assert 2 / 9 < likeness.threshold < 5 / 7


def test_a_page_that_differs_from_the_sample_is_like_the_class() -> None:
    class_of = [TOOL, *(TOOL[:-1] for _ in range(6))]
    assert members(Likeness(1), *class_of, [*TOOL[:-1], "stock"], *[NEWS] * 4) == [True] * 8 + [False] * 4


def test_a_similarity_that_is_given_is_kept() -> None:
    likeness = Likeness(1, 0.9)
    assert members(likeness, TOOL, [*TOOL, "photo"], TOOL, NEWS) == [True, False, True, False]
    assert likeness.threshold == 0.9


def test_links_and_urls_decide_between_two_gaps() -> None:
    likeness = Likeness(1)
    near = [*TOOL[:-1], "stock"]
    for page in [TOOL] * 3 + [near] * 3 + [NEWS] * 3:
        likeness.add(page)
    inside = likeness.members(lambda mask: 1.0 if mask.sum() == 3 else -1.0)
    assert inside.sum() == 3


def test_pages_that_are_not_half_alike_leave_the_sample_alone() -> None:
    assert members(Likeness(1), TOOL, *[NEWS] * 6, *[MENU] * 3) == [True] + [False] * 9


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=1, max_size=12))
def test_the_sample_is_always_of_its_class(pages: list[list[str]]) -> None:
    likeness = Likeness(1)
    inside = members(likeness, ["a", "b"], *pages)
    assert inside[0]
    assert len(inside) == len(pages) + 1
    assert likeness.threshold >= LEAST_SIMILARITY
