"""Trafilatura: Barbaresi, "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and
Extraction", ACL-IJCNLP 2021 (demonstrations).
"""

from __future__ import annotations

from typing import ClassVar

from pagelets.methods.peers.base import imported


class Trafilatura:
    """Trafilatura with its default options, or with ``favor_recall``, which prefers more text."""

    package: ClassVar[str] = "trafilatura"

    def __init__(self, *, favor_recall: bool = False) -> None:
        self.favor_recall = favor_recall

    def load(self) -> None:
        """Imports the package. Raises PeerMissing."""
        imported("trafilatura", self.package)

    def extract(self, html: str, url: str) -> str:
        """The main text and comments of a page."""
        module = imported("trafilatura", self.package)
        return module.extract(html, url=url, favor_recall=self.favor_recall) or ""
