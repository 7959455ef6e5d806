"""What a page says of itself: its title, its language, who wrote it, and when it was published.

A page declares such things for machines (JSON-LD, ``meta`` elements, microdata) or marks them in its text. A
declaration counts where it is well-formed and plainly of the page itself, not of another one that the page
lists, of a comment, or of a product's review: None rather than a guess.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.metadata.declarations import Declarations
    from pagelets.page import Page

__all__ = ["Metadata"]


class Metadata:
    """The metadata of a page, each piece read from its tree, which is not changed, when it is asked for.

    What reads a piece is loaded then, too: their patterns and tables take longer than many a page.

    Takes the page, the mask over its blocks, true where content, and when it was fetched (ISO 8601). Raises
    ValueError where the mask is not aligned with the page's blocks.
    """

    def __init__(self, page: Page, mask: Sequence[bool], fetched_at: str) -> None:
        if len(mask) != len(page.blocks):
            raise ValueError(f"a mask of {len(mask)} for {len(page.blocks)} blocks")
        self._page = page
        self._mask = mask
        self._fetched_at = fetched_at

    @cached_property
    def _declarations(self) -> Declarations:
        from pagelets.metadata.declarations import Declarations

        return Declarations(self._page)

    def title(self, affixes: frozenset[str]) -> str:
        """The page's title without the name of its site; takes the parts of titles that name the site."""
        from pagelets.metadata.titles import find_title

        return find_title(self._declarations, self._mask, affixes)

    def language(self) -> str | None:
        """The language of the page's content, a BCP 47 tag such as ``pt-BR``."""
        from pagelets.metadata.language import find_language

        return find_language(self._declarations, self._mask)

    def author(self) -> str | None:
        """The names of the page's authors, parted by ``", "``; at most `authors.MAX_CHARS` characters."""
        from pagelets.metadata.authors import find_author

        return find_author(self._declarations)

    def published(self) -> str | None:
        """The time of publication, as precisely as the page says: an ISO 8601 date or date-time."""
        from pagelets.metadata.dates import find_published

        return find_published(self._declarations, self._mask, self._fetched_at)
