"""First lines that say what a box holds, by the files of labels beside this module."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.page import Page

PAGES: Final = "pages"
NEIGHBOURS: Final = "neighbours"
AUTHOR: Final = "author"
LONGEST: Final = 60
"""Maximum number of characters of a label."""
_KINDS: Final = {
    PAGES: ("called_boxes.txt", ""),
    NEIGHBOURS: ("neighbours.txt", ""),
    AUTHOR: ("author_boxes.txt", r"(?:[: ]*\w.{0,40})?"),
}
"""Of each kind of label its file, a regular expression a line, and what may follow: the name of an author."""

_LINKED: Final = 0.8
"""The least share of a line behind its label that is links."""
_NO_NEIGHBOUR: Final = re.compile(
    r"\s*[上下前后後][一1]?[篇則则条條][:：]\s*(?:[没沒]有|[无無]|[暂暫]).{0,6}"
)
_LABEL: Final = re.compile(r"[^:：]{2,40}[:：]|[^\x00-\x7f]\S*\s")
"""A label that is a part of its link: up to a colon, else a word that begins beyond ASCII."""


@lru_cache(maxsize=1 << 15)
def kind_of(text: str) -> str | None:
    """Returns the kind of label that a text is but for signs around it and a number behind it, or None."""
    if len(text) > LONGEST:
        return None
    # A capital I with a dot is two characters in lower case, the second of which is the dot.
    match = _labels().fullmatch(text.lower().replace("\u0307", ""))
    return match and match.lastgroup


def kind_of_line(page: Page, place: int) -> str | None:
    """Returns the kind of label of a page's block at a ``place`` if it is a label and links, or says that it
    leads to no page ("上一篇：没有了"); else None.
    """
    block = page.blocks[place]
    text = block.text
    if block.links.start == block.links.stop:
        return NEIGHBOURS if not text.isascii() and _NO_NEIGHBOUR.fullmatch(text) else None
    links = page.links[block.links]
    before = text.find(links[0].text, 1, LONGEST + len(links[0].text))
    if before <= 0:
        label = _LABEL.match(text)
        before = label.end() if label and len(links) == 1 else len(text)
    if before >= len(text) or sum(len(link.text) for link in links) < _LINKED * (len(text) - before):
        return None
    return kind_of(text[:before])


@cache
def _labels() -> re.Pattern[str]:
    kinds = []
    for kind, (name, following) in _KINDS.items():
        lines = files(__package__).joinpath(name).read_text("utf-8").splitlines()
        patterns = "|".join(line for line in lines if line and not line.startswith("#"))
        kinds.append(f"(?P<{kind}>(?:{patterns}){following})")
    return re.compile(rf"\W{{0,3}}(?:{'|'.join(kinds)})[\W\d]*")
