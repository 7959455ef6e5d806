"""Detection alone decides: what is template or repeated goes."""

from __future__ import annotations

import pytest

from pagelets.judging.page_facts import PageFacts
from pagelets.methods.base import CONTENT, REPEATED, TEMPLATE, Subject
from pagelets.methods.templates import TemplatesMethod
from pagelets.partition import partition
from pagelets.reading import read

HTML = """<nav><a href=/a>One</a><a href=/b>Two</a><a href=/c>Three</a></nav><p>Words of the page</p>
<p>Said by all</p><p><img src=x></p>"""


@pytest.mark.parametrize(("blocks", "third"), [(True, REPEATED), (False, CONTENT)])
def test_template_pagelets_go_and_repeated_blocks_where_they_count(blocks, third):
    page = read(HTML, "https://example.org/")
    pagelets = partition(page, 3)
    evidence = PageFacts.none(len(pagelets), len(page.blocks))
    evidence.templates = [7, *evidence.templates[1:]]
    # The support of a text alone removes nothing, nor is a template's block repeated.
    evidence.blocks.pages[:] = 9
    evidence.repeated = [True, False, True, False]
    verdict = TemplatesMethod(blocks=blocks).judge(Subject(page, pagelets, evidence))
    assert [reason.name for reason in verdict.reasons()] == [TEMPLATE, CONTENT, third, CONTENT]
    assert verdict.mask.tolist() == [False, True, third == CONTENT, True]


def test_of_a_page_without_evidence_everything_stays():
    page = read(HTML, "https://example.org/")
    pagelets = partition(page, 3)
    for evidence in (None, PageFacts.none(len(pagelets), len(page.blocks))):
        verdict = TemplatesMethod().judge(Subject(page, pagelets, evidence))
        assert verdict.mask.tolist() == [True] * 4
