"""Renders what a mask keeps of a page: as plain text, safe HTML, Markdown, or sections under headings.

All four take a page and a mask (one truth value a block, true where content), keep the order of the blocks,
and lose no word of a kept one.
"""

from pagelets.render.to_html import html
from pagelets.render.to_markdown import markdown
from pagelets.render.to_sections import Section, sections
from pagelets.render.to_text import text

__all__ = ["Section", "html", "markdown", "sections", "text"]
