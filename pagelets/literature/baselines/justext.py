"""jusText: paragraphs are judged by length, links and stop words, and then by their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class JusTextMethod(TextMethod):
    """jusText without a stop list, which is its setting for any language: stop words decide nothing."""

    cite: ClassVar[str] = (
        "Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora, doctoral thesis, Masaryk "
        "University, 2011"
    )
    package: ClassVar[str] = "jusText"
    module: ClassVar[str] = "justext"

    def extract(self, html: str, url: str) -> str:
        """The good paragraphs of a page. Raises lxml's ParserError on a page without any element."""
        del url
        paragraphs = self.imported().justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)
