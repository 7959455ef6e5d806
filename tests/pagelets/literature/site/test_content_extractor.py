from __future__ import annotations

import pytest

from pagelets.literature.site.content_extractor import ContentExtractorMethod
from pagelets.methods.base import CONTENT, REPEATED, Method
from tests.hosts import Host, subject

WORDS = [f"word{number}" for number in range(20)]
FOOTER = f"<div>{' '.join(WORDS)}</div>"


def learned(*pages: str, **parameters: object) -> Method:
    method = ContentExtractorMethod(**parameters)  # type: ignore[arg-type]
    return method.learned(method.learn(Host(*pages)))


def kept(method: Method, page: str) -> list[bool]:
    return list(method.judge(subject(page)).mask.tolist())


def test_a_block_of_two_pages_is_redundant_and_one_of_a_single_page_is_content() -> None:
    method = learned(f"<p>first{FOOTER}", f"<p>second{FOOTER}", "<p>third")
    verdict = method.judge(subject(f"<p>first{FOOTER}"))
    assert verdict.mask.tolist() == [True, False]
    # Its inverse block document frequency is 1 / 3.
    assert verdict.scores.tolist() == pytest.approx([1, 2 / 3])
    assert [reason.name for reason in verdict.reasons()] == [CONTENT, REPEATED]


def test_a_lower_ibdf_asks_for_more_pages() -> None:
    pages = [f"<p>{name}{FOOTER}" for name in ("first", "second", "third")]
    assert kept(learned(*pages[:2], ibdf=1 / 3), pages[0]) == [True, True]
    assert kept(learned(*pages, ibdf=1 / 3), pages[0]) == [True, False]


@pytest.mark.parametrize(("others", "similar"), [(1, True), (2, False), (5, False)])
def test_similar_is_what_has_a_cosine_above_the_threshold(others: int, similar: bool) -> None:
    # Of 20 words 19 are shared: 19 / sqrt(20 * 20) = 0.95; 18 make 0.9, which is not above.
    other = [*WORDS[others:], *(f"other{number}" for number in range(others))]
    method = learned(f"<p>first{FOOTER}", f"<p>second{FOOTER}")
    assert kept(method, f"<div>{' '.join(other)}</div>") == [not similar]
    method = learned(f"<p>first{FOOTER}", f"<div>{' '.join(other)}</div>")
    assert kept(method, FOOTER) == [not similar]


def test_one_page_s_own_repetition_is_no_redundancy() -> None:
    assert kept(learned(FOOTER + FOOTER), FOOTER) == [True]


def test_blocks_are_those_of_the_smallest_element_with_one_of_the_tags() -> None:
    rows = "<tr><td>{}<td>{}"
    pages = [
        f"<table>{rows.format('menu', 'menu')}{rows.format(text, text)}</table>" for text in ("one", "two")
    ]
    assert kept(learned(*pages), pages[0]) == [False, False, True, True]
    assert kept(learned(*pages, tags=("table",)), pages[0]) == [True] * 4


def test_equal_pages_give_equal_bytes_and_a_bounded_model() -> None:
    method = ContentExtractorMethod(most=2)
    pages = [f"<p>a{FOOTER}<p>menu<p>contact", f"<p>b{FOOTER}<p>menu<p>contact"]
    model = method.learn(Host(*pages))
    assert model == method.learn(Host(*pages))
    assert int.from_bytes(model[:4], "little") == 2


@pytest.mark.parametrize("pages", [(), ("",), (FOOTER,), ("<p>one two", "<p>three four")])
def test_of_few_pages_or_such_as_share_nothing_all_is_content(pages: tuple[str, ...]) -> None:
    assert kept(learned(*pages), f"<p>one two{FOOTER}") == [True, True]
    assert kept(learned(*pages), "") == []
