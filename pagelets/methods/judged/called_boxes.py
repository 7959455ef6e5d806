"""Boxes that are called other pages or products: "related articles", "customers also bought"."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.other_pages import HINTS, NAMED, heading_of, headline_of, is_home
from pagelets.methods.judged.text import words as count_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from pagelets.page import Page

VERSION: Final = 2
"""Counts the changes of this step: it is a part of the version of the method."""
_BEFORE: Final = 30
"""The expected words of a page before its first box, and the kept ones that are left."""
_SHARE: Final = 0.4
"""Maximum share of the kept words that boxes have, but on the page of one product. Of listings it is most."""
_LONGEST: Final = 60
"""Maximum number of characters of the label of a box."""
_LINKED: Final = 0.8
"""The least share of a line behind its label that is links."""
_LABELS: Final = "called_boxes.txt"
"""The file of labels, beside this one."""


def called_boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id calls them so, and lines of links whose beginning does, below
    some of the page's own text: bool[b].
    """
    page, containers, evidence, words, likely, mask = kept
    first = int(np.cumsum(likely * words).searchsorted(_BEFORE))
    boxes = (containers.start >= first) & (containers.sums(words * mask) > 0)
    if not boxes.any():
        return np.zeros(len(words), bool)
    leads = containers.leads(np.flatnonzero(words))
    starts = {place: page.blocks[place].text[: _LONGEST + 1] for place in set(leads[boxes].tolist())}
    labels = [place for place, text in starts.items() if _calls(text)]
    called = np.zeros(len(words) + 1, bool)
    called[labels] = True
    boxes &= called[leads] | containers.named(NAMED, HINTS)
    lines = [place for place in np.flatnonzero(mask).tolist() if place >= first and _is_called(page, place)]
    if not boxes.any() and not lines:
        return np.zeros(len(words), bool)
    headline = headline_of(page, evidence.affixes)
    boxes &= (containers.start > headline) | (containers.stop <= headline)
    boxes &= containers.count(page.tree.of_tag("h1")) == 0
    marked = containers.mask(containers.nodes[boxes])
    marked[lines] = True
    left, most = (words * mask)[~marked].sum(), (words * mask).sum()
    least = _BEFORE if kept.presents_product else max(_BEFORE, (1 - _SHARE) * most)
    return marked if left >= least else np.zeros(len(words), bool)


def marked_boxes(subject: Subject) -> NDArray[np.bool_]:
    """Marks all boxes of a page of a known site that are called so, whether they are kept or not: bool[b]."""
    page, containers, evidence = subject.page, subject.containers, subject.evidence
    assert evidence is not None
    words, every = count_words([block.text for block in page.blocks]), np.ones(len(page.blocks), bool)
    heading = heading_of(page, headline_of(page, evidence.affixes))
    if heading < 0 or is_home(page):
        return ~every
    boxes = called_boxes(KeptPage(page, containers, evidence, words, every.astype(float), every))
    boxes[: heading + 1] = False
    return boxes


@lru_cache(maxsize=1 << 12)
def _calls(text: str) -> bool:
    # A capital I with a dot is two characters in lower case, the second of which is the dot.
    return len(text) <= _LONGEST and _labels().fullmatch(text.lower().replace("\u0307", "")) is not None


def _is_called(page: Page, place: int) -> bool:
    """Returns True for a line of a label and links: "Also read: TITLE"."""
    block = page.blocks[place]
    if block.links.start == block.links.stop:
        return False
    links = page.links[block.links]
    before = block.text.find(links[0].text, 1, _LONGEST + len(links[0].text))
    linked = sum(len(link.text) for link in links)
    return before > 0 and linked >= _LINKED * (len(block.text) - before) and _calls(block.text[:before])


@cache
def _labels() -> re.Pattern[str]:
    lines = files(__package__).joinpath(_LABELS).read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return re.compile(rf"\W{{0,3}}(?:{'|'.join(patterns)})[\W\d]*")
