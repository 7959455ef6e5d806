"""Headers and basic authentication that a site asks of its visitors, sent to the crawl's own hosts alone."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from w3lib.http import basic_auth_header

from crawler.configuration.checks import converted
from crawler.run.session import session_of
from search.sink import resolved
from settings.canonical import canonical
from settings.mistakes import checked
from settings.tables import SCHEMA

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class Credentials:
    """Header fields for the hosts that the user has named; their values show in no representation.

    ``starts`` are the start URLs. Their hosts get the fields over https, and over plain http where a start
    URL is plain http: a link to the http side of an https site is no reason to send a secret in the clear.
    """

    starts: frozenset[tuple[str, str]]
    fields: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def of(cls, fields: Mapping[str, bytes], urls: Iterable[str]) -> Self:
        """The fields for the hosts of some start URLs."""
        return cls(frozenset(_place(url) for url in urls), fields)

    def named(self, url: str) -> bool:
        """Returns True if the user has named the host of a URL, by a start URL."""
        try:
            scheme, netloc = _place(url)
        except ValueError:
            return False
        if (scheme, netloc) in self.starts:
            return True
        return scheme == "https" and ("http", netloc) in self.starts

    def for_url(self, url: str) -> Mapping[str, bytes]:
        """The fields that a request for a URL carries: none where it leads elsewhere."""
        return self.fields if self.named(url) else {}


class CredentialsMiddleware:
    """Adds headers and HTTP basic authentication to the requests for the hosts of the start URLs: pages,
    robots.txt and sitemaps. Requests for any other host go without them, those too that a redirect has made
    out of a request with them, and those for the host that a start URL has moved to: a server must not be
    able to send the secrets of its visitors elsewhere.

    What a request carries already is left as it is. Values from the environment are read once, when the
    crawl starts; they appear in no log, error or stored page.

    Settings: ``REQUEST_HEADERS`` (name -> value, or ``{"env": "VARIABLE"}``), ``REQUEST_AUTH`` (``user`` and
    ``password``, each a value or ``{"env": "VARIABLE"}``), ``COOKIES_ENABLED``. Raises ConfigurationError for
    a variable that is not set, and for what no header can hold.
    """

    def __init__(
        self, credentials: Credentials, moved_to: Mapping[str, object], *, keeps_cookies: bool = False
    ) -> None:
        self.credentials = credentials
        self._moved_to = moved_to
        self._told: set[str] = set()
        self._cookies = _cookies(credentials.fields) if keeps_cookies else []
        self._with_cookies: set[str | None] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Reads the settings and the environment."""
        fields = header_fields(crawler.settings)
        urls = session_of(crawler).plan.urls
        if not fields or not urls:
            raise NotConfigured
        scope = getattr(crawler.spider, "scope", None)
        moved_to = scope.prefixes if scope is not None else {}
        keeps_cookies = crawler.settings.getbool("COOKIES_ENABLED")
        return cls(Credentials.of(fields, urls), moved_to, keeps_cookies=keeps_cookies)

    def process_request(self, request: Request) -> None:
        """Adds the fields, or takes away those that a redirect has brought along."""
        if self.credentials.named(request.url):
            for name, value in self.credentials.fields.items():
                request.headers.setdefault(name, value)
            host = urlsplit(request.url).hostname
            if self._cookies and not request.cookies and host not in self._with_cookies:
                # Scrapy replaces the header by the cookies that it keeps, which the server may then renew.
                self._with_cookies.add(host)
                request.cookies = dict(self._cookies)
            return
        for name, value in self.credentials.fields.items():
            if request.headers.getlist(name) == [value]:
                del request.headers[name]
        host = urlsplit(request.url).netloc
        if host in self._moved_to and host not in self._told:
            self._told.add(host)
            logger.warning(
                "%s: no headers or passwords are sent there, as no start URL names it with its scheme; "
                "make it a start URL if it is to have them",
                urlsplit(request.url)._replace(path="/", query="", fragment="").geturl(),
            )


def header_fields(settings: BaseSettings) -> dict[str, bytes]:
    """The header fields of the settings, with the values of the environment. Raises ConfigurationError."""
    headers, auth = (_texts(name, settings) for name in ("REQUEST_HEADERS", "REQUEST_AUTH"))
    fields = {name: value.encode() for name, value in headers.items()}
    if auth:
        fields.setdefault("Authorization", basic_auth_header(auth["user"], auth["password"], "utf-8"))
    return fields


def _cookies(fields: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """The names and values of the cookies of a header field ``Cookie`` among others."""
    text = next((value.decode() for name, value in fields.items() if name.lower() == "cookie"), "")
    parts = (pair.partition("=") for pair in text.split(";") if pair.strip())
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _texts(setting: str, settings: BaseSettings) -> dict[str, str]:
    """The values of a table of secrets, those in the environment checked as well."""
    check = partial(checked, setting, schema=SCHEMA, environ=os.environ)
    given = settings.getdict(setting)
    table = converted(setting, given, check) if given else {}
    return {name: resolved(value, setting) for name, value in table.items()}


def _place(url: str) -> tuple[str, str]:
    parts = urlsplit(canonical(url))
    return parts.scheme, parts.netloc
