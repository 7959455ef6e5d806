"""Pages that tests of the methods over the source share."""

from __future__ import annotations

from pagelets.methods.base import Subject
from pagelets.reading import read

SENTENCE = "The bread was left to rise for a night, and nobody touched it before the sun was up. "
MENU = "<ul>" + "".join(f"<li><a class='item' href='/{n}'>Item {n}</a></li>\n" for n in range(100)) + "</ul>"
ARTICLE = "".join(f"<p>{SENTENCE * 6}</p>\n" for _ in range(8))
PAGE = f"<html><title>Bread</title><body>\n{MENU}\n<h1>Bread</h1>\n{ARTICLE}\n{MENU}\n</body></html>"


def subject_of(html: str) -> Subject:
    """The page of some HTML."""
    return Subject(read(html, "https://example.org/"), [], html=lambda: html)
