from __future__ import annotations

import pytest

from pagelets.literature.site.content_extractor import OUTWEIGHED, FeatureExtractorMethod
from pagelets.methods.base import CONTENT
from tests.hosts import subject

MENU = "<ul><li><a href=/1>One</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>"
TEXT = "<p>Nine words of running text, with <a href=/>a link</a> inside.</p>"


def test_text_has_to_outweigh_each_other_feature() -> None:
    verdict = FeatureExtractorMethod().judge(subject(f"<div>{MENU}{TEXT}</div>"))
    assert verdict.mask.tolist() == [False, False, False, True]
    assert [reason.name for reason in verdict.reasons()] == [OUTWEIGHED] * 3 + [CONTENT]
    # The menu has 3 of 3 links and 3 of 9 words, the paragraph 1 of 3 links and all words.
    assert verdict.scores.tolist() == pytest.approx([0.25] * 3 + [0.75])


def test_features_are_counted_where_they_are_nearest() -> None:
    # The images are the outer block's, not the paragraph's; the outer block has no text.
    page = f"<div><img src=1><img src=2>{TEXT}<img src=3>caption</div>"
    assert FeatureExtractorMethod().judge(subject(page)).mask.tolist()[-2:] == [True, False]


@pytest.mark.parametrize("page", ["", "<p>Only text.", "<div>1</div>"])
def test_a_page_without_other_features_is_kept(page: str) -> None:
    assert FeatureExtractorMethod().judge(subject(page)).mask.all()
