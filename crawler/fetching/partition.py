"""Reads fetched pages, and splits them into pagelets."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from crawler.configuration.extensions import extraction_in
from crawler.configuration.judge_config import partition_of, selectors_of
from crawler.items import PageItem
from pagelets.compiled import plain_parts
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.reading import read
from pagelets.reading.fields import NO_FIELDS, Extraction
from pagelets.reading.source import MAX_SIZE, encoding_of, flags_of, is_text_encoding
from store.bodies import Body
from store.runs import now

if TYPE_CHECKING:
    from scrapy.http import HtmlResponse
    from scrapy.settings import BaseSettings

    from pagelets.partitions import Partition

logger = logging.getLogger(__name__)


class PageReader:
    """Reads the response of a page's request: its blocks, links and pagelets, and what is stored of it.

    Flags of a page: ``truncated`` (the connection broke off, or the body is cut), ``unhidden`` (much
    of the text waits for a script or a click, and was read as visible), ``empty`` (no body), ``binary``
    (NUL, or control characters that no text has), ``garbled`` (it is not in the encoding that it says),
    ``links_cut`` (it has more links than a site counts).

    Settings: ``PARTITION``, how pages are cut (`pagelets.partitions`); ``PAGELET_K``, the links that make a
    pagelet of ``k-links`` (Bar-Yossef & Rajagopalan, WWW 2002, Definition 2); ``KEEP_SELECTORS`` and
    ``DROP_SELECTORS``, whose elements are blocks of their own; ``EXTRACT``, the fields whose values are taken
    from it.
    """

    def __init__(
        self,
        partition: Partition,
        max_size: int = MAX_SIZE,
        selectors: Selectors = NO_SELECTORS,
        extraction: Extraction = NO_FIELDS,
    ) -> None:
        self.partition = partition
        self.max_size = max_size
        self.selectors = selectors
        self.extraction = extraction

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """Reads the settings."""
        if plain := plain_parts():
            logger.info("Plain code does what compiled code would do faster: %s", "; ".join(plain))
        return cls(partition_of(settings), MAX_SIZE, selectors_of(settings), extraction_in(settings))

    def read(self, response: HtmlResponse) -> PageItem:
        """Reads a page. What it raises concerns this page alone."""
        meta = response.meta
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
        page = read(source, meta["page_url"], self.selectors, extraction=self.extraction)
        broken = not {"dataloss", "partial"}.isdisjoint(response.flags)
        flags = flags_of(source, page, cut=broken or len(response.body) > self.max_size)
        return PageItem(
            page_id=meta["page"],
            depth=meta["depth"],
            status=response.status,
            fetched_at=now(),
            body=body,
            page=page,
            pagelets=self.partition(page),
            flags=tuple(sorted(flags)),
        )


def _encoding(response: HtmlResponse) -> str:
    """Returns the encoding that Scrapy finds, or another if that is not a text encoding."""
    if is_text_encoding(response.encoding):
        return response.encoding
    content_type = response.headers.get(b"Content-Type") or b""
    return encoding_of(response.body, content_type.decode("latin-1"))
