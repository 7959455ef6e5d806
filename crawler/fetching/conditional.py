"""Conditional requests: what the server says is as it was is neither transferred nor parsed again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.extensions.httpcache import RFC2616Policy
from scrapy.http import HtmlResponse, Response
from scrapy.settings import BaseSettings

from crawler.fetching.directives import robots_tags
from crawler.run.session import session_of
from store.meta import DISTRUSTED_HOSTS, READ_AS

TRUSTED_FOR: Final = 30 * 86_400.0
"""Seconds after which a page is fetched whole, however often its server has said that it is as it was."""


def validators(headers: list[tuple[str, str]]) -> tuple[str, str]:
    """ETag and Last-Modified among name and value pairs, empty where they lack: names of a page's state."""
    by_name = {name.lower(): value.strip() for name, value in headers}
    return by_name.get("etag", ""), by_name.get("last-modified", "")


class AskedAnew(RFC2616Policy):
    """Scrapy's policy of RFC 2616, by which the stored page is used where the server confirms it, and nowhere
    else: a server error is no confirmation.
    """

    def is_cached_response_valid(
        self, cachedresponse: Response, response: Response, request: Request
    ) -> bool:
        """Returns True if the ``response`` is a 304; ``cachedresponse`` and ``request`` do not matter."""
        return response.status == 304


class StoredPages:
    """The pages of the site's store as Scrapy's HTTP cache: it reads the table BODIES, which the pipeline
    writes.

    A page is asked for without validators where its server has been found to send the same ones for another
    text, or refused them last, where it was sent with none, where its headers ask for no index, which a 304
    does not take back, where its links and what it asks of crawlers were read by other settings, or where it
    has not been transferred for longer than `TRUSTED_FOR`.
    """

    def __init__(self, settings: BaseSettings) -> None:
        """Takes the settings, as Scrapy makes its storages, and needs none of them."""

    def open_spider(self, spider: Spider) -> None:
        """Takes the store of the spider's site."""
        self._store = session_of(spider.crawler).store
        self._directives = cast("Any", spider).directives
        self._distrusted = frozenset(self._store.meta(DISTRUSTED_HOSTS) or ())
        self._read_since = (self._store.meta(READ_AS) or [0])[-1]

    def close_spider(self, spider: Spider) -> None:
        """The store is closed with the run."""

    def retrieve_response(self, spider: Spider, request: Request) -> Response | None:
        """The stored page of a request, None where the server has to send it."""
        page = request.meta.get("page")
        if page is None or urlsplit(request.url).netloc in self._distrusted:
            return None
        fetch = self._store.pages.fetch(page)
        if (
            fetch is None
            or fetch.run < self._read_since
            or not self._is_trusted(fetch.fetched_at)
            or self._store.pages.is_unconditional(page)
        ):
            return None
        headers = self._store.bodies.headers(page)
        if not any(validators(headers)) or "noindex" in self._directives.of(robots_tags(headers)):
            return None
        body = self._store.bodies.get(page)
        fields = [(name, value.encode("latin-1")) for name, value in body.headers]
        return HtmlResponse(request.url, fetch.status, fields, body.data, encoding=body.encoding)

    def _is_trusted(self, fetched_at: str) -> bool:
        age = datetime.now(UTC) - datetime.fromisoformat(fetched_at)
        # A clock that was set back tells nothing of the age.
        return 0 <= age.total_seconds() < TRUSTED_FOR

    def store_response(self, spider: Spider, request: Request, response: Response) -> None:
        """Does nothing for a ``response`` to the ``request`` of a ``spider``: the pipeline stores pages, with
        all that belongs to them in one transaction.
        """


class ConditionalRequests(HttpCacheMiddleware):
    """Scrapy's HTTP cache over the store's pages: a page that the server confirms with 304 comes back with
    the flag ``cached``.

    Every page is asked for, however long it may be kept (``Cache-Control: max-age=0``); a server that does
    not answer is no confirmation.

    Settings: ``HTTPCACHE_ENABLED``. Stats: ``pages/not_modified``.
    """

    def process_request(self, request: Request, spider: Spider | None = None) -> Request | Response | None:
        """Adds the validators of the stored page to its request."""
        if "page" in request.meta:
            request.headers.setdefault(b"Cache-Control", b"max-age=0")
        return super().process_request(request)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Returns the stored page in place of a ``response`` with status 304; takes its ``request`` and the
        ``spider``.
        """
        result = super().process_response(request, response)
        if "cached" in getattr(result, "flags", ()):
            # Of the 304: the body is stored as it was decoded.
            result.headers.pop("Content-Encoding", None)
        return result

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:
        """Lets an ``exception`` of a ``request`` of a ``spider`` pass: a failed page does not count as
        unchanged.
        """
        request.meta.pop("cached_response", None)
