"""BoilerPy3, a port of Boilerpipe: blocks are judged by words, links and their neighbours' words."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class BoilerPy3Method(TextMethod):
    """BoilerPy3's extractor of articles, without the tags that it cannot read."""

    cite: ClassVar[str] = (
        "Kohlschütter, Fankhauser & Nejdl, Boilerplate Detection Using Shallow Text Features, WSDM 2010, as "
        "ported by BoilerPy3"
    )
    package: ClassVar[str] = "boilerpy3"
    module: ClassVar[str] = "boilerpy3.extractors"

    def extract(self, html: str, url: str) -> str:
        """The article of a page; empty where BoilerPy3 fails on it, as on a page without any element."""
        del url
        # It logs each page that it fails on with two tracebacks.
        logging.getLogger("boilerpy3").setLevel(logging.CRITICAL)
        text: str = self.imported().ArticleExtractor(raise_on_failure=False).get_content(html)
        return text
