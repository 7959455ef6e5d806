"""Trafilatura: rules on the tree, with jusText and readability where they find too little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class TrafilaturaMethod(TextMethod):
    """Trafilatura with its default options; without the ``comments`` that readers left; or with
    ``favor_recall``, which prefers more text.
    """

    cite: ClassVar[str] = (
        "Barbaresi, Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and "
        "Extraction, ACL-IJCNLP 2021 (demonstrations)"
    )
    package: ClassVar[str] = "trafilatura"
    module: ClassVar[str] = "trafilatura"
    comments: bool = True
    favor_recall: bool = False

    def extract(self, html: str, url: str) -> str:
        """The main text of a page, and its comments where they are asked for."""
        options = {"include_comments": self.comments, "favor_recall": self.favor_recall}
        return self.imported().extract(html, url=url, **options) or ""
