"""The comments of readers below an article."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.metadata.declarations import Declarations
from pagelets.methods.judged.headlines import heading_of, headline_of
from pagelets.methods.judged.other_pages import is_home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from pagelets.methods.judged.kept_page import KeptPage
    from pagelets.page import Page

_NAMED: Final = re.compile(
    r"\s(?:(?:post|article|entry|blog|user|reader|wp|fb)?[-_]?comments?[-_]?"
    r"(?:list|area|container|wrap(?:per)?|section|box|block|holder|thread|content|head|body|post|title|form)?|trackbacks?|"
    r"comentarios?|commentaires?|kommentare?|commenti|reacties|komentar(?:ze|e|ler)?)\s",
    re.IGNORECASE,
)
"""Classes and ids of elements that hold comments, in nine languages."""
_HINTS: Final = ("comment", "comentario", "kommentar", "komentar", "trackback", "reacties")
"""Of which each of these has one."""
_HEADLINE: Final = 30
"""The expected words of a page by which its headline has come: what is before it may be content."""
_FORUM: Final = re.compile(r"DiscussionForumPosting|QAPage")
"""Types of schema.org whose comments are content."""
_TICKET: Final = re.compile(
    r"/(?:tickets?|issues?|bugs?)/(?:[^/?#]+/)?#?\d+/?(?:[?#]|$)|/browse/(?-i:[A-Z]+)-\d|show_?bug\.cgi\?id=",
    re.IGNORECASE,
)
"""Addresses of a tracker's tickets, as common software makes them: their text is what people add to them."""


def comments(kept: KeptPage) -> NDArray[np.bool_]:
    """Marks the comments of readers below an article, bool[b]: elements that are named so, behind the page's
    headline and the beginning of its content. Pages that declare a forum, and tickets, have none.
    """
    page, containers, _, words, likely, mask = kept
    nothing = np.zeros(len(words), bool)
    first = kept.opening()
    if kept.is_alone or not mask[first + 1 :].any() or is_home(page):
        return nothing
    boxes = containers.named(_NAMED, _HINTS) & (containers.start > first)
    if not boxes.any() or _TICKET.search(page.url) or _declares_forum(page):
        return nothing
    headline = kept.headline
    if not 0 <= headline <= kept.opening(_HEADLINE):
        return nothing
    expected = likely * words
    # In a forum nothing else may stand above the posts.
    expected[headline] = 0
    first = max(headline, int(np.cumsum(expected).searchsorted(kept.least)))
    boxes &= containers.start > first
    return containers.mask(containers.nodes[boxes])


def marked_comments(subject: Subject) -> NDArray[np.bool_]:
    """Marks all that is named as comments below the heading of a page of a known site: bool[b]."""
    page, containers, evidence = subject.page, subject.containers, subject.evidence
    assert evidence is not None
    heading = max(heading_of(page, headline_of(page, evidence.affixes)), 0)
    return containers.mask(containers.nodes[containers.named(_NAMED, _HINTS) & (containers.start > heading)])


def _declares_forum(page: Page) -> bool:
    declared = (*page.tree.attribute("itemtype").values(), *Declarations(page).scripts)
    return any(map(_FORUM.search, declared))
