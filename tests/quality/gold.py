"""The gold text of a page of our own: read from the regions that its HTML marks as main content.

A site's template writes ``<!--gold-->`` and ``<!--/gold-->`` around main content. Regions do not lie in each
other; what is to be left out stands between two of them. The rule is that of the corpora, the visible text of
the main content. Kept are the title, byline and date of an article, body, code and captions; in listings the
entries, with "continue reading" where it ends the text of an entry; in forums the posts, with the author and
date line in their head; in shops name, price, description and reviews. Left out are menus, side bars, tables
of contents in the page, tags, share and order buttons, previous and next, pagination, related items, boxes
about authors, panels and signatures of members, comment forms, footers, cookie notes.

The made sites (``made/``) mark inserted boilerplate as well, each piece by its kind: ``<!--kind NAME-->`` and
``<!--/kind-->``. Their gold follows the newer corpora, which leave out comments and reviews of readers, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Final

_START: Final = "gold"
_END: Final = "/gold"
_MARKER: Final = re.compile(rf"<!--(?:{_START}|{_END})-->")
_PIECE: Final = re.compile(r"<!--kind ([\w -]+)-->(.*?)<!--/kind-->", re.DOTALL)
_LINES: Final = frozenset(
    """
    address article aside blockquote br button caption center dd details div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section select summary table
    tbody thead tr ul
    """.split()
)
_CELLS: Final = frozenset({"td", "th"})
_UNSEEN: Final = frozenset({"head", "noscript", "script", "style", "svg", "template", "textarea"})


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
    """A page as a server sends it, its gold text (one block a line) and its type.

    ``inserted`` are the pieces of boilerplate whose kind is known: kind and text.
    """

    url: str
    html: str
    text: str
    group: str
    inserted: tuple[tuple[str, str], ...] = ()


def annotate(url: str, marked: str, group: str) -> AnnotatedPage:
    """Reads the gold text and the inserted boilerplate of marked HTML, and takes the markers away.

    Args:
        url: the page's address.
        marked: the HTML with its markers.
        group: the page's type.

    Raises:
        ValueError: markers do not come in pairs, or main content lies in a piece of boilerplate.

    """
    pieces = tuple((kind, visible(piece)) for kind, piece in _PIECE.findall(marked))
    if any(_MARKER.search(piece) for _, piece in _PIECE.findall(marked)):
        raise ValueError("a piece of boilerplate holds markers of main content")
    plain = _PIECE.sub(r"\2", marked)
    return AnnotatedPage(url, _MARKER.sub("", plain), _read(marked, everything=False), group, pieces)


def visible(html: str) -> str:
    """Returns all visible text of a page, one block a line; a row of a table is one line."""
    return _read(html, everything=True)


def _read(html: str, *, everything: bool) -> str:
    reader = _Reader(everything=everything)
    reader.feed(html)
    reader.close()
    if reader.inside != everything:
        raise ValueError("a region of main content is not closed")
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    """Collects the text of the marked regions or of everything; in ``pre``, lines of the source count too."""

    def __init__(self, *, everything: bool) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.everything = everything
        self.inside = everything
        self.unseen = 0
        self.verbatim = False

    def handle_comment(self, data: str) -> None:
        if self.everything or data not in (_START, _END):
            return
        if self.inside == (data == _START):
            line, column = self.getpos()
            raise ValueError(f"line {line}, column {column}: two <!--{data}--> in a row")
        self.inside = not self.inside
        # What stood between two regions parted their words.
        self.pieces.append(" ")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in _UNSEEN
        self.verbatim = self.verbatim or tag == "pre"
        self._separate(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in _UNSEEN
        self.verbatim = self.verbatim and tag != "pre"
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if self.inside and not self.unseen:
            self.pieces.append(data if self.verbatim else data.replace("\n", " "))

    def _separate(self, tag: str) -> None:
        if tag in _LINES:
            self.pieces.append("\n")
        elif tag in _CELLS:
            self.pieces.append(" ")
