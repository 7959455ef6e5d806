"""Choosing the blocks of a page together, from what each is likely to be."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.judging.title import clean
from pagelets.page import HEADING_TAGS
from pagelets.text.words import words as words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Page
    from pagelets.tree import Tree

MARGIN: Final = 0.1
"""Of the probability. docs/benchmarks.md has the number of documents that it spares, and its cost."""
REPEATS_WORDS: Final = 20
"""A block of a page alone that repeats an earlier one goes if it has so many; a shorter one may be meant."""
_COPY_WORDS: Final = 5
"""The least number of words of a copy that is hidden or for other screens."""
_HIDDEN: Final = re.compile(
    r"\s(?:hide|hidden|d-none|is-hidden|(?:hidden|hide|visible|show)-(?:xs|sm|md|lg|xl|mobile|desktop|tablet)"
    r"|(?:mobile|desktop|tablet)(?:-(?:only|hidden|hide|show|view|version))?)\s",
    re.IGNORECASE,
)
"""Classes and ids of elements that are hidden, or shown on screens of some width only."""
_HINTS: Final = ("hid", "d-none", "visible-", "show-", "mobile", "desktop", "tablet")
"""Of which each of these has one."""
_UNFILLED: Final = re.compile(
    r"\s*(?:(?:[^{}]{0,40}\{\{[^{}]{1,120}\}\})+[^{}]{0,40}|[\[{]+\s*\"\w+\"\s*:.*[\]}]\s*)", re.DOTALL
)
"""Fields of a template with little around them, or an object of JSON."""
_BUTTON_PAGES: Final = 3
"""The least number of pages that a button of the site stands on, or of times that a page has it."""
_BESIDE_TITLE: Final = 4
"""Maximum number of words beside the page's title in a button ("Increase quantity for TITLE")."""
_FIELDS: Final = frozenset({"input", "textarea", "select"})
_INLINE: Final = 4
"""A label lies in so many inline elements at most."""
_CHOICES: Final = frozenset({"checkbox", "radio"})
"""Types of fields whose labels say the choices."""
_HEADS: Final = HEADING_TAGS | {"summary", "dt"}
_CODE: Final = dict.fromkeys(("pre", "code", "textarea", "samp", "kbd", "tt"), 1)


def choose(likely: NDArray[np.float64], words: NDArray[np.float64]) -> tuple[NDArray[np.bool_], float]:
    r"""The choice of blocks whose expected F1 is highest, as far as the probabilities tell.

    Takes for each of n blocks how likely it is content, and its number of words as F1 counts them
    (`pagelets.methods.judged.text.words`). Returns the mask bool[n], and the probability from which on blocks
    are chosen.

    With p and w for a block's probability and words, what a choice C promises is taken as the ratio of what
    is expected of its parts, F1(C) = 2 sum(p w over C) / (sum(w over C) + sum(p w over all)). One more block
    adds 2 p w above and w below, so it raises F1 where 2 p is more than F1 is, and lowers it where 2 p is
    less: the best choice is of the blocks with p of at least half of the best F1. So F1 is worked out for
    each choice of the likeliest blocks, and every block is compared with half of the largest; one without
    words, which changes no F1, like all others. The threshold depends on the page: where much is unsure, more
    is lost by what is missed than by what is too much (Lipton, Elkan & Naryanaswamy, "Optimal Thresholding of
    Classifiers to Maximize F1 Measure", ECML PKDD 2014, Theorem 1: the threshold is half of the F1 that it
    gives).
    """
    if not len(likely):
        return np.zeros(0, bool), 0.0
    order = np.argsort(-likely, kind="stable")
    expected = np.cumsum((likely * words)[order])
    chosen = np.cumsum(words[order])
    # Rounding may not put it above the likeliest block.
    half = min(float(np.max(expected / np.maximum(chosen + expected[-1], 1e-9))), float(likely[order[0]]))
    mask: NDArray[np.bool_] = likely >= half
    return mask, half


def choose_own(
    likely: NDArray[np.float64],
    words: NDArray[np.float64],
    never: NDArray[np.bool_],
    previous: NDArray[np.int8] | None = None,
) -> NDArray[np.bool_]:
    """Chooses as `choose` on a page with blocks that are never its content.

    Args:
        likely: the probability that each block is content, float64[n].
        words: the words of each block, float64[n].
        never: the blocks that are not taken, bool[n].
        previous: which blocks were taken before (1) or not (0), -1 for unknown ones. Known ones stay so while
            they are no further than `MARGIN` from the threshold.

    """
    mask, threshold = choose(np.where(never, 0.0, likely), words)
    if previous is not None and len(previous):
        stays = (np.abs(likely - threshold) <= MARGIN) & (previous >= 0)
        mask = np.where(stays, previous == 1, mask)
    return mask & ~never


def controls(page: Page, containers: Containers) -> NDArray[np.bool_]:
    """Marks the choices of forms (``option``), and the questions (``legend``) of those around fields:
    bool[number of blocks].
    """
    tree, marked = page.tree, page.tree.of_tag("option")
    if legends := tree.of_tag("legend"):
        fields = _fields(tree)
        around = ((legend, tree.parents[legend]) for legend in legends)
        marked = marked + [
            legend for legend, parent in around if bisect(fields, tree.last[parent]) > bisect(fields, parent)
        ]
    return containers.mask(marked) if marked else np.zeros(len(page.blocks), bool)


def _fields(tree: Tree) -> list[int]:
    """The fields to fill in, in document order."""
    return sorted(node for tag in _FIELDS for node in tree.of_tag(tag))


