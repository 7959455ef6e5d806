"""Downloads pages as ever, and has a browser run the scripts of those that are to be rendered."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from html import escape
from ipaddress import ip_address
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, DownloadTimeoutError
from scrapy.http import HtmlResponse, Request
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from crawler.middlewares.credentials import CredentialsMiddleware
from crawler.middlewares.rendering import RENDER

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Route
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.middlewares.credentials import Credentials

UNSEEN: Final = frozenset({"image", "media", "font", "texttrack", "eventsource", "ping", "prefetch"})
"""Types of requests that add nothing to a page's text."""
_OF_THE_TRANSFER: Final = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "set-cookie", "refresh"}
)
_OF_THE_DOCUMENT: Final = ("ETag", "Last-Modified")
_CLOSING_SECONDS: Final = 10


class LateBrowser(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Starts Playwright with the first page: of the handlers for http and https most crawls use one."""

    async def start(self) -> None:
        """Does nothing yet."""

    async def launch_browser(self) -> Browser:
        """Starts Playwright and the browser."""
        if self.playwright is None:
            await super().start()
        browser: Browser = await super().launch_browser()
        return browser


class RenderingHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """Scrapy's download of a page, then scrapy-playwright's browser, which gets the page's document from that
    download and not from the network.

    So redirects, errors, types, sizes and credentials are what they are in every crawl; only an HTML page
    with the status 200 goes to the browser. Each page has a browser context of its own: no cookie and no
    storage of one page changes another. The page is taken when the network has been idle for half a second,
    and after ``RENDER_WAIT`` seconds at the latest. Where its scripts lead the browser elsewhere, it stays,
    and where they lead is a refresh in its head, which is followed as a link.

    Raises DownloadTimeoutError where ``DOWNLOAD_TIMEOUT`` passes, DownloadFailedError where the browser or
    the page crashes, DownloadCancelledError beyond ``DOWNLOAD_MAXSIZE``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._wait = settings.getfloat("RENDER_WAIT")
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_size = settings.getint("DOWNLOAD_MAXSIZE")
        self._decoding = HttpCompressionMiddleware.from_crawler(crawler)
        self._names = count(1)
        self._crawler_of_pages = crawler
        if not settings.get("PLAYWRIGHT_BROWSER_PROVIDER"):
            self.browser_provider_cls = LateBrowser

    async def download_request(self, request: Request) -> Response:
        """Downloads, and renders what is to be rendered."""
        response: Response = await super().download_request(request)
        if not request.meta.get(RENDER) or response.status != 200 or "partial" in response.flags:
            return response
        decoded = self._decoding.process_response(request, response)
        if not isinstance(decoded, HtmlResponse) or "Content-Encoding" in decoded.headers:
            return response
        return await self._render(request, decoded)

    async def _render(self, request: Request, response: HtmlResponse) -> Response:
        inside = response.ip_address is not None and not response.ip_address.is_global
        visit = Visit(response, self._credentials(), inside)
        name = f"page-{next(self._names)}"
        timeout = float(request.meta.get("download_timeout", self._timeout))
        try:
            async with asyncio.timeout(timeout or None):
                html = await self._visit(visit, request, name)
        except (TimeoutError, PlaywrightTimeout) as error:
            raise DownloadTimeoutError(f"not rendered within {timeout:g} seconds") from error
        except PlaywrightError as error:
            raise DownloadFailedError(f"not rendered: {_first_line(error)}") from error
        finally:
            await self._leave(name)
        body = html.encode("utf-8", "replace")
        if self._max_size and len(body) > self._max_size:
            raise DownloadCancelledError(f"larger than {self._max_size} bytes when rendered")
        self.stats.inc_value("pages/rendered")
        headers = response.headers.copy()
        for field in _OF_THE_DOCUMENT:
            # They say nothing of what the scripts have made of it.
            headers.pop(field, None)
        return response.replace(
            body=body, encoding="utf-8", headers=headers, flags=[*response.flags, "rendered"]
        )

    async def _visit(self, visit: Visit, request: Request, name: str) -> str:
        agent = request.headers.get(b"User-Agent")
        options: dict[str, Any] = {"service_workers": "block", "accept_downloads": False}
        if agent is not None:
            options["user_agent"] = agent.decode("latin-1")
        if visit.is_inside and self.config.browser_type_name == "chromium":
            # Chromium takes a page that is not from the network for one from outside.
            options["permissions"] = ["local-network-access"]
        visited = Request(
            request.url,
            headers={"User-Agent": agent} if agent is not None else None,
            meta={
                "playwright": True,
                "playwright_include_page": True,
                "playwright_context": name,
                "playwright_context_kwargs": options,
                "playwright_page_init_callback": visit.begin,
                "playwright_page_goto_kwargs": {"wait_until": "commit", "timeout": 0},
            },
        )
        crashed = visit.crashed
        fetched = asyncio.ensure_future(self._content(visit, visited))
        waiting = asyncio.ensure_future(crashed.wait())
        try:
            await asyncio.wait({fetched, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not fetched.done():
                raise DownloadFailedError("not rendered: the page has crashed")
            return fetched.result()
        finally:
            for task in (fetched, waiting):
                task.cancel()
            await asyncio.gather(fetched, waiting, return_exceptions=True)

    async def _content(self, visit: Visit, visited: Request) -> str:
        await super().download_request(visited)
        page: Page = visited.meta["playwright_page"]
        if not visit.served:
            raise DownloadFailedError("not rendered: the browser did not ask for the page")
        with suppress(PlaywrightTimeout):
            await page.wait_for_load_state("networkidle", timeout=self._wait * 1000)
        html = await page.content()
        return visit.with_refresh(html)

    async def _leave(self, name: str) -> None:
        wrapper = self.context_wrappers.get(name)
        if wrapper is not None:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await wrapper.context.close()

    def _credentials(self) -> Credentials | None:
        middleware = self._crawler_of_pages.get_downloader_middleware(CredentialsMiddleware)
        return middleware.credentials if isinstance(middleware, CredentialsMiddleware) else None


class Visit:
    """What one page may ask of the network while its scripts run.

    The page's document is served from the download. Frames, other documents, pictures, media and fonts are
    not loaded. A page from outside gets nothing from an address inside a private network (``is_inside`` tells
    that the page itself is from there).
    """

    def __init__(self, response: HtmlResponse, credentials: Credentials | None, is_inside: bool) -> None:
        self.is_inside = is_inside
        self.served = False
        self.crashed = asyncio.Event()
        self._response = response
        self._credentials = credentials
        self._led_to: str | None = None

    async def begin(self, page: Page, request: Request) -> None:
        """Takes over the requests of a new page: the first, or one in place of what a crash has closed."""
        del request
        self.served, self._led_to = False, None
        self.crashed.clear()
        page.on("popup", lambda popup: popup.close())
        page.on("crash", lambda _: self.crashed.set())
        await page.route("**", self._answer)

    async def _answer(self, route: Route) -> None:
        request = route.request
        if request.is_navigation_request():
            await self._navigate(route)
        elif request.resource_type in UNSEEN or not (self.is_inside or _is_outside(request.url)):
            await route.abort()
        elif self._credentials is not None and (fields := self._credentials.for_url(request.url)):
            # Not continue_, which would send the fields along wherever a redirect leads.
            own = {name: value.decode("latin-1") for name, value in fields.items()}
            answer = await route.fetch(headers={**await request.all_headers(), **own}, max_redirects=0)
            await route.fulfill(response=answer)
        else:
            await route.fallback()

    async def _navigate(self, route: Route) -> None:
        request, response = route.request, self._response
        if request.frame.parent_frame is not None:
            await route.abort()
        elif not self.served:
            self.served = True
            headers = {
                name.decode("latin-1"): b", ".join(values).decode("latin-1")
                for name, values in response.headers.items()
                if name.decode("latin-1").lower() not in _OF_THE_TRANSFER
            }
            await route.fulfill(status=200, headers=headers, body=response.body)
        else:
            if self._led_to is None and request.method == "GET" and _differs(request.url, response.url):
                self._led_to = request.url
            # The one way to refuse that leaves the page as it is.
            await route.abort("aborted")

    def with_refresh(self, html: str) -> str:
        """The page, with where its scripts have led as a refresh in its head."""
        if self._led_to is None:
            return html
        refresh = f'<meta http-equiv="refresh" content="0; url={escape(self._led_to)}">'
        return html.replace("</head>", f"{refresh}</head>", 1)


def _is_outside(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_global
    except ValueError:
        return host != "localhost" and not host.endswith(".localhost")


def _differs(url: str, other: str) -> bool:
    return urlsplit(url).scheme in ("http", "https") and urldefrag(url)[0] != urldefrag(other)[0]


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
