"""The scope of a crawl: the URLs that belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.settings import BaseSettings

from pagelets.patterns import Rules, one_escape
from settings.canonical import SESSION_PARAMETERS, canonical, registrable
from store.frontier import Target

_NAMES: Final = frozenset({"ai", "au", "bat", "js", "ps", "py", "rb", "sh"})
"""Endings that pages have, too: ``/wiki/Node.js``, ``/review/shop.com.au``. Their headers tell."""
_BINARY: Final = frozenset(ending.rpartition(".")[2].lower() for ending in IGNORED_EXTENSIONS) - _NAMES


def ignored_parameters(settings: BaseSettings) -> frozenset[str]:
    """The query parameters that name no page, in lower case: ours, and those of ``IGNORED_PARAMETERS``."""
    return SESSION_PARAMETERS | {name.lower() for name in settings.getlist("IGNORED_PARAMETERS")}


@lru_cache(maxsize=1 << 12)
def domain_of(url: str) -> str:
    """The `registrable` domain of a URL's host, of a malformed URL nothing."""
    try:
        host = urlsplit(canonical(url)).hostname or ""
    except ValueError:
        return ""
    return registrable(host)


@dataclass(slots=True)
class Scope:
    """The scope of a crawl: the hosts of its start URLs, below the folder of each start URL's path, without
    the URLs that the ``rules`` deny.

    Traps (URLs without end: calendars, sessions, folders that hold themselves) are refused by ``limits``.
    With ``one_escape`` URLs that differ in their escapes alone are one.
    """

    starts: list[str]
    max_length: int
    max_queries: int
    max_segments: int = 20
    max_repeats: int = 3
    max_parameters: int = 10
    ignored: frozenset[str] = SESSION_PARAMETERS
    rules: Rules = field(default_factory=Rules)
    one_escape: bool = False
    prefixes: dict[str, list[str]] = field(default_factory=dict)
    _targets: dict[str, Target] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for start in self.starts:
            self.include(start)

    @classmethod
    def from_settings(
        cls, starts: Iterable[str], settings: BaseSettings, *, one_escape: bool = False
    ) -> Scope:
        """The scope of the start URLs ``starts``, with the limits and the rules of the ``settings``;
        ``one_escape`` is the attribute.
        """
        return cls(
            list(starts),
            settings.getint("URLLENGTH_LIMIT"),
            settings.getint("TRAP_MAX_QUERIES"),
            ignored=ignored_parameters(settings),
            rules=Rules.of(settings.getlist("SCOPE_RULES")),
            one_escape=one_escape,
        )

    def include(self, start: str) -> None:
        """Adds the host of a URL, below the URL's folder."""
        parts = urlsplit(canonical(start, self.ignored))
        prefixes = self.prefixes.setdefault(parts.netloc, [])
        # Links of a site may be escaped in another way than its start URL.
        folder = one_escape(parts.path[: parts.path.rfind("/") + 1])
        if folder not in prefixes:
            prefixes.append(folder)
            self._targets.clear()

    def describe(self) -> str:
        """The scope in words that change when it does."""
        hosts = sorted((host, sorted(prefixes)) for host, prefixes in self.prefixes.items())
        limits = (self.max_length, self.max_segments, self.max_repeats, self.max_parameters, self.max_queries)
        rules = [self.rules.describe()] if self.rules.rules else []
        escapes = ["however escaped"] if "%" in repr((hosts, rules)) else []
        return repr((hosts, limits, sorted(self.ignored), *rules, *escapes))

    def target(self, url: str) -> Target:
        """Returns the target of a link, and whether it may be requested."""
        target = self._targets.get(url)
        if target is None:
            try:
                form = canonical(one_escape(url) if self.one_escape else url, self.ignored)
            except ValueError:
                target = Target(url, "scope")
            else:
                target = Target(form, self.refusal(form))
            if len(self._targets) >= 1 << 16:
                self._targets.clear()
            self._targets[url] = target
        return target

    def refusal(self, url: str) -> str | None:
        """Returns the reason not to request a canonical URL, None if it is requested."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return "scope"
        prefixes = self.prefixes.get(parts.netloc)
        if prefixes is None or parts.scheme not in ("http", "https"):
            return "scope"
        path = one_escape(parts.path)
        if not any(path.startswith(prefix) for prefix in prefixes):
            return "scope"
        if self.rules.denying(url) is not None:
            return "rule"
        last = parts.path.rpartition("/")[2]
        if "." in last and last.rpartition(".")[2].lower() in _BINARY:
            return "type"
        return "trap" if self._is_trap(url, parts.path, parts.query) else None

    def _is_trap(self, url: str, path: str, query: str) -> bool:
        segments = [segment for segment in path.split("/") if segment]
        if len(url) > self.max_length or len(segments) > self.max_segments:
            return True
        if len(segments) > self.max_repeats and any(
            segments.count(segment) > self.max_repeats for segment in set(segments)
        ):
            return True
        return bool(query) and query.count("&") + 1 > self.max_parameters
