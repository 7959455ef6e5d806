"""The base of extractors by others: a package that may be missing, a text that is looked for on the page."""

from __future__ import annotations

import importlib
import logging
from abc import ABC, abstractmethod
from importlib.metadata import version
from types import ModuleType
from typing import ClassVar, Final

from pagelets.literature.baselines.alignment import aligned
from pagelets.methods.base import MethodError, Parameters, Subject, Verdict

LEFT_OUT: Final = "left out"
"""Why a block is removed: it is not in the text of the extractor."""
KEPT_SHARE: Final = 0.5
"""Of a block that is kept, so much stands in the text of the extractor."""

logger = logging.getLogger(__name__)


class TextMethod(Parameters, ABC):
    """An extractor of main text that sees one page, and nothing of its site.

    ``package`` is what provides it, as ``pip`` calls it, ``module`` what of it is imported, when it is first
    used: a crawl needs none of them. A block is kept where half of its words or more stand in the text, in
    order; a score is that share.
    """

    package: ClassVar[str]
    module: ClassVar[str]

    @property
    def version(self) -> str:
        """The package's version and the parameters. Raises MethodError if it is not installed."""
        self.check()
        return f"{version(self.package)} {super().version}".rstrip()

    def check(self) -> None:
        """Imports the package. Raises MethodError if it is not installed."""
        self.imported()

    def imported(self) -> ModuleType:
        """The package's module. Raises MethodError where it, or a package that it needs, is not installed."""
        try:
            return importlib.import_module(self.module)
        except ImportError as error:
            raise MethodError(self._lacks(error)) from error

    def _lacks(self, error: ImportError) -> str:
        """Returns what cannot be imported, and the mend; only pip knows which package has a module."""
        missing = _missing(error)
        if missing is None:
            mend = f"pip install --force-reinstall {self.package}"
            return f"{self.package} cannot be imported ({error}): {mend}"
        if missing.partition(".")[0] == self.module.partition(".")[0]:
            return f"{self.package} is not installed: pip install {self.package}"
        mend = f"pip install {self.package} installs that too"
        return f"{missing}, which {self.package} needs, is not installed: {mend}"

    @abstractmethod
    def extract(self, html: str, url: str) -> str:
        """The main text of a page, given its decoded HTML and its address; empty where it finds none.

        Raises MethodError, and whatever the package raises on a page that it cannot read.
        """

    def judge(self, subject: Subject) -> Verdict:
        """Keeps the blocks that the text holds; where the extractor fails, none, and the log says so.

        Raises MethodError where the package is not installed, or the HTML is not known.
        """
        page, html = subject.page, subject.html
        try:
            text = self.extract(html, page.url)
        except MethodError:
            raise
        except Exception as failure:
            # Whatever a package raises on a page of strangers: the crawl goes on, and keeps the page whole.
            logger.warning("%s: %s fails: %s: %s", page.url, self.package, type(failure).__name__, failure)
            text = ""
        scores = aligned([block.text for block in page.blocks], text)
        return Verdict.of(scores >= KEPT_SHARE, scores, LEFT_OUT)


def _missing(error: BaseException) -> str | None:
    """The module whose absence led to an error; None where none is absent."""
    # lxml says in its own words that a part of it is a package of its own now.
    before = error.__cause__ or error.__context__
    missing = None if before is None else _missing(before)
    return missing or (error.name if isinstance(error, ModuleNotFoundError) else None)
