"""The crawl that ours is measured against: Scrapy's own components on the same archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from pagelets.archives.archive import Archive

HANDLER = "crawler.archives.handler.ArchiveDownloadHandler"


class PlainSpider(Spider):
    """Answers from an archive, parses with ``response.selector``, extracts links, yields the URL."""

    name = "plain"
    custom_settings = {  # noqa: RUF012
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
        "ROBOTSTXT_OBEY": False,
        "AUTOTHROTTLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    }

    def __init__(self, path: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.archive = Archive.open([Path(part) for part in path.split(",")])
        self.links = LinkExtractor()

    async def start(self) -> AsyncIterator[Request]:
        """All pages of the archive."""
        for url in self.archive.urls():
            yield Request(url, meta={"archive_url": url, "verbatim_url": True}, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> Iterator[dict[str, Any]]:
        """Parses, extracts links, yields the URL."""
        if isinstance(response, HtmlResponse):
            response.selector  # noqa: B018
            self.links.extract_links(response)
        yield {"url": response.url}

    def closed(self, reason: str) -> None:
        """Closes the archive."""
        self.archive.close()
