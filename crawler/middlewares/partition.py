"""Splits every fetched page into k-link pagelets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from scrapy.http import HtmlResponse

from pagelets.page import Page, build, parse, usable_root
from pagelets.partition import Pagelet, partition
from store.bodies import Body

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PAGE: Final = "partitioned_page"


@dataclass(slots=True, frozen=True)
class PartitionedPage:
    """A page as the spider gets it in ``response.meta``: blocks and links, pagelets, and what is stored."""

    page: Page
    pagelets: list[Pagelet]
    body: Body
    flags: tuple[str, ...]


class PartitionMiddleware:
    """Reads a page's blocks, links and pagelets from the tree that ``response.selector`` has parsed, once.

    Leaves them in ``response.meta``; the tree is not changed. A response that is no HTML is left alone.

    Settings: ``PAGELET_K``, the links that make a pagelet (Bar-Yossef & Rajagopalan, WWW 2002, Definition 2);
    ``BODY_MAX_SIZE``, the bytes of a body beyond which it is cut, and flagged ``truncated``.
    """

    def __init__(self, k: int, max_size: int) -> None:
        self.k = k
        self.max_size = max_size

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings."""
        return cls(crawler.settings.getint("PAGELET_K"), crawler.settings.getint("BODY_MAX_SIZE"))

    def process_spider_input(self, response: Response) -> None:
        """Partitions the response of a page's request."""
        if "page" not in response.meta or not isinstance(response, HtmlResponse):
            return
        flags = set()
        if {"dataloss", "partial"}.intersection(response.flags):
            flags.add("truncated")
        if not response.body.strip():
            flags.add("empty")
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        ]
        body = Body(response.encoding, headers, response.body)
        if len(body.content) > self.max_size:
            flags.add("truncated")
            body = Body(body.encoding, headers, body.content[: self.max_size])
            root = parse(body.text())
        else:
            try:
                root = usable_root(response.selector.root)
            except UnicodeEncodeError:
                # The text holds what no document may: the parser does not take it as it is.
                root = parse(body.text())
        page = build(root, response.meta["page_url"])
        if page.truncated:
            flags.add("truncated")
        response.meta[PAGE] = PartitionedPage(page, partition(page, self.k), body, tuple(sorted(flags)))
