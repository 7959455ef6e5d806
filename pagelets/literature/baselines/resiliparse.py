"""Resiliparse: its main content extraction is a set of rules on elements and their class names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class ResiliparseMethod(TextMethod):
    """Resiliparse's plain text of the main content, with its default options."""

    cite: ClassVar[str] = (
        "Bevendorff et al., Elastic ChatNoir: Search Engine for the ClueWeb and the Common Crawl, ECIR 2018"
    )
    package: ClassVar[str] = "resiliparse"
    module: ClassVar[str] = "resiliparse.extract.html2text"

    def extract(self, html: str, url: str) -> str:
        """The main text of a page."""
        del url
        text: str = self.imported().extract_plain_text(html, main_content=True)
        return text
