"""Boxes that name other pages of the site beside an article: "related", "read on", "also read"."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.headlines import heading_of, headline_of
from pagelets.methods.judged.text import spoken_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.methods.base import Subject
    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

NAMES: Final = 0.6
"""Minimum share of words that are titles of other pages, of a block that names them."""
PLACED: Final = 0.25
"""The least share of the site's pages that have the tag path of a title: boxes are part of a template."""
_ENTRY: Final = 80
"""Maximum number of words of an entry beside its title: a teaser, a date, a price."""
_BLOCKS: Final = 6
"""Maximum number of blocks of an entry: a longer list with one title in it is no entry."""
_ENTRIES: Final = {"li": 1, "dd": 1, "td": 1}
_LABEL: Final = 12
"""Maximum number of words of a box beside its entries, and of an entry before its title."""
BEFORE: Final = 100
"""The words of an article beside its boxes, unless a line that the site repeats leads them."""
_BEFORE_ANY: Final = 40
"""Those of them that stand before its first box. Listings begin with their entries."""
_LABELLED: Final = 5
"""The least number of pages with such a line; their least share is `PLACED`."""
_MENU: Final = 0.5
_MENU_PAGES: Final = 10
"""The least share, and number, of the pages that have a title of a menu at the same tag path."""
_THINGS: Final = (
    "(?:posts?|articles?|entries|stories|news|content|products?|items?|jobs?|links?|pages?|reading|videos?|"
    "section|container|wrap(?:per)?|block|box|grid|list|area|inner|widget|module|row|slider|carousel)"
)
NAMED: Final = re.compile(
    rf"\s(?:[a-z]{{1,3}}[-_]+)?(?:{_THINGS}[-_]+)*(?:related|similar|recommended|up-?sells?|"
    rf"cross-?sells?|(?:you[-_])?(?:(?:may|might)[-_])?also[-_](?:like|read))(?:[-_]*{_THINGS})*\s",
    re.IGNORECASE,
)
"""Classes and ids of elements that hold such boxes."""
HINTS: Final = ("related", "similar", "recommended", "sell", "also")
"""Of which each of these has one."""
_BEHIND: Final = 3
"""Blocks behind the last kept one that may still name a page: of a box whose label alone is kept."""
_SHARE: Final = 0.5
"""Maximum share of the expected content, and of the kept words, that boxes of an article have. Of listings it
is most.
"""
_HOME: Final = 2
"""Slashes in the address of a site's first page, which is a listing."""
_INDEX: Final = re.compile(r"(?:/(?:index|default)\.\w+|\.\w{2,5}|/)?(?:[?#].*)?$")
"""The end of an address that does not count for what lies below it."""


