"""The components of a crawl, joined with those that a user's project sets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from typing import Any, Final

from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed

from crawler.configuration.checks import text_encoding
from settings.errors import WrongSetting

COMPONENTS: Final[Mapping[str, Mapping[str, int | None]]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "crawler.fetching.robots.ObeyRobots": 100,
        # After Scrapy's HttpAuthMiddleware: HTTPAUTH_USER and a request's own headers come first.
        "crawler.fetching.credentials.CredentialsMiddleware": 310,
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
        "crawler.fetching.decoding.Decoding": 590,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "crawler.fetching.redirects.Redirects": 600,
        # Before the cache, which a page made by scripts does not use.
        "crawler.fetching.browser.middleware.RenderPages": 880,
        "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
        # Behind the stats, which count what is transferred; before what decodes and retries.
        "crawler.fetching.conditional.ConditionalRequests": 840,
    },
    "ITEM_PIPELINES": {
        "pipelines.shingling.ShinglingPipeline": 100,
        "pipelines.stripping.StrippingPipeline": 200,
        "pipelines.indexing.IndexingPipeline": 300,
    },
    "EXTENSIONS": {
        # In place of Scrapy's, so that a feed which cannot be written leaves its documents undelivered.
        "scrapy.extensions.feedexport.FeedExporter": None,
        "crawler.feeds.extension.Feeds": 0,
        "scrapy.extensions.throttle.AutoThrottle": None,
        "crawler.fetching.internals.Throttle": 0,
        "crawler.fetching.html_only.HtmlOnly": 0,
        "crawler.run.settling.SettleErrors": 0,
        "crawler.run.outcome.RunOutcome": 100,
        "crawler.run.progress.Progress": 200,
        "crawler.monitoring.metrics_file.Metrics": 300,
        "crawler.monitoring.notify.Notify": 300,
    },
}
"""What takes part in a crawl, by the setting that lists it, beside a project's own components. Of one that
the project lists too, its order counts.
"""
PARTS: Final[Mapping[str, str]] = {
    # A page is partitioned, sketched and held, and released when the templates are known.
    "SCHEDULER": "crawler.frontier.scheduler.StoreScheduler",
    "ITEM_PROCESSOR": "pipelines.processor.ReleasingItemProcessor",
}
"""The single parts of Scrapy, by setting: a project's own has to be a subclass."""
EXPORTERS: Final[Mapping[str, str]] = {
    "csv": "crawler.feeds.exporters.CsvExporter",
    "xml": "crawler.feeds.exporters.XmlExporter",
}
"""Classes of feeds by format, unless a project sets them: those by which ``scrapy export`` writes."""
DEFAULTS: Final[Mapping[str, Any]] = {
    "DOWNLOADER": "crawler.fetching.stopping.StoppableDownloader",
    "HTTPCACHE_ENABLED": True,
    "HTTPCACHE_POLICY": "crawler.fetching.conditional.AskedAnew",
    "HTTPCACHE_STORAGE": "crawler.fetching.conditional.StoredPages",
    # To have a page confirmed is what these ask for, not to ask for it whole.
    "HTTPCACHE_IGNORE_RESPONSE_CACHE_CONTROLS": ["no-cache", "must-revalidate", "no-store"],
    # An item is a whole page: it belongs in the feed, not in the log.
    "LOG_FORMATTER": "crawler.run.log.QuietItems",
    # A page is one item, and held pages are released in order: workers for more would only wait.
    "CONCURRENT_ITEMS": 4,
}
"""Settings of these crawls, unless a project sets them."""
SWITCHED: Final[Mapping[str, tuple[str, str]]] = {
    "COOKIES_ENABLED": (
        "DOWNLOADER_MIDDLEWARES_BASE",
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
    ),
    "REMOTE_CONTROL_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
    "TELNETCONSOLE_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.telnet.TelnetConsole"),
}
"""Slow imports: components of Scrapy's, and the setting that lists each, by the one that switches it on."""
_FORMAT: Final = '{"format": "jsonlines"}'
_EARLY: Final = ("ADDONS", "ASYNCIO_EVENT_LOOP", "DNS_RESOLVER", "TWISTED_DNS_RESOLVER", "TWISTED_REACTOR")
_LOADED: Final[Mapping[str, str | None]] = {
    "DOWNLOADER": None,
    "DUPEFILTER_CLASS": None,
    "HTTPCACHE_POLICY": "HTTPCACHE_ENABLED",
    "HTTPCACHE_STORAGE": "HTTPCACHE_ENABLED",
    "ITEM_PROCESSOR": None,
    "LOG_FORMATTER": None,
    "REQUEST_FINGERPRINTER_CLASS": None,
    "ROBOTSTXT_PARSER": "ROBOTSTXT_OBEY",
    "SCHEDULER": None,
    "STATS_CLASS": None,
}
"""Settings of one component each that a crawl loads, and the switch that keeps it from that."""
NEEDED: Final = frozenset(
    "pipelines.shingling.ShinglingPipeline pipelines.stripping.StrippingPipeline "
    "crawler.feeds.extension.Feeds crawler.run.settling.SettleErrors crawler.run.outcome.RunOutcome".split()
)
"""Components without which a crawl would lose pages."""


