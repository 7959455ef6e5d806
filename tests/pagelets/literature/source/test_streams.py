"""The methods that judge along words and tags: BTE, DSC, and the three of content code blurring."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.source.ccb import CCBMethod
from pagelets.literature.source.dsc import BTEMethod, DSCMethod
from pagelets.literature.source.pieces import words_of
from tests.pagelets.literature.source.pages import PAGE, SENTENCE, subject_of


def test_words_and_tags_are_counted_but_scripts() -> None:
    stream = words_of(
        subject_of("<p>one two</p><script>a b</script><!-- c --><i>three</i>\n面包 <b></b>").source
    )
    assert stream.text.tolist() == [False, True, False, False, True, False, True, False, False]
    assert np.diff(stream.edges).tolist() == [1, 2, 1, 1, 1, 1, 2, 1, 1]


def test_bte_maximises_tags_outside_and_words_inside() -> None:
    html = "<ul><li>a<li>b</ul><p>one two three</p><p>four five six</p><ul><li>c</ul>"
    curve = BTEMethod().curve(subject_of(html))
    assert curve.values.tolist() == [-1, -2, -1, -2, -1, -2, -3, 0, -1, -2, 1, 0, -1, -2, -1, -2]
    assert curve.content.nonzero()[0].tolist() == [7, 8, 9, 10]


@given(st.lists(st.one_of(st.just("<b>"), st.integers(1, 3)), max_size=12))
def test_bte_finds_the_best_of_all_spans(parts: list[str | int]) -> None:
    html = "<p>" + "".join(part if isinstance(part, str) else "a " * part + "<i>" for part in parts) + "b"
    curve = BTEMethod().curve(subject_of(html))
    steps = np.diff(np.append(0, curve.values))
    best = max(steps[i : j + 1].sum() for i in range(len(steps)) for j in range(i, len(steps)))
    assert steps[curve.content].sum() == best
    assert len(np.flatnonzero(np.diff(curve.content.astype(int), prepend=0, append=0))) == 2


def test_dsc_keeps_sections_of_low_slope() -> None:
    """100 tags, 200 words, 100 tags: the mean slope is a half; windows of 10 tokens move by 5."""
    html = "<i>" * 100 + "word " * 200 + "<b>" * 100
    curve = DSCMethod(window=10, advanced=False).curve(subject_of(html))
    assert curve.values.tolist() == [*range(1, 101), *[100] * 200, *range(101, 201)]
    assert curve.content.nonzero()[0].tolist() == list(range(100, 295))


def test_a_section_takes_three_low_windows_in_a_row() -> None:
    html = "<i>" * 100 + "word " * 20 + "<b>" * 100
    assert DSCMethod(window=10, run=3, advanced=False).curve(subject_of(html)).content.sum() == 15
    assert not DSCMethod(window=10, run=4, advanced=False).curve(subject_of(html)).content.any()


def test_the_advanced_form_moves_token_by_token() -> None:
    html = "<i>" * 100 + "word " * 200 + "<b>" * 100
    curve = DSCMethod(window=10, advanced=True).curve(subject_of(html))
    assert curve.content.nonzero()[0].tolist() == list(range(103, 298))
    assert not DSCMethod(window=10, advanced=True, ratio=9).curve(subject_of("<i><b>a" * 100)).content.any()


def test_ccb_blurs_until_nothing_changes_much() -> None:
    html = f"<p class='{'c' * 600}'>{SENTENCE * 10}<b class='{'c' * 600}'>"
    curve = CCBMethod().curve(subject_of(html))
    assert curve.threshold == 0.75
    assert curve.values.max() > 0.99
    assert curve.values.min() < 0.01
    assert (np.abs(np.diff(curve.values)) < 0.2).all()
    smoother = CCBMethod(stable=0.001).curve(subject_of(html))
    assert np.abs(np.diff(smoother.values)).max() < np.abs(np.diff(curve.values)).max()


def test_cells_change_hardly_anything() -> None:
    fine, coarse = (CCBMethod(radius=radius).curve(subject_of(PAGE)) for radius in (11, 12))
    assert fine.along == "1 characters each"
    assert coarse.along == "2 characters each"
    assert abs(fine.content.mean() - coarse.content.mean()) < 0.05


def test_accb_does_not_see_links() -> None:
    words = " ".join(f"<a href='/wiki/{word}'>{word}</a>" for word in SENTENCE.split())
    subject = subject_of(f"<ul><li>a<li>b</ul><p>{words * 5}</p>")
    assert not CCBMethod().judge(subject).mask[-1]
    assert CCBMethod(adapted=True).judge(subject).mask[-1]


def test_tccb_counts_a_long_tag_as_one_word() -> None:
    html = f"<ul><li>a<li>b</ul><p class='{'c' * 2000}'>{SENTENCE}<b class='{'c' * 2000}'>{SENTENCE}</b></p>"
    assert not CCBMethod().judge(subject_of(html)).mask[-1]
    assert CCBMethod(tokens=True, radius=10).judge(subject_of(html)).mask[-1]
