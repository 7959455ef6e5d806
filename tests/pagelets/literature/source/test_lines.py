from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.source.pieces import Lines, cut, normalised_lines, written_lines
from tests.pagelets.literature.source.pages import subject_of


def lines_of(lines: Lines, html: str) -> list[tuple[int, int]]:
    """Characters of text and of markup, line by line."""
    return list(zip(lines.sum(lines.size * lines.text), lines.sum(lines.size * ~lines.text), strict=True))


HTML = "<div><p>one <b>two</b>\n three</p>\n\n<p>four<br>five</div><p>six"


def test_lines_as_written_are_those_that_hold_something() -> None:
    assert lines_of(written_lines(subject_of(HTML).source), HTML) == [(7, 15), (6, 4), (11, 16)]


def test_normalised_lines_end_where_elements_do_that_are_no_part_of_a_line() -> None:
    lines = normalised_lines(subject_of(HTML).source)
    assert lines_of(lines, HTML) == [(0, 5), (13, 14), (4, 3), (4, 10), (3, 3)]
    other = HTML.replace("\n", " ").replace("><", ">\n<")
    assert lines_of(normalised_lines(subject_of(other).source), other)[0] == (0, 5)


def test_what_is_cut_is_a_text_and_no_tag() -> None:
    html = "<p>abcdefgh<b>ijk</b>l\nmn"
    lines = cut(written_lines(subject_of(html).source), 4)
    assert lines_of(lines, html) == [(1, 3), (4, 0), (3, 3), (2, 0), (1, 4), (1, 0), (2, 0)]


@given(st.lists(st.sampled_from(["<p>", "<b>", "</b>", "word", "\n", "<br>"]), max_size=30).map("".join),
       st.integers(1, 9))  # fmt: skip
def test_cutting_keeps_all_and_its_order(html: str, width: int) -> None:
    lines = written_lines(subject_of(html).source)
    shorter = cut(lines, width)
    assert np.array_equal(np.bincount(shorter.token, shorter.size), np.bincount(lines.token, lines.size))
    assert (np.diff(shorter.line) >= 0).all()
    assert set(shorter.line.tolist()) == set(range(len(set(shorter.line.tolist()))))
    assert (shorter.sum(shorter.size * shorter.text) <= width).all()
