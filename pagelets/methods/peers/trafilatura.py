"""Trafilatura: Barbaresi, "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and
Extraction", ACL-IJCNLP 2021 (demonstrations).
"""

from __future__ import annotations

from typing import ClassVar

from pagelets.methods.peers.base import imported


class Trafilatura:
    """Trafilatura with its default options; without the comments that readers left; or with ``favor_recall``,
    which prefers more text.
    """

    package: ClassVar[str] = "trafilatura"

    def __init__(self, *, comments: bool = True, favor_recall: bool = False) -> None:
        self.comments = comments
        self.favor_recall = favor_recall

    def load(self) -> None:
        """Imports the package. Raises PeerMissing."""
        imported("trafilatura", self.package)

    def extract(self, html: str, url: str) -> str:
        """The main text of a page, and its comments where they are asked for."""
        module = imported("trafilatura", self.package)
        options = {"include_comments": self.comments, "favor_recall": self.favor_recall}
        return module.extract(html, url=url, **options) or ""
