from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.source.pieces import MARKUP
from pagelets.methods import METHODS
from pagelets.methods.base import CONTENT, Verdict
from tests.pagelets.literature.source.pages import PAGE, SENTENCE, subject_of

NAMES = ["danag", "dana", "r2l", "cetr", "cetr-tm", "cetr-km", "ccb", "accb", "tccb", "dsc", "density", "bte"]
FOR_LATIN = [name for name in NAMES if name not in ("dana", "r2l")]


def checked(verdict: Verdict, blocks: int) -> Verdict:
    assert verdict.mask.shape == verdict.scores.shape == (blocks,)
    assert verdict.mask.dtype == bool
    assert ((verdict.scores >= 0) & (verdict.scores <= 1 + 1e-9)).all()
    reasons = verdict.reasons()
    assert [reason.name for reason in reasons] == [CONTENT if kept else MARKUP for kept in verdict.mask]
    return verdict


@pytest.mark.parametrize("name", FOR_LATIN)
def test_an_article_is_told_from_the_menus_around_it(name: str) -> None:
    subject = subject_of(PAGE)
    verdict = checked(METHODS[name]().judge(subject), len(subject.page.blocks))
    texts = [block.text for block in subject.page.blocks]
    assert all(kept for text, kept in zip(texts, verdict.mask, strict=True) if text.startswith(SENTENCE[:9]))
    menu = [kept for text, kept in zip(texts, verdict.mask, strict=True) if text.startswith("Item")]
    assert sum(menu) < len(menu) / 4


@pytest.mark.parametrize("name", NAMES)
def test_the_curve_is_what_the_verdict_is_made_of(name: str) -> None:
    method = METHODS[name]()
    subject = subject_of(PAGE)
    curve = method.curve(subject)
    assert curve.values.shape == curve.content.shape
    assert curve.values.dtype == float
    assert curve.along
    assert curve.label
    assert curve.content.any() == method.judge(subject).mask.any()
    if curve.threshold is not None:
        assert (curve.content == (curve.values >= curve.threshold)).all()


PARTS = st.sampled_from(
    ["<p>", "</p>", "<a href=/x>", "</a>", "<script>x<y</script>", "<!-- no -->", "<div hidden>", "</div>",
     "\n", "\n\n  ", "<pre>", "one two three", "&amp;", "שלום עולם", "面包和水", "a" * 99, "<", "\0"]
)  # fmt: skip


@given(st.lists(st.one_of(PARTS, st.text(max_size=8)), max_size=60).map("".join))
def test_whatever_a_page_is_it_gets_a_mask(html: str) -> None:
    subject = subject_of(html)
    for name in NAMES:
        method = METHODS[name]()
        checked(method.judge(subject), len(subject.page.blocks))
        curve = method.curve(subject)
        assert len(curve.values) == len(curve.content)


HOSTILE = {
    "no line breaks": f"<ul>{'<li><a href=/>a</a> b' * 5_000}",
    "right to left": "<p>שלום עולם\n" * 5_000,
    "lines": "<p>a b c\n" * 10_000,
    "one long line among short ones": f"<p>{'a ' * 100_000}" + "\n<p>a" * 5_000,
    "empty elements": "<div></div>" * 10_000,
    "a single text": "Bread",
    "no text": "<p></p>",
    "empty": "",
}


def test_hostile_pages_are_judged() -> None:
    for page in HOSTILE.values():
        subject = subject_of(page)
        for name in NAMES:
            checked(METHODS[name]().judge(subject), len(subject.page.blocks))


@pytest.mark.parametrize("name", FOR_LATIN)
def test_a_page_of_one_text_is_content(name: str) -> None:
    assert METHODS[name]().judge(subject_of(SENTENCE * 20)).mask.tolist() == [True]


def test_a_block_without_text_is_none() -> None:
    subject = subject_of(f"<p>{SENTENCE}</p><p><img src=x.png></p>")
    verdict = METHODS["bte"]().judge(subject)
    assert verdict.mask.tolist() == [True, False]
    assert np.array_equal(verdict.scores, [1, 0])
