from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.document import judge
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods import METHODS
from pagelets.methods.base import Subject, Verdict
from pagelets.methods.judged import method as judged
from pagelets.methods.judged.model import GROUPS
from pagelets.methods.templates import TemplatesMethod
from pagelets.partition import partition
from pagelets.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

SENTENCE = "They sit close together, eat what they stored in summer, and wait for the first warm day. "
ARTICLE = f"""<title>Bees in winter - The Hive</title><body>
<header class="site-header"><nav class="menu"><ul><li><a href="/">Home</a></li><li><a
href="/news">News</a></li> <li><a href="/shop">Shop</a></li><li><a href="/about">About
us</a></li></ul></nav></header> <main><article class="post"><h1>Bees in winter</h1><p>{SENTENCE * 4}</p><p>{
    SENTENCE * 3
}</p><p>{SENTENCE * 5}</p> </article></main><footer class="site-footer"><p>© 2026 The
Hive. <a href="/imprint">Imprint</a> <a href="/privacy"> Privacy</a></p><ul class="social"><li><a
href="https://a.example/">Follow us</a></li></ul></footer>
"""
TAGS = [
    "p",
    "div class=menu",
    "ul",
    "li",
    "h1",
    "h2",
    "a href='/x'",
    "table",
    "td",
    "nav",
    "footer",
    "article class=a",
]


def built(html: str = ARTICLE) -> Page:
    return read(html, "https://hive.example/news/bees")


def known(page: Page, repeated: set[int], pages: int = 40) -> PageFacts:
    """The evidence of a site that has the repeated blocks on all of its pages, and the others on one."""
    count, pagelets = len(page.blocks), partition(page)
    marked = np.array([place in repeated for place in range(count)])
    support = BlockSupport.none(count)
    for of_pages in (support.pages, support.placed_pages, support.tag_path_pages):
        of_pages[marked] = pages
    for shares in (support.shares, support.placed_shares, support.tag_path_shares):
        shares[marked] = 1
    support.tag_path_frequencies[:] = np.where(marked, pages, 1)
    support.tag_path_singletons[:] = ~marked
    templates = [int(all(marked[part.start : part.stop])) for part in pagelets]
    return PageFacts(
        templates,
        [pages * found for found in templates],
        [float(found) for found in templates],
        support,
        marked.tolist(),
        pages,
    )


def unknown(page: Page) -> PageFacts:
    return PageFacts.none(len(partition(page)), len(page.blocks))


def judged_by(page: Page, evidence: PageFacts | None) -> Verdict:
    return METHODS["judged"]().judge(Subject(page, partition(page), evidence))


def texts(page: Page, mask: Sequence[bool]) -> list[str]:
    return [block.text for block, keep in zip(page.blocks, mask, strict=True) if keep]


def test_a_single_page_is_judged_by_its_looks() -> None:
    page = built()
    kept = texts(page, judged_by(page, unknown(page)).mask)
    assert [text[:9] for text in kept] == ["Bees in w", "They sit ", "They sit ", "They sit "]


def test_what_the_site_repeats_is_less_likely_content() -> None:
    page = built()
    (place, *_) = [place for place, block in enumerate(page.blocks) if block.text.startswith("They")]
    menu = {place for place, block in enumerate(page.blocks) if len(block.text) < 20}
    fresh = judged_by(page, known(page, menu)).scores
    repeated = judged_by(page, known(page, {*menu, place})).scores
    assert repeated[place] < fresh[place]


def test_every_block_has_a_reason_and_weighed_evidence() -> None:
    page = built()
    menu = {place for place, block in enumerate(page.blocks) if len(block.text) < 20}
    verdict = judged_by(page, known(page, menu))
    reasons = verdict.reasons()
    assert len(reasons) == len(page.blocks)
    for reason, keep in zip(reasons, verdict.mask, strict=True):
        assert (reason.name == "content") == keep
        assert reason.name in {"content", "template", "repeated", "looks", "neighbours"}
        assert tuple(reason.weights) == GROUPS
    assert {"template", "repeated"} & {reason.name for reason in reasons}


def test_without_a_site_its_support_says_the_same_of_every_block() -> None:
    page = built()
    verdict = judged_by(page, unknown(page))
    assert all(
        reason.name not in ("template", "repeated") or reason.weights["support"] < 0
        for reason in verdict.reasons()
    )


