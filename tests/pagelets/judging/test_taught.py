from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.document import Origin
from pagelets.judging.config import JudgeConfig
from pagelets.judging.engine import Judge
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.judging.taught import BANDS, Taught, TaughtSelector, WrongTaught
from pagelets.methods.base import Subject
from pagelets.partition import partition
from pagelets.reading import read

if TYPE_CHECKING:
    from pagelets.page import Page

URL = "https://example.org/"
HTML = """<body class="home"><div id=content><article><p class="note small">one</p><p>two</p></article></div>
<div class="box related"><ul><li>three</li></ul><article><div><p class=note>four</p></div></article></div>"""


def page_of(html: str = HTML) -> Page:
    return read(html, URL)


def facts_of(page: Page, shares: list[float]) -> PageFacts:
    support = BlockSupport.none(len(page.blocks))
    support.shares[:] = shares
    return replace_pages(PageFacts.none(len(partition(page)), len(page.blocks)), support)


def replace_pages(facts: PageFacts, support: BlockSupport) -> PageFacts:
    return replace(facts, blocks=support, pages=100)


def matched(selector: str, page: Page, facts: PageFacts) -> str:
    hits = Taught({selector: 1.0}).hits(Subject(page, partition(page)).containers, facts, page.blocks)[0]
    return " ".join(block.text for block, hit in zip(page.blocks, hits, strict=True) if hit)


def test_a_selector_matches_the_blocks_that_lie_in_what_it_names() -> None:
    page = page_of()
    facts = facts_of(page, [0.0, 0.1, 0.3, 0.9])
    for selector, texts in {
        ".related": "three four",
        "#content": "one two",
        "div#content": "one two",
        "ul#content": "",
        "p": "one two four",
        ".note.small": "one",
        "article > p": "one two",
        "article>p.note": "one",
        "article p.note": "one four",
        "#content > p": "",
        "body > .box li": "three",
        "*": "one two three four",
        "body.home": "one two three four",
        "* @rare": "one",
        "p @some": "two",
        "div @many": "three",
        "* > article @most": "four",
        '* @"t"': "two three",
        'p @"two"': "two",
        'p @" two x"': "",
        ".absent": "",
        "html > html": "",
    }.items():
        assert matched(selector, page, facts) == texts, selector
    unknown = PageFacts.none(len(partition(page)), len(page.blocks))
    assert all(matched(f"* @{band}", page, unknown) == "" for band in BANDS)


def test_what_is_no_selector_or_weight_is_refused() -> None:
    for wrong in (
        "",
        " ",
        "> p",
        "p >",
        "p > > a",
        "a, b",
        "p:first-child",
        "[x]",
        "p @seldom",
        'p @""',
        'p @"x',
        'p @rare @"x"',
        ".",
        "p" * 1001,
    ):
        with pytest.raises(WrongTaught):
            TaughtSelector.parse(wrong)
    for weight in (float("nan"), float("inf"), 21.0):
        with pytest.raises(WrongTaught):
            Taught({"p": weight})


names = st.sampled_from(["p", "div", ".note", ".box", "#content", "li", "article", "*"])
selectors = st.builds(
    lambda parts, joint, band: joint.join(parts) + band,
    st.lists(names, min_size=1, max_size=3),
    st.sampled_from([" > ", " "]),
    st.sampled_from(["", ' @"t"', *(f" @{band}" for band in BANDS)]),
)
elements = st.recursive(
    st.sampled_from(["one", "<p class=note>two</p>", "<li>three", "<p id=content>four</p>"]),
    lambda inner: st.builds(
        lambda tag, name, parts: f"<{tag} class={name}>{' '.join(parts)}</{tag}>",
        st.sampled_from(["div", "article", "ul"]),
        st.sampled_from(["box", "note", "x1"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@given(elements, st.dictionaries(selectors, st.floats(-5, 5), max_size=5))
def test_no_weight_that_matches_changes_nothing(html: str, weights: dict[str, float]) -> None:
    page = page_of(html)
    containers = Subject(page, partition(page)).containers
    facts = facts_of(page, [0.0] * len(page.blocks))
    taught = Taught(weights)
    hits = taught.hits(containers, facts, page.blocks)
    likely = np.linspace(0.01, 0.99, len(page.blocks))
    after = taught.likely(likely, hits)
    free = ~hits.any(axis=0)
    assert (after[free] == likely[free]).all()
    assert ((after > 0) & (after < 1)).all()
    if not weights:
        assert after is likely
    both = Taught(dict(reversed(weights.items())))
    assert (both.likely(likely, both.hits(containers, facts, page.blocks)) == after).all()


def test_weights_are_part_of_the_fingerprint_where_there_are_some() -> None:
    plain = JudgeConfig()
    assert "taught" not in plain.fingerprint
    assert replace(plain, taught={}).fingerprint == plain.fingerprint
    one, other = ({".a": 1.0, ".b": 2}, {".b": 2.0, ".a": 1})
    fingerprint = replace(plain, taught=one).fingerprint
    assert fingerprint == replace(plain, taught=other).fingerprint != plain.fingerprint
    assert replace(plain, taught={".a": 1.0}).fingerprint != fingerprint


def test_a_page_is_judged_by_weights_and_says_so() -> None:
    text = "A long enough line of prose that nobody would take for a menu, or so it seems to all. "
    html = f"<body><article><h1>Title</h1><p>{text * 3}</p></article><div class=extra><p>{text * 2}</p></div>"
    page = page_of(html)

    def judged(weights: dict[str, float]) -> tuple[list[bool], list[str], dict[str, float]]:
        judge = Judge(JudgeConfig(taught=weights))
        selection = judge.judge(judge.subject(page), 0, Origin("", 200, "")).selection
        reasons = selection.reasons()
        return selection.mask, [one.name for one in reasons], reasons[-1].weights

    assert judged({})[0] == judged({".absent": -9.0})[0] == [True] * 3
    assert judged({})[2].keys() == judged({".absent": -9.0})[2].keys()
    mask, names, weights = judged({".extra": -9.0})
    assert (mask, names[-1], weights["taught: .extra"]) == ([True, True, False], "taught", -9.0)
