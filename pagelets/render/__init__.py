"""Renders what a mask keeps of a page: as plain text, safe HTML, Markdown, or sections under headings.

All take a page and a mask (one truth value a block, true where content), keep the order of the blocks, and
lose no word of a kept one. Where several renderings of one page are wanted, `Rendering` makes them from one
look at the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.render.outline import Outline
from pagelets.render.to_html import html, write_html
from pagelets.render.to_markdown import markdown, write_markdown
from pagelets.render.to_sections import Section, sections, write_sections
from pagelets.render.to_text import joined, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

__all__ = ["Rendering", "Section", "html", "markdown", "sections", "text"]


class Rendering:
    """The renderings of one page and mask; each is what the function of its name returns.

    Raises ValueError where the mask is not aligned with the page's blocks.
    """

    def __init__(self, page: Page, mask: Sequence[bool]) -> None:
        self._outline = Outline(page)
        self._entries = self._outline.entries(mask)
        self._text: str | None = None

    def text(self) -> str:
        """The kept blocks as `pagelets.render.text` gives them."""
        if self._text is None:
            self._text = joined(self._outline, self._entries)
        return self._text

    def html(self) -> str:
        """The kept blocks as `pagelets.render.html` gives them."""
        return write_html(self._outline, self._entries)

    def markdown(self) -> str:
        """The kept blocks as `pagelets.render.markdown` gives them."""
        return write_markdown(self._outline, self._entries)

    def sections(self) -> list[Section]:
        """The kept blocks as `pagelets.render.sections` gives them."""
        return write_sections(self._outline, self._entries)
