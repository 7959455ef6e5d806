from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets import extract
from pagelets.document import ON_REQUEST
from pagelets.partition import Pagelet, partition
from pagelets.passages import WORDS, passages
from pagelets.reading import read
from pagelets.text.words import counts
from tests.pagelets.reading.test_reading import HTML, URL

PAGE = "<p>one two<p>three<p>four five six<p>seven<p>eight"


def cut(stops: list[int], mask: list[bool], least: int) -> list[str]:
    """The passages of a page of five blocks, whose pagelets end so."""
    pagelets = [Pagelet(start, stop, 0, False) for start, stop in zip([0, *stops], stops, strict=False)]
    return passages(read(PAGE, URL), pagelets, mask, least)


def test_short_pagelets_go_together_with_those_after_them() -> None:
    every = [True] * 5
    assert cut([1, 2, 3, 4, 5], every, 1) == ["one two", "three", "four five six", "seven", "eight"]
    assert cut([1, 2, 3, 4, 5], every, 3) == ["one two\nthree", "four five six\nseven\neight"]
    assert cut([2, 5], every, 3) == ["one two\nthree", "four five six\nseven\neight"]
    assert cut([1, 2, 3, 4, 5], every, 99) == ["one two\nthree\nfour five six\nseven\neight"]


def test_what_is_not_kept_is_in_no_passage() -> None:
    assert cut([1, 2, 3, 4, 5], [True, False, True, False, False], 1) == ["one two", "four five six"]
    assert cut([2, 5], [False, True, False, False, True], 1) == ["three", "eight"]
    assert cut([2, 5], [False] * 5, 1) == []


@given(html=HTML, data=st.data(), least=st.integers(1, 9))
@settings(deadline=None)
def test_each_kept_block_is_in_one_passage_and_few_are_short(
    html: str, data: st.DataObject, least: int
) -> None:
    page = read(html, URL)
    blocks = len(page.blocks)
    mask = data.draw(st.lists(st.booleans(), min_size=blocks, max_size=blocks))
    found = passages(page, partition(page), mask, least)
    kept = [block.text for block, keep in zip(page.blocks, mask, strict=True) if keep and block.text]
    assert "\n".join(found) == "\n".join(kept)
    assert len(found) < 2 or all(counts(found) >= least)


def test_a_document_has_passages_only_where_they_are_asked_for() -> None:
    text = " ".join(["word"] * WORDS)
    document = extract(f"<p>{text}<p>end", url=URL, format="document")
    assert not set(ON_REQUEST) & set(document)
