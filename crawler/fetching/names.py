"""Looks up the names of hosts, in threads that no end of the process waits for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Thread
from typing import Any, Self, cast

from scrapy.crawler import Crawler
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.abstract import isIPv6Address
from twisted.internet.defer import Deferred, succeed
from twisted.python.threadpool import ThreadPool


class NameResolver(CachingThreadedResolver):
    """Scrapy's default resolver, with threads of its own.

    A look-up cannot be ended, and may take as long as the system's resolver likes. The process waits at its
    end for all threads of the reactor, but not for these.

    Settings: those of Scrapy's resolver, and ``REACTOR_THREADPOOL_MAXSIZE``, the look-ups at a time.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> Self:
        """Reads the settings."""
        most = crawler.settings.getint("REACTOR_THREADPOOL_MAXSIZE")
        return super().from_crawler(crawler, cast("Any", _ReactorWithThreads(reactor, most)))

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:
        """The address of the host with a ``name``, which may be its IPv6 address; its ``timeout`` is
        Scrapy's.
        """
        # The look-up itself is of IPv4 alone.
        return succeed(name) if isIPv6Address(name) else super().getHostByName(name, timeout)


class _ReactorWithThreads:
    """Twisted's reactor, with other threads."""

    def __init__(self, reactor: Any, most: int) -> None:
        self._reactor = reactor
        self._threads = _LeftThreads(0, most, "names")
        self._threads.start()

    def getThreadPool(self) -> ThreadPool:
        """The threads to work in."""
        return self._threads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


class _LeftThreads(ThreadPool):
    """Threads that Python leaves as they are when it ends."""

    # Later Pythons bind a partial to the instance.
    threadFactory = cast("Any", staticmethod(partial(Thread, daemon=True)))