def other_pages(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the boxes of an article that name other pages of its site: bool[b].

    A box is made of entries: the title of another page, with at most a short text. An article has its own
    headline, and most of its text before the first box, or around it; other pages are listings, whose entries
    are content.
    """
    page, containers, evidence, words, likely, mask = kept
    nothing = np.zeros(len(words), bool)
    if not len(evidence.named):
        return nothing
    expected = likely * words
    first = kept.opening(_BEFORE_ANY)
    named = (evidence.named >= NAMES) & (evidence.blocks.tag_path_shares >= PLACED)
    early = np.flatnonzero(named[:first])
    named[:first] = False
    last = int(np.flatnonzero(mask)[-1]) if mask.any() else 0
    if not named[: last + _BEHIND].any() or is_home(page):
        return nothing
    headline = kept.headline
    # A title below the text is a link of a listing to itself.
    if not 0 <= headline <= first:
        return nothing
    early = early[early >= headline]
    if mask[early].any() or np.isin(kept.tag_paths[early], kept.tag_paths[named]).any():
        return nothing
    boxes = _boxes(containers, _most_of_lists(containers, named), words, headline)
    boxes &= ~_sections(kept, boxes, headline)
    in_text = np.flatnonzero(boxes & mask)
    if not len(in_text) or leads_down(page, np.flatnonzero(boxes).tolist()):
        return nothing
    text, lead, support = np.cumsum(expected * ~boxes), in_text[0], evidence.blocks
    labelled = not named[lead] and support.placed_pages[lead] >= _LABELLED
    labelled &= support.placed_shares[lead] >= PLACED
    enough = text[lead] >= _BEFORE_ANY and (labelled or text[-1] >= BEFORE)
    shares = (values[boxes].sum() / max(float(values.sum()), 1.0) for values in (expected, words * mask))
    return boxes if enough and max(shares) <= _SHARE else nothing


def _sections(kept: KeptPage, boxes: NDArray[np.bool_], headline: int) -> NDArray[np.bool_]:
    """Marks the lists of links that are sections of the article ("See also" in a wiki): their headings are of
    the kind of one above, which is in no box. bool[b].
    """
    containers, marked = kept.containers, np.zeros(len(boxes), bool)
    entries = containers.numbered(_ENTRIES) > 0
    in_entry = entries[containers.nearest(entries)[containers.of_block]]
    met: set[int] = set()
    headed = [place for place in kept.spoken[kept.headed[kept.spoken]].tolist() if place > headline]
    for place, after in pairwise([*headed, len(boxes)]):
        end = min(after, int(containers.stop[containers.parent[containers.of_block[place]]]))
        kind, boxed = int(kept.tag_paths[place]), boxes[place + 1 : end]
        if kind in met:
            marked[place:end] = bool((boxed & in_entry[place + 1 : end]).any())
        elif not (boxes[place] or boxed.any()):
            met.add(kind)
    return marked


def marked_pages(subject: Subject) -> NDArray[np.bool_]:
    """Marks all below a page's heading that is named as a box of other pages, and, below its headline and a
    few words, entries that name some: bool[b]. The first page of a site is left out, and so are entries of
    pages that lead to pages below them.
    """
    page, containers, evidence = subject.page, subject.containers, subject.evidence
    assert evidence is not None
    headline = headline_of(page, evidence.affixes)
    heading = heading_of(page, headline)
    if heading < 0 or is_home(page):
        return np.zeros(len(page.blocks), bool)
    marked = containers.mask(containers.nodes[containers.named(NAMED, HINTS) & (containers.start > heading)])
    if headline < 0 or not len(evidence.named):
        return marked
    words = spoken_words([block.text for block in page.blocks])
    support = evidence.blocks
    named = (evidence.named >= NAMES) & (support.tag_path_shares >= PLACED) & ~marked
    named &= (support.placed_shares < _MENU) | (support.placed_pages < _MENU_PAGES)
    named[: headline + 1] = False
    boxes = _boxes(containers, _most_of_lists(containers, named), words, headline)
    places = np.flatnonzero(boxes)
    if (
        len(places)
        and words[headline + 1 : places[0]].sum() >= _BEFORE_ANY
        and not leads_down(page, places.tolist())
    ):
        marked |= boxes
    return marked


def begins_with(kept: KeptPage, entries: NDArray[np.bool_]) -> bool:
    """Returns True for a page that begins with some entries (bool[b]), as listings do, and a site's first."""
    return bool(entries.any()) and (is_home(kept.page) or bool(entries[: kept.opening(BEFORE)].any()))


def is_home(page: Page) -> bool:
    """Returns True for the first page of a site, which is a listing."""
    return page.url.rstrip("/").count("/") <= _HOME


def leads_down(page: Page, blocks: Iterable[int]) -> bool:
    """Returns True if a link in some blocks leads to a page below this one, as entries of a hub do."""
    folder = _INDEX.sub("", page.url.partition("?")[0]) + "/"
    return any(
        link.url.startswith(folder) and _INDEX.sub("", link.url) + "/" != folder
        for place in blocks
        for link in page.links[page.blocks[place].links]
    )


def _most_of_lists(containers: Containers, named: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Leaves out the titles in lists and tables of which fewer than half of the entries have one: bool[b]."""
    entries = containers.numbered(_ENTRIES) > 0
    entry = containers.nearest(entries)[containers.of_block]
    around, size = containers.parent, len(entries)
    total = np.bincount(around[entries], minlength=size)
    titled = np.bincount(around[np.unique(entry[named & entries[entry]])], minlength=size)
    few = 2 * titled[around] < total[around]
    found: NDArray[np.bool_] = named & ~(entries & few)[entry]
    return found


def _boxes(
    containers: Containers, named: NDArray[np.bool_], words: NDArray[np.float64], headline: int
) -> NDArray[np.bool_]:
    """Marks entries with what belongs to them, and the labels of their boxes: bool[b]."""
    sums = np.concatenate([[0.0], np.cumsum(words)])
    names = np.concatenate([[0], np.cumsum(named)])
    start, stop, parent = containers.start, containers.stop, containers.parent
    size = sums[stop] - sums[start]
    count = names[stop] - names[start]
    whole = (start > headline) | (stop <= headline)
    boxes = np.zeros(len(named), bool)
    ends: dict[int, tuple[int, int]] = {}
    for place in np.flatnonzero(named).tolist():
        around, begin, end = int(containers.of_block[place]), place, place + 1
        while (
            around
            and count[around] <= 1
            and whole[around]
            and size[around] - words[place] <= _ENTRY
            and sums[place] - sums[start[around]] <= _LABEL
            and stop[around] - start[around] <= _BLOCKS
        ):
            begin, end = min(begin, int(start[around])), max(end, int(stop[around]))
            around = int(parent[around])
        # Entries without an element of their own: a title, then its text.
        last_end, length = ends.get(around, (begin, 0))
        near = sums[begin] - sums[last_end] <= _ENTRY and begin - last_end < _BLOCKS
        if near and not last_end <= headline < begin:
            boxes[last_end:begin] = True
            length = max(length, begin - last_end)
        boxes[begin:end] = True
        ends[around] = end, length
    for around, (end, length) in ends.items():
        stops = min(end + length, int(stop[around]))
        if sums[stops] - sums[end] <= _ENTRY:
            boxes[end:stops] = True
    inside = np.concatenate([[0.0], np.cumsum(words * boxes)])
    beside = size - (inside[stop] - inside[start])
    box = (beside <= _LABEL) & (count > 0) & whole
    marked: NDArray[np.bool_] = boxes | box[containers.nearest(box)[containers.of_block]]
    return marked
