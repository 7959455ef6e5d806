"""Comments of readers below a line that calls them so: "3 comments", "2 thoughts on “TITLE”"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.page import HEADING_TAGS
from pagelets.quantities import states_quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.judged.kept_page import KeptPage

_NUMBER: Final = r"\W{0,3}(?:(?:\d[\d.,]*+|\w{1,8})\s?){0,2}?(?:[件条條则則個个]の?\s?)?"
_COMMENTS: Final = (
    r"(?:(?:reader|leser|user)?(?:comments?|comentarios?|comentários?|comentarii?u?|commentaires?|"
    r"kommentare?|kommentarer|komment(?:ti|tia|it|ek)|komentar(?:ze?|zy|i|a|ji|jev|e|y)?|"
    r"komentář[eůi]?|komentár[eov]{0,2}|comment[io]|reacties?|hozzászólás(?:ok)?|yorum(?:lar)?|bình luận|"
    r"σχόλι[οα]|תגובות|टिप्पणि\w+|टिप्पणी|комментари(?:[йия]|ев)|коментар(?:[іяиа]|ів)?)|"
    r"コメント(?:一覧)?|(?:评论|評論|留言)(?:列表)?|댓글|(?:ال)?تعليقات?|ความคิดเห็น)"
)
_ANSWERS: Final = (
    r"(?:respon[sd]\w+|repl(?:y|ies)|thoughts?|reactions?|antwort(?:en)?|gedanken?|réflexions?|réponses?|"
    r"respuestas?|pensamientos?|respostas?|pensamentos?|pensier[oi]|rispost[ae]|gedachten?|odpowiedzi|"
    r"мысл[ьи]|ответ(?:а|ов)?)"
)
_ALONE: Final = re.compile(rf"{_NUMBER}{_COMMENTS}(?:\W*+\d[\d.,]*+\s?[件条條個个]?)?\W*+", re.IGNORECASE)
_BEFORE_TITLE: Final = re.compile(rf"{_NUMBER}(?:{_COMMENTS}|{_ANSWERS})(?:\s\w{{1,5}})?\W*+", re.IGNORECASE)
_LABEL: Final = 8
"""Maximum number of words of such a line, and of what may stand beside the title in it."""
_PAGES: Final = 3
"""The least number of the site's pages that have the line, numbers aside, at its tag path."""
_OPENING: Final = 40
"""The expected words of the page that stand before it, and the least number of those that stay."""
_ARTICLE: Final = 100
_PARAGRAPHS: Final = 2
_PARAGRAPH: Final = 15
"""The least number of words, and of paragraphs of so many words, of an article with comments that no form and
no title betrays: in forums and books of guests most of a page is in answer to a short text.
"""
_THREAD: Final = 8
"""The least number of words below the line."""
_DATED: Final = 14
"""Maximum number of words of the line that says who wrote a comment, and when."""
_LEVELS: Final = {tag: int(tag[1]) for tag in HEADING_TAGS}
_NO_HEADING: Final = 7


def comment_threads(kept: KeptPage, form: int) -> NDArray[np.bool_]:
    """Marks what lies below a line that calls it comments, behind some of the page's own text, with the line:
    bool[b]. The site's other pages have such a line, or it has the page's title. The ``form`` for a comment,
    an element, 0 for none, stands below it, or a date, if it has that title, or counts the comments of a
    longer article. A page with several such lines lists other pages.
    """
    nothing = np.zeros(len(kept.mask), bool)
    lines = _lines(kept)
    if len(lines) != 1:
        return nothing
    containers, label = kept.containers, lines[0]
    around = int(containers.of_block[label])
    while around and kept.leads[containers.parent[around]] == label:
        around = int(containers.parent[around])
    # The line may be beside what it calls so, and not in one element with it.
    for stop in (int(containers.stop[around]), _section(kept, label, int(containers.parent[around]))):
        if _is_thread(kept, label, stop, form):
            marked = nothing.copy()
            marked[label:stop] = True
            stays = (kept.words * kept.mask)[~marked].sum()
            return marked if stays >= _OPENING else nothing
    return nothing


def _lines(kept: KeptPage) -> list[int]:
    """The lines behind the headline and some text that call what is below them comments."""
    blocks, support, headline = kept.page.blocks, kept.evidence.blocks, kept.headline
    first = max(headline, kept.opening(_OPENING)) + 1
    title = blocks[headline].text if headline >= 0 else ""
    most = _LABEL + (kept.words[headline] if title else 0)
    short = ~kept.linked & (kept.words > 0) & (kept.words <= most)
    short[:first] = False
    found = []
    for place in np.flatnonzero(short).tolist():
        before, names_page, _ = blocks[place].text.partition(title or "\0")
        calls = _BEFORE_TITLE if names_page else _ALONE
        if (names_page or support.placed_pages[place] >= _PAGES) and calls.fullmatch(before):
            found.append(place)
    return found


def _section(kept: KeptPage, label: int, around: int) -> int:
    """The place behind the part of a container ``around`` a line that is below the line: up to the next
    heading of its level or above, or to any if it is no heading.
    """
    blocks, tags = kept.page.blocks, kept.page.tree.tags
    level = _LEVELS.get(tags[blocks[label].node], _NO_HEADING)
    stop = int(kept.containers.stop[around])
    others = ((_LEVELS.get(tags[blocks[place].node], 0), place) for place in range(label + 1, stop))
    return next((place for other, place in others if 0 < other <= level), stop)


def _is_thread(kept: KeptPage, label: int, stop: int, form: int) -> bool:
    """Returns True if what stands between a line and the block behind the last are comments."""
    blocks, tags, words = kept.page.blocks, kept.page.tree.tags, kept.words
    if form and label + 1 < stop and blocks[label].node < form < blocks[stop - 1].node:
        return True
    inside = label + 1 + np.flatnonzero(words[label + 1 : stop])
    thread = words[inside].sum()
    text = blocks[label].text
    if kept.headline < 0 or blocks[kept.headline].text not in text:
        own = (words * kept.mask)[:label]
        is_article = own.sum() >= max(_ARTICLE, thread) and np.count_nonzero(own >= _PARAGRAPH) >= _PARAGRAPHS
        if not (is_article and any(map(str.isdigit, text))):
            return False
    lines = [blocks[place] for place in inside[words[inside] <= _DATED].tolist()]
    holders = (tags[holder] for line in lines for _, holder in line.runs)
    dated = any(states_quantity(line.text) for line in lines) or "time" in holders
    return dated and bool(thread >= _THREAD)
