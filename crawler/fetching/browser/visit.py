"""Limits the requests of a page while a browser runs its scripts."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, Route
from playwright.async_api import Request as BrowserRequest
from scrapy.http import HtmlResponse, Request, Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from crawler.fetching.credentials import Credentials

UNSEEN: Final = frozenset({"image", "media", "font", "texttrack", "eventsource", "ping", "prefetch"})
"""Types of requests that add nothing to a page's text; nor does what is fetched ahead (``Sec-Purpose``)."""

_READABLE: Final = frozenset({"fetch", "xhr", "other"})
"""Types of requests whose answers a script can read."""
_OF_THE_TRANSFER: Final = frozenset({"content-length", "content-encoding", "transfer-encoding", "connection"})
_OF_THE_CONNECTION: Final = frozenset({"host", "connection", "content-length", "accept-encoding", "cookie"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 20
_HEAD: Final = re.compile(r"<head(?:\s[^>]*)?>")
_AT_ONCE: Final = 6
"""Requests to one host at a time, as browsers have it."""

logger = logging.getLogger(__name__)


class Visit:
    """Answers all that a page asks for, so that the browser itself needs no network.

    The page's document is served from its download (``response``). Frames, other documents, pictures, media
    and fonts are not loaded. Everything else is asked for by ``fetch``, which is a download of Scrapy's, and
    each redirect of it by another.
    """

    def __init__(
        self,
        response: HtmlResponse,
        credentials: Credentials | None,
        fetch: Callable[[Request], Awaitable[Response]],
    ) -> None:
        self.served = False
        self.crashed = asyncio.Event()
        self._response = response
        self._credentials = credentials
        self._fetch = fetch
        self._led_to: str | None = None
        self._hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
        self._under_way: set[asyncio.Task[Any]] = set()
        self._asked = asyncio.Event()

    async def begin(self, page: Page, request: Request) -> None:
        """Takes over the requests of a new page: the first, or one in place of what a crash has closed."""
        self.served, self._led_to = False, None
        self.crashed.clear()
        self._context = page.context
        page.on("popup", lambda popup: popup.close())
        page.on("crash", lambda _: self.crashed.set())
        await page.route("**", self._answer)

    async def idle(self, seconds: float) -> None:
        """Returns when for so many seconds the page has asked for nothing and waited for no answer."""
        while True:
            self._asked.clear()
            if self._under_way:
                await asyncio.wait(self._under_way)
                continue
            try:
                await asyncio.wait_for(self._asked.wait(), seconds)
            except TimeoutError:
                return

    def end(self) -> None:
        """Gives up what is under way."""
        for task in self._under_way:
            task.cancel()

    async def _answer(self, route: Route) -> None:
        request = route.request
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._under_way.add(task)
        self._asked.set()
        try:
            if request.is_navigation_request():
                await self._navigate(route)
            elif request.resource_type in UNSEEN or "sec-purpose" in request.headers:
                await route.abort()
            else:
                await self._serve(route)
        except PlaywrightError as error:
            # The page is gone. Playwright would wait for this answer as long as the task is not cancelled.
            raise asyncio.CancelledError from error
        finally:
            self._under_way.discard(task)

    async def _navigate(self, route: Route) -> None:
        request, response = route.request, self._response
        if request.frame.parent_frame is not None:
            await route.abort()
        elif not self.served:
            self.served = True
            headers = _fields(response)
            # As "attachment" it would be a download, and no page.
            for name in ("set-cookie", "refresh", "content-disposition"):
                headers.pop(name, None)
            await route.fulfill(status=200, headers=headers, body=response.body)
        else:
            if self._led_to is None and request.method == "GET" and _differs(request.url, response.url):
                self._led_to = request.url
            # The one way to refuse that leaves the page as it is.
            await route.abort("aborted")

    async def _serve(self, route: Route) -> None:
        try:
            response = await self._follow(route.request)
        except PlaywrightError:
            raise
        except Exception as error:
            logger.debug("Not fetched for a page: %s: %s", route.request.url, error)
            await route.abort("failed")
        else:
            await route.fulfill(status=response.status, headers=_fields(response), body=response.body)

    async def _follow(self, asked: BrowserRequest) -> Response:
        """The answer to a browser's request, wherever redirects lead. Raises what a download raises, and
        ValueError where a browser would not have it.
        """
        url, method, body = asked.url, asked.method, asked.post_data_buffer
        headers = {
            name: value
            for name, value in (await asked.all_headers()).items()
            if name not in _OF_THE_CONNECTION and not name.startswith((":", "proxy-"))
        }
        for _ in range(_MOST_REDIRECTS):
            response = await self._ask(url, method, headers, body)
            location = response.headers.get(b"Location")
            if response.status not in _REDIRECTS or location is None:
                break
            to = urljoin(url, location.decode("latin-1"))
            if response.status == 303 or (method == "POST" and response.status < 303):
                method, body = "GET", None
                headers.pop("content-type", None)
            if _origin(to) != _origin(url):
                headers.pop("authorization", None)
            url = to
        else:
            raise ValueError("too many redirects")
        if _origin(url) != _origin(asked.url) and asked.resource_type in _READABLE:
            # The browser takes the answer for one of the URL that it asked for.
            origin = _origin(self._response.url)
            if response.headers.get(b"Access-Control-Allow-Origin") not in (b"*", origin.encode()):
                raise ValueError(f"{url} is not for pages of {origin}")
        return response

    async def _ask(self, url: str, method: str, headers: Mapping[str, str], body: bytes | None) -> Response:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url} is not of the web")
        cookies = await self._context.cookies(url)
        held = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in cookies)
        credentials = self._credentials.for_url(url) if self._credentials is not None else {}
        request = Request(
            url,
            method=method,
            headers={**headers, **({"Cookie": held} if held else {}), **credentials},
            body=body or b"",
            meta={"verbatim_url": True},
        )
        async with self._hosts[urlsplit(url).netloc]:
            return await self._fetch(request)

    def with_refresh(self, html: str) -> str:
        """The page, with where its scripts have led as a refresh in its head."""
        if self._led_to is None:
            return html
        refresh = f'<meta http-equiv="refresh" content="0; url={escape(self._led_to)}">'
        # Its end may be written in a script or a comment of the head, too.
        return _HEAD.sub(lambda head: head[0] + refresh, html, count=1)


def _fields(response: Response) -> dict[str, str]:
    """The header fields of a download for the browser, which gets the body as it is decoded."""
    return {
        # Playwright parts several cookies so.
        name: (b"\n" if name == "set-cookie" else b", ").join(values).decode("latin-1")
        for name, values in ((raw.decode("latin-1").lower(), v) for raw, v in response.headers.items())
        if name not in _OF_THE_TRANSFER
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _differs(url: str, other: str) -> bool:
    return urlsplit(url).scheme in ("http", "https") and urldefrag(url)[0] != urldefrag(other)[0]
