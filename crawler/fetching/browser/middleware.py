"""Switches JavaScript rendering on, where a crawl asks for it and the machine can, and marks its pages."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, Final, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from pagelets.judging.by_url import UrlOverrides
from settings.errors import ConfigurationError, WrongSetting

RENDER: Final = "render"
"""The key of ``request.meta`` that is true for a page which `crawler.fetching.browser.handler` renders."""
HANDLER: Final = "crawler.fetching.browser.handler.RenderingHandler"

_SYSTEM: Final = ("chromium", "chromium-browser", "google-chrome")
"""Names of a system's own Chromium, the first that is found is taken."""
_LAUNCH_SECONDS: Final = 60
NOWHERE: Final = {"server": "http://none.invalid:9", "bypass": "<-loopback>"}
"""The browser's proxy: all that a page may have comes from Scrapy's downloads, what else the browser tries to
connect to fails.
"""
_OFFLINE: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
"""The same for what Chromium does not ask a proxy for."""
_NEEDLESS: Final = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
"""Features of Chromium by which each window has pages of its own, which take longer than a crawled one."""
NOT_PLAYWRIGHTS: Final = (
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch"),
    *("TcpPortRandomizationWin", "ThirdPartyStoragePartitioning", "msForceBrowserSignIn"),
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
"""The features that Playwright switches off: of two such lists Chromium reads the last one."""
QUICK: Final = f"--disable-features={','.join((*_NEEDLESS, *NOT_PLAYWRIGHTS))}"


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


def is_wanted(settings: BaseSettings) -> bool:
    """Returns True if some pages of a crawl are to be rendered: all (``RENDER_JAVASCRIPT``), or those that an
    override names.
    """
    return settings.getbool("RENDER_JAVASCRIPT") or any(
        override.get("javascript") for override in settings.getlist("OVERRIDES")
    )


def switch_on(settings: BaseSettings) -> None:
    """Has pages rendered by a browser if the settings ask for it.

    ``PLAYWRIGHT_LAUNCH_OPTIONS`` names the browser, else it is the system's Chromium, else Playwright's own.
    It is launched once as a check. Raises ConfigurationError if it does not work, or if packages lack.
    """
    if not is_wanted(settings):
        return
    if find_spec("scrapy_playwright") is None:
        asks = "RENDER_JAVASCRIPT" if settings.getbool("RENDER_JAVASCRIPT") else "OVERRIDES"
        raise WrongSetting(
            asks,
            "JavaScript rendering needs packages that are not installed: "
            "pip install -r requirements-javascript.txt",
        )
    if not settings.getbool("TWISTED_REACTOR_ENABLED"):
        raise ConfigurationError("JavaScript rendering needs Twisted's reactor: TWISTED_REACTOR_ENABLED=1")
    options = launch_options(settings)
    if not (settings.get("PLAYWRIGHT_CDP_URL") or settings.get("PLAYWRIGHT_CONNECT_URL")):
        _probe(settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium", options)
        settings.set("PLAYWRIGHT_LAUNCH_OPTIONS", options, priority="cmdline")
    handlers = {**settings.getdict("DOWNLOAD_HANDLERS"), "http": HANDLER, "https": HANDLER}
    settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")


def is_on(settings: BaseSettings) -> bool:
    """Returns True if `switch_on` has switched rendering on."""
    return HANDLER in settings.getdict("DOWNLOAD_HANDLERS").values()


def launch_options(settings: BaseSettings) -> dict[str, Any]:
    """Returns the options that launch the browser; the user's come first.

    Pages come from strangers, so Chromium's sandbox is on, but not for root, whom Chromium refuses it. A
    Ctrl-C is for the crawl, which closes the browser. Raises ConfigurationError for a proxy and
    for options that are no table.
    """
    try:
        given = settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS")
    except (ValueError, TypeError):
        mend = 'is no table; write it as JSON, such as {"chromium_sandbox": false}'
        raise WrongSetting("PLAYWRIGHT_LAUNCH_OPTIONS", mend) from None
    if "proxy" in given:
        raise ConfigurationError(
            "PLAYWRIGHT_LAUNCH_OPTIONS: a proxy is of no use to the browser, whose requests are Scrapy's; "
            "set http_proxy and https_proxy in the environment"
        )
    options: dict[str, Any] = {"handle_sigint": False, "handle_sigterm": False, "handle_sighup": False}
    if (settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium") == "chromium":
        options["chromium_sandbox"] = os.geteuid() != 0
        browser = next(filter(None, map(shutil.which, _SYSTEM)), None)
        if browser is not None and not {"executable_path", "channel"} & set(given):
            options["executable_path"] = browser
        given["args"] = [*_OFFLINE, QUICK, *given.get("args", ())]
    return options | given | {"proxy": NOWHERE}


def _probe(browser: str, options: dict[str, Any]) -> None:
    # In a thread, as Playwright's blocking calls refuse to run beside an event loop.
    with ThreadPoolExecutor(1) as pool:
        error = pool.submit(_launch, browser, options).result()
    if error is None:
        return
    where = options.get("executable_path") or options.get("channel") or "Playwright's own"
    raise ConfigurationError(
        f"JavaScript rendering: the browser does not start ({where}: {error}); install the system's package "
        "chromium, run `playwright install --with-deps chromium`, or set PLAYWRIGHT_LAUNCH_OPTIONS "
        "(docs/javascript.md)"
    )


def _launch(browser: str, options: dict[str, Any]) -> str | None:
    """Launches a browser and closes it; returns in one line what is wrong."""
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            kind = getattr(playwright, browser)
            kind.launch(**{"timeout": _LAUNCH_SECONDS * 1000, **options}).close()
    except (Error, AttributeError, TypeError) as error:
        lines = [line.strip(" ╔═╗║╚╝") for line in str(error).splitlines()]
        return next(filter(None, lines), type(error).__name__)[:300]
    return None
