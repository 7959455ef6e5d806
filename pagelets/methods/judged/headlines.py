"""Headlines: the blocks of a page that say its title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.judging.title import clean, parts_of
from pagelets.page import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from pagelets.page import Page

_OWN: Final = 0.6
"""The least share of the characters of the page's title that its headline has."""


def headline_of(page: Page, affixes: frozenset[str]) -> int:
    """Returns the first block that says the page's title, or most of it; -1 if none does."""
    return next(headlines(page, affixes), -1)


def headlines(page: Page, affixes: frozenset[str]) -> Iterator[int]:
    """The blocks that say the page's title, or most of it, but for the site's name; else the headings that
    say its first part, behind which shops name categories, or the ``h1`` that says its last one, before
    which wikis name groups.
    """
    title, own, found = page.title.casefold(), clean(page.title, affixes), False
    least, names = _OWN * len(own), affixes - {own}
    for place, block in enumerate(page.blocks):
        text = block.text
        if text and least <= len(text) <= len(title) and _said(text) in title and text not in names:
            found = True
            yield place
    if not found and len(parts := parts_of(own)) > 1:
        yield from _of_part(page, parts[0], HEADING_TAGS) or _of_part(page, parts[-1], {"h1"})


def _of_part(page: Page, part: str, wanted: AbstractSet[str]) -> list[int]:
    """The headings of some tags that say one part of the page's title."""
    said, tags = _said(part), page.tree.tags
    return [
        place
        for place, block in enumerate(page.blocks)
        if tags[block.node] in wanted and _said(block.text) == said
    ]


def _said(text: str) -> str:
    return " ".join(text.split()).casefold()


def heading_of(page: Page, headline: int) -> int:
    """Returns the ``headline`` of a page, else its first ``h1``, as titles may be cut; -1 for none."""
    tags = page.tree.tags
    places = (place for place, block in enumerate(page.blocks) if block.text and tags[block.node] == "h1")
    return headline if headline >= 0 else next(places, -1)
