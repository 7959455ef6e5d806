"""Downloads pages as ever, and has a browser run the scripts of those that are to be rendered."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, Final, cast

from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, DownloadTimeoutError
from scrapy.http import HtmlResponse, Request, Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from crawler.fetching.address_guard import CheckedConnections
from crawler.fetching.browser.middleware import NOWHERE, RENDER
from crawler.fetching.browser.visit import Visit
from crawler.fetching.credentials import Credentials, CredentialsMiddleware
from crawler.fetching.decoding import Decoding
from crawler.fetching.internals import SCHEME_PROXY
from pagelets.boxes import MEASURE
from pagelets.partitions import SEEN

_OF_THE_DOCUMENT: Final = ("ETag", "Last-Modified")
_CLOSING_SECONDS: Final = 10
LONGEST_WAIT: Final = 10.0
"""Seconds that a page may take to fall idle."""
_IDLE_SECONDS: Final = 0.5
_PROXY_AUTH: Final = "Proxy-Authorization"
_WITH_SHADOWS: Final = """() => {
  const roots = [];
  const seek = tree => tree.querySelectorAll("*").forEach(({shadowRoot}) => {
    if (shadowRoot) { roots.push(shadowRoot); seek(shadowRoot); }
  });
  seek(document);
  const page = document.documentElement;
  const [start, end] = page.cloneNode().outerHTML.split(/(?=<\\/html>$)/);
  return roots.length ? "<!doctype html>" + start + page.getHTML({shadowRoots: roots}) + end : "";
}"""
"""Returns a page with its open shadow trees declared, which its content lacks; empty without such trees."""


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


class RenderingHandler(CheckedConnections, ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """Scrapy's download of a page, then scrapy-playwright's browser, which gets the page's document from that
    download, and what its scripts ask for from others: the browser opens no connection of its own.

    So redirects, errors, types, sizes and credentials are what they are in every crawl; only an HTML page
    with the status 200 goes to the browser. Each page has a browser context of its own: no cookie and no
    storage of one page changes another. The page is taken when it is parsed and has asked for nothing
    for half a second, and after `LONGEST_WAIT` seconds at the latest. Where its scripts lead the browser
    elsewhere, it stays, and where they lead is a refresh in its head, which is followed as a link. Where
    ``PARTITION`` looks at boxes, they are noted in the page's elements.

    Raises DownloadTimeoutError where ``DOWNLOAD_TIMEOUT`` passes, DownloadFailedError where the browser or
    the page crashes, DownloadCancelledError beyond ``DOWNLOAD_MAXSIZE``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_size = settings.getint("DOWNLOAD_MAXSIZE")
        self._measures = settings["PARTITION"] in SEEN
        self._decoding = Decoding.from_crawler(crawler)
        self._proxies = (
            HttpProxyMiddleware.from_crawler(crawler) if settings.getbool("HTTPPROXY_ENABLED") else None
        )
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
        visit = Visit(response, self._credentials(), partial(self._fetch, request))
        name = f"page-{next(self._names)}"
        timeout = float(request.meta.get("download_timeout", self._timeout))
        try:
            async with asyncio.timeout(timeout or None):
                html = await self._visit(visit, request, name)
        except (TimeoutError, PlaywrightTimeout) as error:
            raise DownloadTimeoutError(f"not rendered within {timeout:g} seconds") from error
        except PlaywrightError as error:
            reason = str(error).partition("\n")[0][:200]
            raise DownloadFailedError(f"not rendered: {reason}") from error
        finally:
            visit.end()
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

    async def _fetch(self, page: Request, asked: Request) -> Response:
        """Downloads what a page asks for, the way that the page itself took."""
        if "bindaddress" in page.meta:
            asked.meta["bindaddress"] = page.meta["bindaddress"]
        if "proxy" in page.meta and SCHEME_PROXY not in page.meta:
            asked.meta["proxy"] = page.meta["proxy"]
            if _PROXY_AUTH in page.headers:
                asked.headers[_PROXY_AUTH] = page.headers[_PROXY_AUTH]
        for middleware in (self._proxies, self._decoding):
            if middleware is not None:
                middleware.process_request(asked)
        response = await super().download_request(asked)
        return cast("Response", self._decoding.process_response(asked, response))

    async def _visit(self, visit: Visit, request: Request, name: str) -> str:
        agent = request.headers.get(b"User-Agent")
        options: dict[str, Any] = {
            "service_workers": "block",
            "accept_downloads": False,
            "proxy": NOWHERE,
        }
        if agent is not None:
            options["user_agent"] = agent.decode("latin-1")
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
        fetched = asyncio.ensure_future(self._content(visit, visited))
        waiting = asyncio.ensure_future(visit.crashed.wait())
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
        # What the page makes of its own state is no reason to lose it; if it is gone, its content says so.
        with suppress(TimeoutError, PlaywrightError):
            await asyncio.wait_for(_settled(page, visit), LONGEST_WAIT)
        if self._measures:
            # A page may have taken the functions away that this needs: it is cut by its tags then.
            with suppress(PlaywrightError):
                await page.evaluate(MEASURE)
        shown = ""
        with suppress(PlaywrightError):
            shown = await page.evaluate(_WITH_SHADOWS)
        return visit.with_refresh(shown or await page.content())

    async def _leave(self, name: str) -> None:
        wrapper = self.context_wrappers.get(name)
        if wrapper is not None:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await wrapper.context.close()

    def _credentials(self) -> Credentials | None:
        middleware = self._crawler_of_pages.get_downloader_middleware(CredentialsMiddleware)
        return middleware.credentials if isinstance(middleware, CredentialsMiddleware) else None


async def _settled(page: Page, visit: Visit) -> None:
    """Returns when the page is parsed and the network idle.

    Playwright's own "networkidle" counts from the first byte: where scripts are slow, or the machine busy,
    the page is not parsed by then. Its "domcontentloaded" never comes where a script leads elsewhere before.
    """
    await visit.idle(_IDLE_SECONDS)
    while await page.evaluate("document.readyState") == "loading":
        await visit.idle(_IDLE_SECONDS)
