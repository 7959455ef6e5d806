"""Headlines: the blocks of a page that say its title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.judging.title import clean, parts_of
from pagelets.page import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.page import Page

_OWN: Final = 0.6
"""The least share of the characters of the page's title that its headline has."""


def headline_of(page: Page, affixes: frozenset[str]) -> int:
    """Returns the first block that says the page's title, or most of it; -1 if none does."""
    return next(headlines(page, affixes), -1)


def headlines(page: Page, affixes: frozenset[str]) -> Iterator[int]:
    """The blocks that say the page's title, or most of it; else the headings that say its first part, behind
    which shops name categories.
    """
    title, own, found = page.title.casefold(), clean(page.title, affixes), False
    least = _OWN * len(own)
    for place, block in enumerate(page.blocks):
        text = block.text
        if text and least <= len(text) <= len(title) and _said(text) in title:
            found = True
            yield place
    if not found and len(parts := parts_of(own)) > 1:
        first, tags = _said(parts[0]), page.tree.tags
        for place, block in enumerate(page.blocks):
            if tags[block.node] in HEADING_TAGS and _said(block.text) == first:
                yield place


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def heading_of(page: Page, headline: int) -> int:
    """Returns the ``headline`` of a page, else its first ``h1``, as titles may be cut; -1 for none."""
    tags = page.tree.tags
    places = (place for place, block in enumerate(page.blocks) if block.text and tags[block.node] == "h1")
    return headline if headline >= 0 else next(places, -1)
