"""Goose3: the element whose paragraphs have the most stop words, and its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class GooseMethod(TextMethod):
    """Goose3 with its default options; the page's declared language chooses the stop words."""

    cite: ClassVar[str] = "Goose, Gravity 2010, as ported by Goose3"
    package: ClassVar[str] = "goose3"
    module: ClassVar[str] = "goose3"

    def extract(self, html: str, url: str) -> str:
        """The article of a page."""
        del url
        if not html:
            # Goose3 would ask the network for a page without HTML.
            return ""
        text: str = self.imported().Goose().extract(raw_html=html).cleaned_text
        return text
