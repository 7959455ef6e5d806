"""A look at a site, and the commented site file that comes of it: ``scrapy sites --new URL``."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import BaseSettings, Settings

from crawler.configuration.checks import is_asked, registry_of
from crawler.survey.findings import Findings, proposals_of
from crawler.survey.spider import SurveySpider
from settings.canonical import canonical
from settings.errors import ConfigurationError

PAUSE: Final = 0.5
"""Seconds between two requests, unless the site or the command line asks for others."""

TIMEOUT: Final = 20
"""Seconds that an answer may take, unless the command line says otherwise: somebody is waiting."""

_TAKEN: Final = (
    "DOWNLOAD_MAXSIZE",
    "PRIVATE_HOSTS",
    "ROBOTSTXT_USER_AGENT",
    "TRAP_MAX_QUERIES",
    "TWISTED_DNS_RESOLVER",
    "TWISTED_REACTOR_ENABLED",
    "URLLENGTH_LIMIT",
    "USER_AGENT",
)
"""Settings of the project that a survey uses; the others are about stores and documents."""


def survey(url: str, settings: BaseSettings) -> Findings:
    """Looks at a site from a URL, with some fifteen requests, and at what its pages propose.

    robots.txt is obeyed, and a Crawl-delay up to `crawler.survey.spider.LONGEST_DELAY`. Raises
    ConfigurationError for an invalid URL, a site that cannot be reached, or a start page that is not HTML.
    """
    start = _checked(url)
    process = AsyncCrawlerProcess(_settings(settings))
    crawler = process.create_crawler(SurveySpider)
    with _quiet(settings):
        process.crawl(crawler, url=start)
        process.start()
    spider = crawler.spider
    assert isinstance(spider, SurveySpider)
    if spider.problem is not None:
        raise spider.problem
    if not spider.done:
        raise ConfigurationError(f"{start}: interrupted; no site file was written")
    findings = spider.findings
    findings.proposals = proposals_of(
        findings.sample, findings.urls, findings.sitemaps.samples, registry_of(settings)
    )
    return findings


def _checked(url: str) -> str:
    try:
        address = canonical(url if "://" in url else f"https://{url}", frozenset())
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        good = False
    if not good:
        raise ConfigurationError(f"{url!r} is no URL of a page; give one such as https://example.org/docs/")
    return address


def _settings(project: BaseSettings) -> Settings:
    settings = Settings(
        {
            "AUTOTHROTTLE_ENABLED": False,
            "COOKIES_ENABLED": False,
            "DOWNLOADER": "crawler.fetching.stopping.StoppableDownloader",
            "DOWNLOADER_MIDDLEWARES": {
                "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
                "crawler.survey.spider.ShortDelays": 100,
            },
            "CRAWL_DELAY_ENABLED": True,
            "DOWNLOAD_DELAY": PAUSE,
            "DOWNLOAD_TIMEOUT": TIMEOUT,
            "LOG_INSTALL_ROOT_HANDLER": False,
            "METAREFRESH_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "RETRY_TIMES": 1,
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    names = [name for name in _TAKEN if name in project]
    names += [name for name in ("DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT") if is_asked(name, project)]
    settings.update({name: project.get(name) for name in names}, priority="project")
    return settings


@contextlib.contextmanager
def _quiet(settings: BaseSettings) -> Iterator[None]:
    """Keeps Scrapy's log quiet: the findings report what goes wrong."""
    loggers = [logging.getLogger(name) for name in ("crawler", "scrapy", "twisted")]
    levels = [logger.level for logger in loggers]
    level = settings["LOG_LEVEL"] if is_asked("LOG_LEVEL", settings) else logging.CRITICAL
    try:
        for logger in loggers:
            logger.setLevel(level)
        yield
    finally:
        for logger, before in zip(loggers, levels, strict=True):
            logger.setLevel(before)
