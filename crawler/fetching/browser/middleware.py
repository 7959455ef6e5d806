"""Marks the pages that a browser renders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from scrapy.exceptions import NotConfigured

from crawler.fetching.browser.switch import is_on
from pagelets.judging.by_url import UrlOverrides

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

RENDER: Final = "render"
"""The key of ``request.meta`` that is true for a page which `crawler.fetching.browser.handler` renders."""


class RenderPages:
    """Marks the requests of pages whose scripts are to be run, and not those of robots.txt and sitemaps.

    Such a page is never asked for conditionally: the data of its scripts may have changed where its own
    document has not.

    Settings: ``RENDER_JAVASCRIPT``, and ``javascript`` of ``OVERRIDES``.
    """

    def __init__(self, render: bool, overrides: UrlOverrides) -> None:
        self._render = render
        self._overrides = overrides

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings; switches itself off where rendering is not on, as in archives."""
        settings = crawler.settings
        if not is_on(settings):
            raise NotConfigured
        return cls(settings.getbool("RENDER_JAVASCRIPT"), UrlOverrides(settings.getlist("OVERRIDES")))

    def process_request(self, request: Request) -> None:
        """Marks a page's request."""
        if "page" not in request.meta:
            return
        if self._overrides.of(request.meta.get("page_url", request.url)).get("javascript", self._render):
            request.meta[RENDER] = True
            request.meta["dont_cache"] = True
