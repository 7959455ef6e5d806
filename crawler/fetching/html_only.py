"""Stops downloads that are no HTML as soon as their headers say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Self

from scrapy import signals
from scrapy.exceptions import StopDownload

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Request

HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")

_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)


class HtmlOnly:
    """Ends the download of a page whose Content-Type is not HTML: its URL is settled by its status (a
    redirect, an error), or as refused (`crawler.spiders.base`).

    A response without a Content-Type, or with one that is no media type, is downloaded, and judged by its
    body.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listens for response headers."""
        extension = cls()
        crawler.signals.connect(extension.headers_received, signal=signals.headers_received)
        return extension

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Raises StopDownload if the ``headers`` of the answer to a ``request`` name another type."""
        if "page" in request.meta and names_other_type(headers):
            # The response goes on without its body: its status decides first.
            raise StopDownload(fail=False)


def names_other_type(headers: Headers) -> bool:
    """Returns True if the Content-Type of a response is a media type other than HTML."""
    kind = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
    return _TYPE.fullmatch(kind) is not None and kind not in HTML
