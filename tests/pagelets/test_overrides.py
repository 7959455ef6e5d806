from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.document import BlockSelection, explain, judge
from pagelets.judging.page_facts import Decided, PageFacts
from pagelets.methods import METHODS
from pagelets.methods.base import Subject
from pagelets.overrides import (
    DROPPED,
    KEPT,
    NO_SELECTORS,
    NOSNIPPET,
    PINNED,
    REJECTED,
    Selectors,
    is_dropped_in_kept,
    overrides_of,
)
from pagelets.partition import Pagelet, partition
from pagelets.reading import read
from tests.hosts import method_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Override, Page

URL = "https://example.org/"
SELECTORS = Selectors((".keep",), (".drop",))
PIN, REJECT = Decided(False, 7, 4, 0.5), Decided(True, 8, 2, 0.25)


def judged_by(
    page: Page,
    pagelets: list[Pagelet],
    evidence: PageFacts,
    method: str,
    overrides: Sequence[Override | None] = (),
) -> BlockSelection:
    return judge(Subject(page, pagelets, evidence, lambda: "<p>"), method_of(method), overrides)


def page_of(*classes: str, text: str = "Words of this block, which say little.") -> Page:
    """A page of a block for each class; ``nosnippet`` is what the page itself marks."""
    blocks = (
        f"<p{' data-nosnippet' if 'nosnippet' in names else ''} class='{names}'>{text}</p>"
        for names in classes
    )
    return read("".join(blocks), URL, SELECTORS)


def each_its_own(page: Page) -> list[Pagelet]:
    return [Pagelet(number, number + 1, 0, False) for number in range(len(page.blocks))]


def evidence_of(page: Page, *decided: Decided | None, templates: tuple[int, ...] = ()) -> PageFacts:
    count = len(page.blocks)
    none = PageFacts.none(count, count)
    return replace(none, decided=decided, templates=templates or none.templates)


def names(overrides: list[Override | None]) -> list[str | None]:
    return [None if override is None else override.reason for override in overrides]


def test_what_wins() -> None:
    page = page_of(
        "keep drop nosnippet", "drop nosnippet", "nosnippet", "", "", "", "keep", "drop", "nosnippet"
    )
    decided = (PIN, REJECT, REJECT, PIN, REJECT, None, PIN, REJECT, REJECT)
    evidence = evidence_of(page, *decided)
    overrides = overrides_of(page, each_its_own(page), evidence)
    assert overrides == [KEPT, DROPPED, NOSNIPPET, PINNED, REJECTED, None, KEPT, DROPPED, NOSNIPPET]
    unheeded = overrides_of(page, each_its_own(page), evidence, nosnippet=False)
    assert unheeded == [KEPT, DROPPED, REJECTED, PINNED, REJECTED, None, KEPT, DROPPED, REJECTED]


def test_no_override_is_nothing_at_all() -> None:
    page = page_of("", "")
    assert overrides_of(page, each_its_own(page), evidence_of(page)) == []
    page = page_of("nosnippet")
    assert overrides_of(page, each_its_own(page), evidence_of(page), nosnippet=False) == []


@pytest.mark.parametrize(
    ("html", "reasons"),
    [
        ("<div class=keep>a<p class=drop>b</p></div>c", [KEPT, DROPPED, None]),
        ("<div class=keep>a<p data-nosnippet>b</p></div>", [KEPT, KEPT]),
        ("<div data-nosnippet>a<p class=keep>b</p></div>", [NOSNIPPET, KEPT]),
        ("<div class=drop>a<p class=keep>b</p></div>", [DROPPED, KEPT]),
        ("<div class=drop>a<p data-nosnippet>b</p></div>", [DROPPED, DROPPED]),
        ("<p>a<i class=drop>b</i>c<img class=keep src=x>", [None, DROPPED, None, KEPT]),
        ("<p>a<a class=drop href=/x></a>", [None, DROPPED]),
    ],
)
def test_a_mark_holds_for_all_that_is_in_the_element(html: str, reasons: list[Override | None]) -> None:
    page = read(html, URL, SELECTORS)
    pagelets = partition(page)
    assert overrides_of(page, pagelets, PageFacts.none(len(pagelets), len(page.blocks))) == reasons


NESTED = st.recursive(
    st.just([]),
    lambda inside: st.lists(
        st.tuples(st.sampled_from(("", "keep", "drop", "keep drop")), inside), max_size=3
    ),
    max_leaves=20,
)


@given(NESTED)
def test_the_innermost_decides_whatever_the_nesting(nested: list[Any]) -> None:
    wanted: list[Override | None] = []
    within: list[bool] = []

    def html(elements: list[Any], decided: Override | None, *, kept: bool) -> str:
        parts = []
        for names, inside in elements:
            own = KEPT if "keep" in names else DROPPED if names else decided
            wanted.append(own)
            within.append(kept and own == DROPPED)
            rest = html(inside, own, kept=kept or own == KEPT)
            parts.append(f"<div class='{names}'>words{rest}</div>")
        return "".join(parts)

    page = read(html(nested, None, kept=False), URL, SELECTORS)
    assert (overrides_of(page, [], PageFacts.none(0, len(page.blocks))) or [None] * len(wanted)) == wanted
    assert is_dropped_in_kept(page) == any(within)


