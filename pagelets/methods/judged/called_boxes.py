"""Boxes that are called other pages or products: "related articles", "customers also bought"."""

from __future__ import annotations

import re
from functools import cache
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

VERSION: Final = 1
"""Counts the changes of this step: it is a part of the version of the method."""
_BEFORE: Final = 30
"""The expected words of a page before its first box, and the kept ones that are left."""
_SHARE: Final = 0.4
"""Maximum share of the kept words that boxes have, but on the page of one product. Of listings it is most."""
_LONGEST: Final = 60
"""Maximum number of characters of the label of a box."""
_LABELS: Final = "called_boxes.txt"
"""The file of labels, beside this one."""


def called_boxes(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks boxes whose first line, class or id calls them so, below some of the page's own text: bool[b]."""
    page, containers, evidence, words, likely, mask = kept
    first = int(np.cumsum(likely * words).searchsorted(_BEFORE))
    boxes = (containers.start >= first) & (containers.sums(words * mask) > 0)
    if not boxes.any():
        return np.zeros(len(words), bool)
    leads = containers.leads(np.flatnonzero(words))
    labels = [place for place in np.unique(leads[boxes]).tolist() if _calls(page, place)]
    boxes &= np.isin(leads, labels) | containers.named(NAMED, HINTS)
    if not boxes.any():
        return np.zeros(len(words), bool)
    headline = headline_of(page, evidence.affixes)
    boxes &= (containers.start > headline) | (containers.stop <= headline)
    boxes &= containers.count(page.tree.of_tag("h1")) == 0
    marked = containers.mask(containers.nodes[boxes])
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


def _calls(page: Page, place: int) -> bool:
    text = page.blocks[place].text
    return len(text) <= _LONGEST and _labels().fullmatch(text.lower()) is not None


@cache
def _labels() -> re.Pattern[str]:
    lines = files(__package__).joinpath(_LABELS).read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return re.compile(rf"\W{{0,3}}(?:{'|'.join(patterns)})[\W\d]*")
