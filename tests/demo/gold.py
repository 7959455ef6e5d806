"""The main text of every page of the demo site, known because the site is ours.

In the form of the corpora's `*.gold.jsonl`: one block a line; a row of a table is one line.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from demo.content import load
from demo.rendering import marked, views

BLOCKS = frozenset(
    "address article blockquote caption dd div dl dt figcaption figure h1 h2 h3 header li ol p pre section "
    "table tbody thead tr ul br".split()
)
CELLS = frozenset({"td", "th"})


def gold() -> list[dict[str, str]]:
    """Returns `{"id": path, "text": main text, "group": type of page}` for every HTML page."""
    site, entries = load(), []
    for view in views(site):
        parts = re.findall("<gold>(.*?)</gold>", marked(site, view, ""), re.DOTALL)
        entries.append({"id": view.path, "text": visible_text("".join(parts)), "group": view.group})
    return entries


def visible_text(html: str) -> str:
    """Returns the text of a piece of the site's own HTML, one block a line."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    """Collects text; the line breaks of the source count inside pre only."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.verbatim = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._separate(tag)
        self.verbatim = self.verbatim or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._separate(tag)
        self.verbatim = self.verbatim and tag != "pre"

    def handle_data(self, data: str) -> None:
        self.pieces.append(data if self.verbatim else data.replace("\n", " "))

    def _separate(self, tag: str) -> None:
        if tag in BLOCKS:
            self.pieces.append("\n")
        elif tag in CELLS:
            self.pieces.append(" ")
