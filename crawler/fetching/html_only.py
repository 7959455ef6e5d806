"""Stops downloads that are no HTML as soon as their headers say so."""

from __future__ import annotations

from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, HtmlResponse, Request, Response
from scrapy.responsetypes import responsetypes

from pagelets.archives.html import MEDIA_TYPE, TYPES


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
    return MEDIA_TYPE.fullmatch(kind) is not None and kind not in TYPES


def as_html(response: Response) -> Response:
    """Returns a response as HTML if its Content-Type is no media type, and its name or body are of HTML:
    Scrapy takes ``text/html charset=utf-8`` and ``text/html, text/html`` for plain text.
    """
    if names_other_type(response.headers):
        return response
    if responsetypes.from_args(url=response.url, body=response.body) is not HtmlResponse:
        return response
    # Its replace() would ask a response of text for its encoding.
    return HtmlResponse(**{name: getattr(response, name) for name in Response.attributes})
