"""jusText: Pomikálek, "Removing Boilerplate and Duplicate Content from Web Corpora", doctoral thesis, Masaryk
University, 2011: paragraphs are judged by length, links and stop words, and then by their neighbours.
"""

from __future__ import annotations

from typing import ClassVar

from pagelets.methods.peers.base import imported


class JusText:
    """jusText without a stop list, which is its setting for any language: stop words decide nothing."""

    package: ClassVar[str] = "jusText"

    def load(self) -> None:
        """Imports the package. Raises PeerMissing."""
        imported("justext", self.package)

    def extract(self, html: str, url: str) -> str:
        """The good paragraphs of a page. Raises lxml's ParserError on a page without any element."""
        del url
        module = imported("justext", self.package)
        paragraphs = module.justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)
