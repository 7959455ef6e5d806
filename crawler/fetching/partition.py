"""Reads fetched pages, and splits them into pagelets."""

from __future__ import annotations

import logging
from typing import Self

from scrapy.http import HtmlResponse
from scrapy.settings import BaseSettings

from crawler.configuration.checks import extraction_in
from crawler.configuration.judge_config import partition_of, selectors_of
from crawler.fetching.directives import Directives
from crawler.fetching.internals import declared_encoding
from crawler.fetching.reading import Fetched, Reading, ReadPage
from crawler.items import PageItem, WorkedOut
from pagelets.archives.html import has_end
from pagelets.compiled import plain_parts
from pagelets.reading.source import MAX_SIZE, encoding_of_response
from store.bodies import Body
from store.runs import now

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
    from it; and those of `crawler.fetching.directives.Directives`.
    """

    def __init__(self, reading: Reading, max_size: int = MAX_SIZE) -> None:
        self.reading = reading
        self.max_size = max_size

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """Reads the settings."""
        if plain := plain_parts():
            logger.info("Plain code does what compiled code would do faster: %s", "; ".join(plain))
        return cls(
            Reading(
                partition_of(settings),
                selectors_of(settings),
                extraction_in(settings),
                Directives.from_settings(settings),
            )
        )

    def read(self, response: HtmlResponse) -> PageItem:
        """Reads a page. What it raises concerns this page alone."""
        fetched = self.fetched(response)
        return item_of(response, fetched, self.reading.read(fetched))

    def fetched(self, response: HtmlResponse) -> Fetched:
        """Returns the part of a page's response that is read and stored."""
        # What a server gives to one visitor alone; and what names a whole page, of a part of it.
        left_out = {b"set-cookie", *((b"etag", b"last-modified") if "dataloss" in response.flags else ())}
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            if name.lower() not in left_out
            for value in values
        ]
        # Some servers end a page with the connection alone.
        unsure = "partial" in response.flags and not has_end(response.body)
        return Fetched(
            response.meta["page_url"],
            Body(encoding_in(response, response.meta["page_url"]), headers, response.body[: self.max_size]),
            response.headers.getlist(b"X-Robots-Tag"),
            unsure or "dataloss" in response.flags or len(response.body) > self.max_size,
        )


def item_of(
    response: HtmlResponse, fetched: Fetched, read_page: ReadPage, worked_out: WorkedOut | None = None
) -> PageItem:
    """Returns the item of a page.

    Args:
        response: the response of the page's request.
        fetched: what was read of it.
        read_page: how it was read.
        worked_out: what another process has made of it, if one has read it.
    """
    return PageItem(
        page_id=response.meta["page"],
        depth=response.meta["depth"],
        status=response.status,
        fetched_at=now(),
        body=fetched.body,
        page=read_page.page,
        pagelets=read_page.pagelets,
        flags=read_page.flags,
        heeded=read_page.heeded,
        worked_out=worked_out,
    )


def encoding_in(response: HtmlResponse, url: str) -> str:
    """The encoding of the response of a page that has this ``url``."""
    content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
    return encoding_of_response(declared_encoding(response), response.body, content_type, url)
