"""Readability, as readability-lxml ports it: the algorithm of the reading views of browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets import render
from pagelets.literature.baselines.base import TextMethod
from pagelets.reading import read


@dataclass(frozen=True)
class ReadabilityMethod(TextMethod):
    """readability-lxml; the text of the HTML that it returns is taken as this project takes any page's."""

    cite: ClassVar[str] = "Readability, Arc90 2009, as ported by readability-lxml"
    package: ClassVar[str] = "readability-lxml"
    module: ClassVar[str] = "readability"

    def extract(self, html: str, url: str) -> str:
        """The text of a page's summary. Raises readability's Unparseable on a page without any element."""
        document = self.imported().Document(html, url=url)
        page = read(document.summary(), url)
        return render.text(page, [True] * len(page.blocks))
