"""The extractors by others, each as its package has it: that may be missing, and its text is looked for on
the page.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.metadata import version
from types import ModuleType
from typing import ClassVar, Final

from pagelets.literature.baselines.alignment import aligned
from pagelets.methods.base import MethodError, Parameters, Subject, Verdict
from pagelets.reading import read
from pagelets.render import Rendering

LEFT_OUT: Final = "left out"
"""Why a block is removed: it is not in the text of the extractor."""
KEPT_SHARE: Final = 0.5
"""Of a block that is kept, so much stands in the text of the extractor."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
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
            why = " ".join(str(failure).split())
            logger.warning("%s: %s fails: %s: %s", page.url, self.package, type(failure).__name__, why)
            text = ""
        scores = aligned([block.text for block in page.blocks], text)
        return Verdict.of(scores >= KEPT_SHARE, scores, LEFT_OUT)


def _missing(error: BaseException) -> str | None:
    """The module whose absence led to an error; None where none is absent."""
    # lxml says in its own words that a part of it is a package of its own now.
    before = error.__cause__ or error.__context__
    missing = None if before is None else _missing(before)
    return missing or (error.name if isinstance(error, ModuleNotFoundError) else None)


class BoilerPy3Method(TextMethod):
    """BoilerPy3's extractor of articles: blocks are judged by words, links and their neighbours' words."""

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


class GooseMethod(TextMethod):
    """Goose3 with its default options: the element whose paragraphs have the most stop words, and its
    neighbours. The page's declared language chooses the stop words.
    """

    cite: ClassVar[str] = "Goose, Gravity 2010, as ported by Goose3"
    package: ClassVar[str] = "goose3"
    module: ClassVar[str] = "goose3"

    def extract(self, html: str, url: str) -> str:
        """The article of a page."""
        del url
        if not html:
            # Goose3 would ask the network for a page without HTML.
            return ""
        text: str = self.imported().Goose().extract(raw_html=html).cleaned_text
        return text


class JusTextMethod(TextMethod):
    """jusText without a stop list, its setting for any language: paragraphs are judged by length and links,
    and then by their neighbours.
    """

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


class NewspaperMethod(TextMethod):
    """Newspaper4k without the network: the element whose paragraphs have the most stop words, of the page's
    declared language, and the fewest links.
    """

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


class ReadabilityMethod(TextMethod):
    """readability-lxml, the algorithm of the reading views of browsers; the text of the HTML that it returns
    is taken as this project takes any page's.
    """

    cite: ClassVar[str] = "Readability, Arc90 2009, as ported by readability-lxml"
    package: ClassVar[str] = "readability-lxml"
    module: ClassVar[str] = "readability"

    def extract(self, html: str, url: str) -> str:
        """The text of a page's summary. Raises readability's Unparseable on a page without any element."""
        document = self.imported().Document(html, url=url)
        page = read(document.summary(), url)
        return Rendering(page, [True] * len(page.blocks)).text()


class ResiliparseMethod(TextMethod):
    """Resiliparse's plain text of the main content by default options: rules on elements and classes."""

    cite: ClassVar[str] = (
        "Bevendorff et al., Elastic ChatNoir: Search Engine for the ClueWeb and the Common Crawl, ECIR 2018"
    )
    package: ClassVar[str] = "resiliparse"
    module: ClassVar[str] = "resiliparse.extract.html2text"

    def extract(self, html: str, url: str) -> str:
        """The main text of a page."""
        del url
        text: str = self.imported().extract_plain_text(html, main_content=True)
        return text


@dataclass(frozen=True)
class TrafilaturaMethod(TextMethod):
    """Trafilatura with its default options, rules on the tree; without the ``comments`` that readers left; or
    with ``favor_recall``, which prefers more text.
    """

    cite: ClassVar[str] = (
        "Barbaresi, Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and "
        "Extraction, ACL-IJCNLP 2021 (demonstrations)"
    )
    package: ClassVar[str] = "trafilatura"
    module: ClassVar[str] = "trafilatura"
    comments: bool = True
    favor_recall: bool = False

    def extract(self, html: str, url: str) -> str:
        """The main text of a page, and its comments where they are asked for."""
        options = {"include_comments": self.comments, "favor_recall": self.favor_recall}
        return self.imported().extract(html, url=url, **options) or ""
