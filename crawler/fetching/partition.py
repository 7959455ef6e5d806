"""Splits every fetched page into pagelets."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from scrapy.http import HtmlResponse

from crawler.configuration.partition import partition_of
from crawler.configuration.selectors import selectors_of
from pagelets.compiled import plain_parts
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.reading import read
from pagelets.reading.source import encoding_of, flags_of, is_text_encoding
from store.bodies import Body

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from pagelets.page import Page
    from pagelets.partition import Pagelet
    from pagelets.partitions import Partition

PAGE: Final = "partitioned_page"

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class PartitionedPage:
    """A page as the spider gets it in ``response.meta``: blocks and links, pagelets, and what is stored."""

    page: Page
    pagelets: list[Pagelet]
    body: Body
    flags: tuple[str, ...]


class UnreadablePage(Exception):
    """A page could not be read or partitioned; its text names the exception that says why.

    Raised by PartitionMiddleware, for the errback of the page's request.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(type(error).__name__)
        self.error = error


class PartitionMiddleware:
    """Parses a page and reads its blocks, links and pagelets, once.

    Leaves them in ``response.meta``. A response that is no HTML is left alone; one
    that cannot be read is logged, and its URL settled as failed, which hurts no other page.

    Flags of a page: ``truncated`` (the connection broke off, or the body is cut), ``unhidden`` (much
    of the text waits for a script or a click, and was read as visible), ``empty`` (no body), ``binary``
    (NUL, or control characters that no text has), ``garbled`` (it is not in the encoding that it says),
    ``links_cut`` (it has more links than a site counts).

    Settings: ``PARTITION``, how pages are cut (`pagelets.partitions`); ``PAGELET_K``, the links that make a
    pagelet of ``k-links`` (Bar-Yossef & Rajagopalan, WWW 2002, Definition 2);
    ``BODY_MAX_SIZE``, the bytes of a body beyond which it is cut, and flagged ``truncated``;
    ``KEEP_SELECTORS`` and ``DROP_SELECTORS``, whose elements are blocks of their own.
    """

    def __init__(self, partition: Partition, max_size: int, selectors: Selectors = NO_SELECTORS) -> None:
        self.partition = partition
        self.max_size = max_size
        self.selectors = selectors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings."""
        settings = crawler.settings
        if plain := plain_parts():
            logger.info("Plain code does what compiled code would do faster: %s", "; ".join(plain))
        return cls(partition_of(settings), settings.getint("BODY_MAX_SIZE"), selectors_of(settings))

    def process_spider_input(self, response: Response) -> None:
        """Partitions the response of a page's request. Raises UnreadablePage."""
        if "page" not in response.meta or not isinstance(response, HtmlResponse):
            return
        if "cached" in response.flags:
            # The server says that it is as it was: the store has its pagelets.
            return
        try:
            response.meta[PAGE] = self._partitioned(response)
        except Exception as error:
            raise UnreadablePage(error) from error

    def _partitioned(self, response: HtmlResponse) -> PartitionedPage:
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            # What a server gives to one visitor alone.
            if name.lower() != b"set-cookie"
            for value in values
        ]
        body = Body(_encoding(response), headers, response.body[: self.max_size])
        # Not response.text, which is another where no encoding is found: the page that is judged when it is
        # released has to be the one that is recorded now.
        source = body.source()
        # Not response.selector: it and the response hold each other, so that the trees of hundreds of pages
        # would wait in memory for the garbage collector.
        page = read(source, response.meta["page_url"], self.selectors)
        broken = not {"dataloss", "partial"}.isdisjoint(response.flags)
        flags = flags_of(source, page, cut=broken or len(response.body) > self.max_size)
        return PartitionedPage(page, self.partition(page), body, tuple(sorted(flags)))


def _encoding(response: HtmlResponse) -> str:
    """Returns the encoding that Scrapy finds, or another if that is not a text encoding."""
    if is_text_encoding(response.encoding):
        return response.encoding
    content_type = response.headers.get(b"Content-Type") or b""
    return encoding_of(response.body, content_type.decode("latin-1"))
