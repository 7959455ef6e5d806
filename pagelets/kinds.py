"""Kinds of blocks, such as comments, that a site keeps or drops whatever its method says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.bylines import byline
from pagelets.judging.by_url import KINDS
from pagelets.overrides import KIND_OVERRIDES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from pagelets.page import Override

_SAID_BY_READERS: Final = ("comments", "reviews")
"""Kinds whose labels, buttons and forms stay with the method where they are kept."""
_PAGES: Final = 3
_LABEL: Final = 8
"""The least number of pages that such a label stands on, and the maximum number of its words."""


def kind_overrides(subject: Subject, choices: Mapping[str, str]) -> dict[int, Override]:
    """Returns the overrides of a page's blocks by their positions. Of two kinds of a block the later decides;
    blocks for which taught weights say the opposite are left out.

    Args:
        subject: the page, with what the site knows of it.
        choices: what becomes of each of `KINDS`, one of `pagelets.overrides.CHOICES`.

    """
    asked = {name: override for name in KINDS if (override := KIND_OVERRIDES[name][choices[name]])}
    if not asked:
        return {}
    # A crawl by another method imports nothing of `judged`, unless it is asked for these kinds.
    from pagelets.methods.judged.called_boxes import marked_boxes
    from pagelets.methods.judged.comments import marked_comments
    from pagelets.methods.judged.other_pages import marked_pages
    from pagelets.methods.judged.reviews import marked_reviews
    from pagelets.methods.judged.text import spoken_words

    finders: Mapping[str, Callable[[Subject], NDArray[np.bool_]]] = {
        "bylines": lambda subject: np.isin(np.arange(len(subject.page.blocks)), byline(subject.page)),
        "comments": marked_comments,
        "reviews": marked_reviews,
        "related": lambda subject: marked_pages(subject) | marked_boxes(subject),
    }
    containers, evidence = subject.containers, subject.evidence
    assert evidence is not None
    found: dict[int, Override] = {}
    for name, override in asked.items():
        marked = finders[name](subject)
        if override.keep and name in _SAID_BY_READERS and marked.any():
            forms = (containers.numbered({"form": 1}) > 0) & marked[containers.start]
            words = spoken_words([block.text for block in subject.page.blocks])
            marked &= (evidence.blocks.placed_pages < _PAGES) | (words > _LABEL)
            marked &= ~containers.mask(containers.nodes[forms])
        found |= dict.fromkeys(np.flatnonzero(marked).tolist(), override)
    if found and subject.taught.weights:
        sums = subject.taught.sums(subject.taught.hits(containers, evidence, subject.page.blocks))
        found = {
            place: override
            for place, override in found.items()
            if sums[place] * (1 if override.keep else -1) >= 0
        }
    return found
