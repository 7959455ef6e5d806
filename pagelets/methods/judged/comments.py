"""The comments of readers below an article."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.bylines import names_date
from pagelets.metadata.declarations import Declarations
from pagelets.methods.judged.comment_threads import comment_threads
from pagelets.methods.judged.headlines import heading_of
from pagelets.methods.judged.kept_page import KeptPage
from pagelets.methods.judged.other_pages import is_home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
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
_SAYING: Final = ("name", "id", "placeholder", "aria-label")
_FIELD: Final = re.compile(
    r"comm?ent|kommentar|komentar|reactie|коммент|yorum|评论|評論|コメント|댓글|تعليق", re.IGNORECASE
)
"""Attributes of a field to write a comment in, and what one of them says."""
_MOST: Final = 0.9
"""Maximum share of the kept words that what stands behind its form has."""
_PAGES: Final = 3
"""A text of such a form, if it has any, stands on so many pages at least; not of one to write to the site."""
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
    """Marks the comments of readers below an article, bool[b]: elements that are named so, what a line calls
    so (`pagelets.methods.judged.comment_threads`), and what stands behind a form to write one, behind the
    page's headline and the beginning of its content. Pages that declare a forum, and tickets, keep theirs.
    """
    page, containers, _, words, likely, mask = kept
    nothing = np.zeros(len(words), bool)
    first, headline = kept.opening(), kept.headline
    if kept.is_alone or not mask[first + 1 :].any() or is_home(page) or _TICKET.search(page.url):
        return nothing
    named, form = containers.named(_NAMED, _HINTS), _form(page)
    threads = comment_threads(kept, form)
    if not (named.any() or form or threads.any()) or _declares_forum(page):
        return nothing
    above = kept.opening(_HEADLINE)
    if headline > above:
        return nothing
    first = above
    if headline >= 0:
        expected = likely * words
        # In a forum nothing else may stand above the posts.
        expected[headline] = 0
        first = max(headline, int(np.cumsum(expected).searchsorted(kept.least)))
    marked = containers.mask(containers.nodes[named & (containers.start > first)])
    if form:
        marked |= _behind_form(kept, form, first)
    return marked | threads


def _behind_form(kept: KeptPage, form: int, first: int) -> NDArray[np.bool_]:
    """Marks a form, and what stands behind it in the smallest element that has more than it, if that begins
    behind the ``first`` blocks: bool[b].
    """
    containers, last, values = kept.containers, kept.page.tree.last, kept.words * kept.mask
    marked = np.zeros(len(values), bool)
    reached = np.maximum.accumulate(containers.nodes[containers.of_block])
    begin, end = reached.searchsorted(form), reached.searchsorted(last[form], "right")
    pages = kept.evidence.blocks.pages[begin:end][kept.words[begin:end] > 0]
    if len(pages) and pages.max() < _PAGES:
        return marked
    behind = containers.sums(np.where(np.arange(len(marked)) >= end, kept.words, 0)) > 0
    around = (containers.nodes < form) & (last[containers.nodes] >= form) & (containers.start > first)
    for place in np.flatnonzero(around & behind)[-1:].tolist():
        texts = [block.text for block in kept.page.blocks[end : containers.stop[place]] if block.text]
        # The date of the page's last change may stand below its form.
        if len(texts) > 1 or not names_date(texts[0]):
            marked[begin : containers.stop[place]] = True
    return marked if values[marked].sum() <= _MOST * values.sum() else np.zeros(len(values), bool)


def _form(page: Page) -> int:
    """The form in which a comment is written; 0 without one, and on a page of several, as one for each entry
    of a list. Those with something to choose from ask for more.
    """
    tree = page.tree
    areas = tree.of_tag("textarea")
    forms = np.array(tree.of_tag("form") if areas else [], np.int64)
    attributes = [tree.attribute(name) for name in _SAYING] if len(forms) else []
    fields = [area for area in areas if any(_FIELD.search(values.get(area, "")) for values in attributes)]

    def hold(nodes: list[int]) -> NDArray[np.bool_]:
        places = np.array(nodes, np.int64)
        return places.searchsorted(forms) < places.searchsorted(tree.last[forms], "right")

    asking = forms[hold(fields) & ~hold(tree.of_tag("select"))].tolist()
    return asking[0] if len(asking) == 1 else 0


def marked_comments(subject: Subject) -> NDArray[np.bool_]:
    """Marks all that is named or called comments below the heading of a page of a known site: bool[b]."""
    kept = KeptPage.whole(subject)
    containers, heading = kept.containers, max(heading_of(kept.page, kept.headline), 0)
    named = containers.named(_NAMED, _HINTS) & (containers.start > heading)
    return containers.mask(containers.nodes[named]) | comment_threads(kept, _form(kept.page))


def _declares_forum(page: Page) -> bool:
    declared = (*page.tree.attribute("itemtype").values(), *Declarations(page).scripts)
    return any(map(_FORUM.search, declared))