def test_further_documents_on_a_page_go() -> None:
    def article(heading: str) -> str:
        return f"<article class=post><h1>{heading}</h1><p>{SENTENCE * 4}</p><p>{SENTENCE * 4}</p></article>"

    page = built(
        f"<title>Bees in winter</title><body><main>{article('Bees in winter')}{article('A new queen')}</main>"
    )
    verdict = judged_by(page, unknown(page))
    kept = texts(page, verdict.mask)
    assert "Bees in winter" in kept
    assert "A new queen" not in kept
    assert [reason.name for reason in verdict.reasons()][-1] == "another document"


def test_what_a_form_offers_goes_and_what_a_page_alone_says_twice() -> None:
    controls = "<form><fieldset><legend>Hives</legend><select><option>All<option>Log hive</select></fieldset>"
    html = ARTICLE.replace("</article>", f"<p>{SENTENCE * 4}</p>{controls}</form></article>")
    page = built(html)
    verdict = judged_by(page, unknown(page))
    kept = texts(page, verdict.mask)
    assert [text.count("They sit") for text in kept] == [0, 4, 3, 5]
    names = {block.text: reason.name for block, reason in zip(page.blocks, verdict.reasons(), strict=True)}
    assert names["Hives"] == names["All"] == names["Log hive"] == "form control"
    assert names[kept[1]] == "said before"
    on_a_site = judged_by(page, known(page, set()))
    assert texts(page, on_a_site.mask).count(kept[1]) == 2


def test_a_stub_keeps_what_is_likeliest_and_says_so() -> None:
    page = built("<nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>")
    verdict = judged_by(page, unknown(page))
    assert max(verdict.scores) < 0.5
    assert {reason.name for reason in verdict.reasons()} >= {"likeliest here"}
    assert "content" not in {reason.name for reason in verdict.reasons()}


def test_a_stub_of_a_known_site_keeps_what_is_in_no_template() -> None:
    menu = "".join(f"<li><a href=/{name}>{name}</a>" for name in "News Shop Team Jobs Blog Help".split())
    page = built(f"<nav class=menu><ul>{menu}</ul></nav><div><h1>Kettles</h1></div><footer>© A shop</footer>")
    repeated = {place for place, block in enumerate(page.blocks) if block.text != "Kettles"}
    assert texts(page, judged_by(page, known(page, repeated)).mask) == ["Kettles"]
    assert any(judged_by(page, known(page, set(range(len(page.blocks))))).mask)


@pytest.mark.parametrize(
    "html", ["", "<p></p>", "<img src=x>", "<a href=/x></a>", "<p>…", "<nav><a href=/>Home</a></nav>"]
)
def test_a_page_with_little_is_not_emptied(html: str) -> None:
    page = built(html)
    found = judge(Subject(page, partition(page)), METHODS["judged"]())
    assert len(found.mask) == len(page.blocks) == len(found.reasons())
    if any(block.text for block in page.blocks):
        assert any(texts(page, found.mask))


def test_a_page_of_very_many_blocks_is_judged_by_detection_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    page = built()
    evidence = known(page, {0, 1})
    by_detection = TemplatesMethod().judge(Subject(page, partition(page), evidence))
    assert judged_by(page, evidence).mask.tolist() != by_detection.mask.tolist()
    monkeypatch.setattr(judged, "MOST_BLOCKS", len(page.blocks) - 1)
    assert judged_by(page, evidence).mask.tolist() == by_detection.mask.tolist()


@given(st.lists(st.one_of(st.sampled_from(TAGS), st.text(max_size=30)), max_size=40))
def test_every_page_is_judged_and_always_alike(parts: list[str]) -> None:
    html = "".join(f"<{part}>" if part in TAGS else part for part in parts)
    page = built(html)
    evidence = PageFacts.none(len(partition(page)), len(page.blocks))
    verdict, again = (judged_by(page, evidence) for _ in range(2))
    assert verdict.mask.tolist() == again.mask.tolist()
    assert list(verdict.scores) == list(again.scores)
    assert len(verdict.mask) == len(verdict.scores) == len(verdict.reasons()) == len(page.blocks)
    assert all(0 <= score <= 1 for score in verdict.scores)
