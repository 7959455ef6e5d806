"""Renders what a mask keeps of a page: as plain text, safe HTML, Markdown, or sections under headings.

All renderings keep the order of the blocks, and lose no word of a kept one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.render import to_html, to_markdown, to_text
from pagelets.render.outline import Outline
from pagelets.render.to_text import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

__all__ = ["Rendering", "Section"]


class Rendering:
    """The renderings of one page and mask (one truth value a block, true where content), made from one look
    at the tree. Raises ValueError where the mask is not aligned with the page's blocks.
    """

    def __init__(self, page: Page, mask: Sequence[bool]) -> None:
        self._outline = Outline(page)
        self._entries = self._outline.entries(mask)
        self._text: str | None = None

    def text(self) -> str:
        """The kept blocks as plain text: one block a line, paragraphs and headings parted by a blank line.

        The items of a list, the cells of a table and the blocks of one ``pre`` stand on adjacent lines unless
        they are paragraphs or headings. Line ends inside a block (``br``, ``pre``) are kept; blocks without
        text give nothing.
        """
        if self._text is None:
            self._text = to_text.joined(self._outline, self._entries)
        return self._text

    def html(self) -> str:
        """The kept blocks as safe HTML, with the structure that says something about them.

        Headings, paragraphs, lists, tables, quotes, code, figures, definitions, details, pictures and inline
        markup stay; links and pictures have absolute addresses (http, https, and mailto for links). Scripts,
        styles, event handlers, forms, frames and all other elements and attributes are gone.
        """
        return to_html.html(self._outline, self._entries)

    def markdown(self) -> str:
        """The kept blocks as GitHub-flavoured Markdown.

        Headings, lists, quotes, fenced code with its language, tables, links, pictures, strong, emphasised,
        struck and code text stay; what Markdown has no word for becomes paragraphs, tables that serve as
        layout too. Terms and summaries are strong. Text is escaped so that it reads as on the page, and can
        never be markup.
        """
        return to_markdown.markdown(self._outline, self._entries)

    def sections(self) -> list[Section]:
        """The kept blocks cut at headings, in document order.

        Text before the first heading has an empty path. A heading is in the paths of what follows it until
        one of its own or a higher level, and not in the text. A heading without text below it makes no
        section of its own where a section further down has it in its path, else one with empty text: every
        kept block is in a path or in a text.
        """
        return to_text.sections(self._outline, self._entries)
