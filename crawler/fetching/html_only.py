"""Stops downloads that are no HTML as soon as their headers say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import StopDownload

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Request

HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")


class HtmlOnly:
    """Ends the download of a page whose Content-Type is not HTML: its URL is settled by its status (a
    redirect, an error), or as refused (type).

    A response without a Content-Type is downloaded, and judged by its body.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listens for response headers."""
        extension = cls()
        crawler.signals.connect(extension.headers_received, signal=signals.headers_received)
        return extension

    def headers_received(self, headers: Headers, body_length: int | None, request: Request) -> None:
        """Raises StopDownload where the headers name another type."""
        del body_length
        kind = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        if "page" in request.meta and kind and kind not in HTML:
            # The response goes on without its body: what becomes of it is told by its status first.
            raise StopDownload(fail=False)