def add(settings: BaseSettings) -> None:
    """Adds the components to those that the settings list, and sets the defaults that nobody has set."""
    settings.update({**DEFAULTS, **PARTS}, priority="addon")
    for name, ours in COMPONENTS.items():
        given = settings.getdict(name)
        there = set(map(_path, given))
        merged = {path: order for path, order in ours.items() if path not in there} | given
        settings.set(name, merged, priority=settings.getpriority(name) or 0)
    exporters = {**EXPORTERS, **settings.getdict("FEED_EXPORTERS")}
    settings.set("FEED_EXPORTERS", exporters, priority=settings.getpriority("FEED_EXPORTERS") or 0)


def leave_out(settings: BaseSettings) -> None:
    """Takes out those of `SWITCHED` that are off: Scrapy imports all that is listed, a tenth of a start."""
    for switch, (name, path) in SWITCHED.items():
        if not settings.getbool(switch):
            kept = {key: order for key, order in settings.getdict(name).items() if key != path}
            settings.set(name, kept, priority="cmdline")


def check(settings: BaseSettings, *, crawls: bool = True) -> None:
    """Raises WrongSetting where settings name what is not of its kind or cannot be imported, or replace
    or switch off what a crawl of ours needs. Not ``crawls``: no crawl will run in this process.
    """
    if Path(settings.get("JOBDIR") or ".").is_file():
        raise WrongSetting("JOBDIR", f"{settings.get('JOBDIR')} is a file; give a folder")
    for feed, options in settings.getdict("FEEDS").items():
        if not isinstance(options, Mapping):
            raise WrongSetting("FEEDS", f"{feed}: {options} is no table; give its format, as {_FORMAT}")
        _check_feed(feed, options, settings)
    # Before the reactor is installed, a component that imports it would install another.
    is_early = crawls and settings.getbool("TWISTED_REACTOR_ENABLED") and not is_reactor_installed()
    for name, component in () if is_early else _listed(settings):
        try:
            # Scrapy leaves out what says so, where it can be left out.
            with suppress(NotConfigured):
                load_object(component)
        except (ImportError, NameError, TypeError, ValueError) as error:
            problem = f"{component} cannot be imported ({error}); mend the path, or leave it out"
            raise WrongSetting(name, problem) from error
    for name, path in PARTS.items():
        given = settings.get(name)
        # Scrapy's schedulers say of any class with their methods that it is a subclass.
        if _is_set(name, settings) and load_object(path) not in load_object(given).__mro__:
            raise WrongSetting(
                name,
                f"{_path(given)} cannot take the place of {path}, which keeps the pages of a site; leave it "
                "out, or make it a subclass",
            )
    _check_orders(("SPIDER_MIDDLEWARES", *COMPONENTS), settings)
    for name in COMPONENTS:
        off = {_path(key) for key, order in settings.getdict(name).items() if order is None}
        for path in sorted(NEEDED & off):
            raise WrongSetting(name, f"{path} is needed by a crawl of a site; leave its None out")


