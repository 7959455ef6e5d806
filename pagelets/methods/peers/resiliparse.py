"""Resiliparse: Bevendorff et al., "Elastic ChatNoir: Search Engine for the ClueWeb and the Common Crawl",
ECIR 2018; its main content extraction is a set of rules on elements and their class names.
"""

from __future__ import annotations

from typing import ClassVar

from pagelets.methods.peers.base import imported


class Resiliparse:
    """Resiliparse's plain text of the main content, with its default options."""

    package: ClassVar[str] = "resiliparse"

    def load(self) -> None:
        """Imports the package. Raises PeerMissing."""
        imported("resiliparse.extract.html2text", self.package)

    def extract(self, html: str, url: str) -> str:
        """The main text of a page."""
        del url
        module = imported("resiliparse.extract.html2text", self.package)
        text: str = module.extract_plain_text(html, main_content=True)
        return text