def field_labels(page: Page) -> NDArray[np.bool_]:
    """Marks the labels of fields to fill in: bool[number of blocks]."""
    tree, labels = page.tree, page.tree.of_tag("label")
    found = np.zeros(len(page.blocks), bool)
    if not labels:
        return found
    fields = [
        node
        for node in _fields(tree)
        if tree.tags[node] != "input" or (tree.get(node, "type") or "").lower() not in _CHOICES
    ]
    named = {tree.get(node, "id") for node in fields} - {None}
    ends = tree.last[np.array(labels, np.int64)].tolist()
    inside = np.zeros(len(tree), bool)
    for label, end in zip(labels, ends, strict=True):
        holds = bisect(fields, end) > bisect(fields, label)
        if holds or tree.get(label, "for") in named:
            inside[label : end + 1] = True
    # A label lies in the line of its block, or around it.
    lines = {around for label in labels for around in _around(tree, label)}
    near = inside.copy()
    near[[line for line in lines if line >= 0]] = True
    nodes = np.array([block.node for block in page.blocks], np.int64)
    for place in np.flatnonzero(near[nodes]).tolist():
        block = page.blocks[place]
        found[place] = bool(block.text) and all(inside[holder] for _, holder in block.runs)
    return found


def _around(tree: Tree, node: int) -> list[int]:
    """The nearest elements around one."""
    around = []
    for _ in range(_INLINE):
        node = tree.parents[node]
        around.append(node)
    return around


def buttons(page: Page, pages: NDArray[np.int32], title: str) -> NDArray[np.bool_]:
    """Marks the buttons of a site, but for headings of parts that open and close: bool[number of blocks].

    Args:
        page: the page.
        pages: the pages of its site that each of its blocks stands on, int32[number of blocks].
        title: the page's own title.

    """
    found, tree = np.zeros(len(page.blocks), bool), page.tree
    texts = {
        place: block.text
        for place, block in enumerate(page.blocks)
        if tree.tags[block.node] == "button" and block.text
    }
    times, length = Counter(texts.values()), len(words_of(title))
    for place, text in texts.items():
        if tree.tags[tree.parents[page.blocks[place].node]] not in _HEADS:
            said = length > 0 and title in text and len(words_of(text)) - length <= _BESIDE_TITLE
            found[place] = said or max(pages[place], times[text]) >= _BUTTON_PAGES
    return found


def unfilled(page: Page, containers: Containers) -> NDArray[np.bool_]:
    """Marks fields of templates that no script has filled ("{{ price }}") and data for scripts, but for what
    is code: bool[number of blocks].
    """
    found = np.zeros(len(page.blocks), bool)
    every = "\n".join([block.text for block in page.blocks])
    if "{{" in every or '":' in every:
        places = [
            place for place, block in enumerate(page.blocks) if "{{" in block.text or '":' in block.text
        ]
        code = containers.numbered(_CODE) > 0
        within, tags = code[containers.nearest(code)[containers.of_block]], page.tree.tags
        for place in places:
            block = page.blocks[place]
            inside = within[place] or any(tags[holder] in _CODE for _, holder in block.runs)
            found[place] = not inside and _UNFILLED.fullmatch(block.text) is not None
    return found


def repeats(texts: Sequence[str], words: NDArray[np.float64], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks blocks of the ``mask`` that repeat an earlier one of it, by their ``texts``, with `REPEATS_WORDS`
    ``words`` or more: bool[n].

    For pages alone: they show a text twice for two widths of a screen, or as a teaser and whole. Sites repeat
    on purpose.
    """
    repeated = np.zeros(len(texts), bool)
    for _, place in _pairs(texts, mask & (words >= REPEATS_WORDS)):
        repeated[place] = True
    return repeated


def hidden_copies(
    texts: Sequence[str], words: NDArray[np.float64], mask: NDArray[np.bool_], containers: Containers
) -> NDArray[np.bool_]:
    """Marks the later one of two equal blocks where one lies in an element whose name says that it is hidden,
    or for other screens: bool[n].

    Args:
        texts: the texts of the page's n blocks.
        words: the words of each, float64[n].
        mask: the blocks that are looked at, bool[n].
        containers: the elements around them.

    """
    copies = np.zeros(len(texts), bool)
    pairs = _pairs(texts, mask & (words >= _COPY_WORDS))
    if pairs:
        hidden = containers.mask(containers.nodes[containers.named(_HIDDEN, _HINTS)])
        for earlier, place in pairs:
            copies[place] = hidden[earlier] or hidden[place]
    return copies


def _pairs(texts: Sequence[str], mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Returns the blocks of the mask with the text of an earlier one of it, each after the first such one."""
    first: dict[str, int] = {}
    pairs = ((first.setdefault(texts[place], place), place) for place in np.flatnonzero(mask).tolist())
    return [(earlier, place) for earlier, place in pairs if earlier != place]


def offered(
    page: Page, containers: Containers, evidence: PageFacts, free: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Marks what forms and scripts offer: bool[b].

    Args:
        page: the page, of b blocks.
        containers: the elements around them.
        evidence: the site's facts on the page.
        free: the blocks that taught weights do not keep, bool[b]; labels and buttons heed it.

    """
    others = field_labels(page)
    if page.tree.of_tag("button"):
        others |= buttons(page, evidence.blocks.pages, clean(page.title, evidence.affixes))
    return controls(page, containers) | unfilled(page, containers) | (free & others)