def _check_feed(feed: Any, options: Mapping[str, Any], settings: BaseSettings) -> None:
    if not isinstance(fields := options.get("fields"), list | tuple | Mapping | None):
        # Scrapy takes a text for a list of letters.
        raise WrongSetting("FEEDS", f'{feed}: fields: {fields!r} must be a list such as ["url", "text"]')
    encoding = options.get("encoding") or settings.get("FEED_EXPORT_ENCODING") or "utf-8"
    try:
        text_encoding(encoding)
    except ValueError as error:
        raise WrongSetting("FEEDS", f"{feed}: {encoding!r}: {error}") from error


def check_early(settings: BaseSettings) -> None:
    """Raises WrongSetting where what Scrapy loads before a spider is in a module that is not there, an add-on
    has no number as its order, or the reactor is another than asyncio's.
    """
    _check_orders(("ADDONS",), settings)
    # Scrapy warns of some where they are read.
    for name in (name for name in _EARLY if _is_set(name, settings)):
        given = settings.getdict(name) if name == "ADDONS" else [settings.get(name)]
        for path in filter(None, given):
            module = _path(path).rpartition(".")[0]
            try:
                # The module itself may install a reactor.
                is_there = module in sys.modules or (bool(module) and find_spec(module) is not None)
            except (ImportError, ValueError):
                is_there = False
            if not is_there:
                raise WrongSetting(name, f"{path} is not there; mend the path, or leave it out")
    if settings.getbool("TWISTED_REACTOR_ENABLED"):
        # Scrapy runs crawls in another way then.
        is_other = settings.get("TWISTED_REACTOR") != default_settings.TWISTED_REACTOR
        if is_other or settings.getbool("FORCE_CRAWLER_PROCESS"):
            name = "TWISTED_REACTOR" if is_other else "FORCE_CRAWLER_PROCESS"
            raise WrongSetting(name, "crawls of this project run on asyncio; leave it out")


def _check_orders(names: Iterable[str], settings: BaseSettings) -> None:
    for name in names:
        for component, order in settings.getdict(name).items():
            if not isinstance(order, Real | None):
                raise WrongSetting(name, f"{_path(component)}: {order!r} is no number; give one such as 500")


def _listed(settings: BaseSettings) -> Iterator[tuple[str, Any]]:
    """Yields the components that settings name and a crawl loads, each with its setting."""
    for name in ("SPIDER_MIDDLEWARES", *COMPONENTS):
        yield from ((name, path) for path, order in settings.getdict(name).items() if order is not None)
    handlers = settings.getdict("DOWNLOAD_HANDLERS")
    # Those of other schemes are asked for nothing.
    for scheme in ("http", "https"):
        if handlers.get(scheme) is not None:
            yield "DOWNLOAD_HANDLERS", handlers[scheme]
    for name in ("FEED_EXPORTERS", "FEED_STORAGES") if settings.getdict("FEEDS") else ():
        yield from ((name, path) for path in settings.getdict(name).values() if path is not None)
    for feed in settings.getdict("FEEDS").values():
        given = [feed.get("item_filter"), feed.get("uri_params")]
        listed = [*(feed.get("item_classes") or ()), *(feed.get("postprocessing") or ())]
        yield from (("FEEDS", path) for path in (*given, *listed) if path)
    for name, switch in _LOADED.items():
        is_off = switch is not None and _is_set(switch, settings) and not settings.getbool(switch)
        if _is_set(name, settings) and not is_off:
            yield name, settings.get(name)


def _is_set(name: str, settings: BaseSettings) -> bool:
    """Returns True if anybody has set a setting: Scrapy has its own default at 0."""
    return (settings.getpriority(name) or 0) > 0


def _path(component: Any) -> str:
    """The import path of a component, which settings name by that or by the class itself."""
    return component if isinstance(component, str) else f"{component.__module__}.{component.__qualname__}"