def test_selectors_that_the_page_was_not_built_with_decide_on_whole_blocks() -> None:
    page = read(
        "<p>a <i class=drop>b</i></p><p class=drop>c</p><p><i class=keep>d</i></p>",
        URL,
        NO_SELECTORS,
        SELECTORS,
    )
    evidence = PageFacts.none(0, len(page.blocks))
    assert overrides_of(page, [], evidence) == [None, DROPPED, KEPT]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_overrides_win_over_every_method(method: str) -> None:
    page = page_of(*["keep", "drop", "nosnippet", "", "", ""] * 2)
    pagelets = each_its_own(page)
    decided = (None, None, None, PIN, REJECT, None)
    templates = (3, 0, 0, 7, 0, 0)
    evidence = evidence_of(page, *decided * 2, templates=templates * 2)
    kept = judged_by(page, pagelets, evidence, method, overrides_of(page, pagelets, evidence))
    assert kept.mask[:5] == [True, False, False, False, True]
    assert [reason.name for reason in kept.reasons()][:5] == [
        "kept by selector",
        "dropped by selector",
        "nosnippet",
        "pinned template",
        "rejected template",
    ]
    assert [float(score) for score in kept.scores][:5] == [1, 0, 0, 0, 1]
    assert not kept.kept_whole
    plain = judged_by(page, pagelets, evidence, method)
    assert plain.kept_whole or kept.reasons()[5] == plain.reasons()[5]


def test_an_explanation_names_the_template_that_people_decided_on() -> None:
    page = page_of("", "", "")
    pagelets = each_its_own(page)
    evidence = evidence_of(page, PIN, REJECT, None, templates=(7, 0, 0))
    kept = judged_by(page, pagelets, evidence, "templates", overrides_of(page, pagelets, evidence))
    rows = explain(page, pagelets, evidence, kept)
    assert [(row["reason"], row["template"], row["support"]) for row in rows] == [
        ("pinned template", 7, {"pages": 4, "share": 0.5}),
        ("rejected template", 8, {"pages": 2, "share": 0.25}),
        ("content", None, None),
    ]


@pytest.mark.parametrize(
    ("classes", "decided", "mask"),
    [
        # The method would have removed the second, and the first is not to be shown: the second stays.
        (("nosnippet", ""), (None, None), [False, True]),
        (("drop", ""), (None, None), [False, True]),
        (("", ""), (PIN, None), [False, True]),
        # What people decided comes back before what is marked, and what the page asks for last.
        (("drop", ""), (None, PIN), [False, True]),
        (("nosnippet", "drop"), (None, None), [False, True]),
        (("nosnippet", ""), (None, PIN), [False, True]),
        # There is nothing else: the page is shown whole.
        (("nosnippet", "nosnippet"), (None, None), [True, True]),
        (("drop",), (None,), [True]),
        (("",), (PIN,), [True]),
    ],
)
def test_a_page_is_never_emptied(
    classes: tuple[str, ...], decided: tuple[Decided | None, ...], mask: list[bool]
) -> None:
    page = page_of(*classes)
    pagelets = each_its_own(page)
    evidence = evidence_of(page, *decided, templates=(9,) * len(classes))
    kept = judged_by(page, pagelets, evidence, "templates", overrides_of(page, pagelets, evidence))
    assert kept.mask == mask
    assert kept.kept_whole
    shown = {reason.name for reason, keep in zip(kept.reasons(), mask, strict=True) if keep}
    assert shown == {"kept whole"}


def test_what_is_kept_by_force_is_enough_for_a_page() -> None:
    page = page_of("keep", "")
    evidence = evidence_of(page, templates=(9, 9))
    kept = judged_by(
        page, each_its_own(page), evidence, "templates", overrides_of(page, [], PageFacts.none(0, 2))
    )
    assert kept.mask == [True, False]
    assert not kept.kept_whole


def test_a_line_that_marks_have_parted_is_judged_as_one() -> None:
    page = read(
        "<p>A long sentence<sup class=drop>[1]</sup>, that ends<sup class=drop>[2]</sup>.<p>.", URL, SELECTORS
    )
    evidence = PageFacts.none(0, 6)
    overrides = overrides_of(page, [], evidence)
    repeated = replace(evidence, repeated=[False, False, True, False, True, True])
    kept = judged_by(page, [], repeated, "templates", overrides)
    assert kept.mask == [True, False, True, False, True, False]
    assert kept.reasons()[4] == kept.reasons()[0]
    repeated = replace(evidence, repeated=[True, False, False, False, False, False])
    kept = judged_by(page, [], repeated, "templates", overrides)
    assert kept.mask == [False, False, False, False, False, True]
    assert [reason.name for reason in kept.reasons()][:3] == ["repeated", "dropped by selector", "repeated"]


CLASSES = st.sampled_from(["", "", "keep", "drop", "nosnippet", "keep nosnippet", "drop nosnippet"])
DECIDED = st.sampled_from([None, None, PIN, REJECT])


@given(
    st.lists(st.tuples(CLASSES, DECIDED, st.sampled_from([0, 5]), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(["all-text", "paper", "templates"]),
)
def test_whatever_is_overridden_text_is_left(
    blocks: list[tuple[str, Decided | None, int, bool]], method: str
) -> None:
    html = "".join(
        f"<p class='{names}'{' data-nosnippet' * ('nosnippet' in names)}>{'text' * shown or '<img src=x>'}"
        for names, _, _, shown in blocks
    )
    page = read(html, URL, SELECTORS)
    pagelets = each_its_own(page)
    evidence = evidence_of(
        page, *(decided for _, decided, _, _ in blocks), templates=tuple(one for _, _, one, _ in blocks)
    )
    overrides = overrides_of(page, pagelets, evidence)
    kept = judged_by(page, pagelets, evidence, method, overrides)
    if any(shown for *_, shown in blocks):
        assert any(keep and block.text for keep, block in zip(kept.mask, page.blocks, strict=True))
    if not kept.kept_whole:
        for keep, override in zip(kept.mask, overrides or [None] * len(kept.mask), strict=True):
            assert override is None or keep == override.keep
    assert len(kept.reasons()) == len(page.blocks)
