"""Newspaper4k: the element whose paragraphs have the most stop words and the fewest links."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from pagelets.literature.baselines.base import TextMethod


@dataclass(frozen=True)
class NewspaperMethod(TextMethod):
    """Newspaper4k without the network; the page's declared language chooses the stop words."""

    cite: ClassVar[str] = "Newspaper, Ou-Yang 2013, as continued by Newspaper4k"
    package: ClassVar[str] = "newspaper4k"
    module: ClassVar[str] = "newspaper"

    def imported(self) -> ModuleType:
        """The package's module. Raises MethodError as every `TextMethod` does."""
        with warnings.catch_warnings():
            # It says that nltk is missing, which summaries need and texts do not.
            warnings.simplefilter("ignore", UserWarning)
            return super().imported()

    def extract(self, html: str, url: str) -> str:
        """The article of a page. Raises Newspaper4k's ArticleException on a page that it cannot read."""
        options = {"fetch_images": False, "follow_meta_refresh": False}
        text: str = self.imported().article(url, input_html=html, **options).text
        return text
