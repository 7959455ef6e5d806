"""Readability, as readability-lxml ports it: the algorithm of the reading views of browsers."""

from __future__ import annotations

from typing import ClassVar

from pagelets import render
from pagelets.methods.peers.base import imported
from pagelets.reading import read


class Readability:
    """readability-lxml; the text of the HTML that it returns is taken as this project takes any page's."""

    package: ClassVar[str] = "readability-lxml"

    def load(self) -> None:
        """Imports the package. Raises PeerMissing."""
        imported("readability", self.package)

    def extract(self, html: str, url: str) -> str:
        """The text of a page's summary. Raises readability's Unparseable on a page without any element."""
        document = imported("readability", self.package).Document(html, url=url)
        page = read(document.summary(), url)
        return render.text(page, [True] * len(page.blocks))
