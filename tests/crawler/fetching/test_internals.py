"""What this project uses of Scrapy beside its promises is where it was, and is named in one module."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.core.downloader import Downloader, Slot
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.core.engine import ExecutionEngine
from scrapy.downloadermiddlewares import httpcompression, httpproxy, redirect, robotstxt
from scrapy.exceptions import DownloadConnectionRefusedError
from scrapy.extensions.feedexport import FeedExporter
from scrapy.http import HtmlResponse
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.error import ConnectionDone
from twisted.internet.ssl import optionsForClientTLS
from twisted.internet.testing import AccumulatingProtocol, MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import Request as TwistedRequest
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import Headers

from crawler.fetching import internals

PROJECT = Path(__file__).parents[3]
OF_ALL = {"_asdict", "_replace", "_fields", "_make", "_exit"}
"""Names that are public for all that: of named tuples, and of `os`."""
REACTORLESS = {"TWISTED_REACTOR_ENABLED": False}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def defined(tree: ast.AST) -> set[str]:
    """The names that a module gives to attributes, functions and classes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def test_what_is_private_to_others_is_named_in_one_module():
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for folder in ("crawler", "evaluation", "inspection", "pipelines", "search", "settings", "store")
        for path in (PROJECT / folder).rglob("*.py")
        if path.stem != "internals"
    }
    names = {path: defined(tree) for path, tree in trees.items()}
    files = Counter(name for found in names.values() for name in found)
    wrong = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                parts = [*node.module.split(".")[1:], *(alias.name for alias in node.names)]
                private = [part for part in parts if is_private(part)]
            elif isinstance(node, ast.Attribute) and is_private(node.attr):
                others = files[node.attr] - (is_super(node.value) and node.attr in names[path])
                private = [] if others or node.attr in OF_ALL else [node.attr]
            else:
                continue
            wrong += [f"{path.relative_to(PROJECT)}:{node.lineno} {name}" for name in private]
    assert not wrong


def test_feeds():
    assert list(inspect.signature(FeedExporter._load_filter).parameters) == ["self", "feed_options"]
    assert list(inspect.signature(FeedExporter._close_slot).parameters) == ["self", "slot", "spider"]
    assert inspect.iscoroutinefunction(FeedExporter._close_slot)
    source = inspect.getsource(FeedExporter)
    assert "self._load_filter(" in source
    assert "self._close_slot(" in source


def test_a_confirmed_page_lowers_the_delay_as_one_that_is_sent():
    throttle = internals.Throttle(get_crawler(settings_dict={**REACTORLESS, "AUTOTHROTTLE_ENABLED": True}))
    throttle.mindelay, throttle.maxdelay, throttle.target_concurrency = 0.0, 60.0, 1.0
    for status, delay in ((200, 0.3), (304, 0.3), (404, 0.5)):
        slot = SimpleNamespace(delay=0.5)
        throttle._adjust_delay(slot, 0.1, HtmlResponse("https://e.org/", status))
        assert slot.delay == pytest.approx(delay)


def test_robots():
    crawler = get_crawler(settings_dict={**REACTORLESS, "ROBOTSTXT_OBEY": True, "USER_AGENT": "me"})
    parts = internals.RobotsParts(crawler)
    assert parts.agent(Request("http://a.example/")) == b"me"
    assert parts.agent(Request("http://a.example/", headers={"User-Agent": "you"})) == b"you"
    assert not parts.parsed(b"User-agent: *\nDisallow: /a").allowed("http://a.example/a", "me")


def test_the_declared_encoding():
    made = HtmlResponse("http://a.example/", body=b"<meta charset=koi8-r>", encoding="cp1251")
    assert internals.declared_encoding(made) == "cp1251"
    assert internals.declared_encoding(made.replace(encoding=None)) == "koi8-r"
    assert internals.declared_encoding(HtmlResponse("http://a.example/", body=b"\xe9")) is None


def test_texts_of_errors():
    for module, text in (
        (robotstxt, internals.FORBIDDEN),
        (redirect, internals.TOO_MANY_REDIRECTS),
        (httpcompression, internals.MAX_SIZE),
        (httpproxy, internals.SCHEME_PROXY),
    ):
        assert text in inspect.getsource(module), module.__name__


def test_slots_of_the_downloader():
    async def run():
        none = {"http": None, "https": None, "ftp": None}
        crawler = get_crawler(settings_dict={**REACTORLESS, "DOWNLOAD_HANDLERS": none})
        crawler.engine = type("Engine", (), {})()
        crawler.engine.downloader = downloader = Downloader(crawler)
        request = Request("http://a.example/b")
        assert internals.slot_key(crawler, request) == "a.example"
        downloader.slots["a.example"] = slot = Slot(4, 1.0, 0.5)
        # What crawler.frontier.turns reads, to hand out what can be sent at once.
        assert (slot.concurrency, slot.delay, slot.jitter, slot.lastseen, len(slot.queue)) == (
            4,
            1.0,
            0.5,
            0,
            0,
        )
        assert (len(downloader.active), downloader.total_concurrency) == (0, 16)
        internals.raise_delay(crawler, "a.example", 3.0)
        internals.keep_delay(crawler, "a.example", 3.0)
        assert (slot.delay, slot.jitter) == (3.0, 0.0)
        del downloader.slots["a.example"]
        _, made = downloader._get_slot(request)
        assert (made.delay, made.jitter) == (3.0, 0.0)
        assert internals.slot_of(request) is None
        downloader.close()

    asyncio.run(run())


def test_what_waits_in_the_downloader():
    assert list(inspect.signature(Downloader._wait_for_download).parameters) == [
        "self",
        "slot",
        "request",
        "queue_dfd",
    ]
    assert "_schedule_coro(self._wait_for_download(" in inspect.getsource(Downloader._process_queue)

    class Silent:
        async def download_request_async(self, request):
            await asyncio.Event().wait()

    async def run():
        none = {"http": None, "https": None, "ftp": None}
        crawler = get_crawler(settings_dict={**REACTORLESS, "DOWNLOAD_HANDLERS": none})
        parts = internals.DownloaderParts(crawler)
        parts.handlers = Silent()
        first, second = (Request(f"http://a.example/{name}") for name in "ab")
        parts.slots["a.example"] = slot = Slot(1, 0.0, 0.0)
        waiting = []
        for request in (first, second):
            waiting.append(asyncio.ensure_future(parts._enqueue_request(request)))
            await asyncio.sleep(0.01)
        assert (slot.transferring, [request for request, _ in slot.queue]) == ({first}, [second])
        assert parts.take_queued() == [second]
        parts.abort_transfers()
        await asyncio.sleep(0.01)
        assert (slot.transferring, len(slot.queue)) == (set(), 0)
        for task in waiting:
            task.cancel()
        parts.close()

    asyncio.run(run())


def test_the_engine():
    for name in ("crawl", "download_async", "close_spider_async", "spider_is_idle"):
        assert callable(getattr(ExecutionEngine, name))


def test_the_slot_of_the_engine():
    source = inspect.getsource(inspect.getmodule(ExecutionEngine))
    assert "self._slot: _Slot | None = None" in source
    assert "self.closing: Deferred[None] | None = None" in source
    assert "self.nextcall: CallLaterOnce" in source


# --- Connections ---


class Refused(Exception):
    """Nothing may be connected to."""


def refuse(host: str, address: str) -> None:
    raise Refused(f"{host} {address}")


class Pool(HTTPConnectionPool):
    """Keeps the endpoint that it was to connect by."""

    def getConnection(self, key, endpoint):
        return endpoint


class Handler(BaseDownloadHandler):
    """Has a pool, where it is given one."""

    async def download_request(self, request):
        """Not asked."""


def test_connections_of_twisted():
    reactor = MemoryReactorClock()
    handler = Handler(get_crawler(settings_dict=REACTORLESS))
    assert not internals.watch(handler, refuse)
    handler._pool = Pool(reactor)
    assert internals.watch(handler, refuse)
    assert handler._pool.persistent
    for scheme in (b"http", b"https"):
        plain = HostnameEndpoint(reactor, b"a.example", 443)
        assert plain._reactor is reactor
        wrapped = wrapClientTLS(optionsForClientTLS("a.example"), plain)
        endpoint = plain if scheme == b"http" else wrapped
        assert handler._pool.getConnection((scheme, b"a.example", 443), endpoint) is endpoint
        with pytest.raises(Refused, match=r"a\.example 10\.0\.0\.1"):
            plain._reactor.connectTCP("10.0.0.1", 443, None)
        assert plain._reactor.nameResolver is reactor.nameResolver
    assert not reactor.tcpClients
    # What cannot be looked into connects to nothing; proxies are left alone.
    with pytest.raises(TypeError, match="no endpoint"):
        handler._pool.getConnection((b"http", b"a.example", 80), object())
    proxy = HostnameEndpoint(reactor, b"10.0.0.2", 80)
    handler._pool.getConnection((b"http-proxy", b"10.0.0.2", 80), proxy)
    assert proxy._reactor is reactor


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"Content-Type : text/html\r\nX Odd: 1\r\n: 2\r\nX-\xe9: 3\r\nX(a): 4\r\nX-B: 5", {b"X-B": [b"5"]}),
        (b"no colon\r\nX-B: 5\r\n  6\r\nContent-Length: +2", {b"X-B": [b"5  6"]}),
        (b"Content-Length:\r\nTransfer-Encoding: identity", {}),
        (b"Content-Length: 2, 2\r\nX-B: " + b"b" * 100_000, {b"X-B": [b"b" * 100_000]}),
        (b"Transfer-Encoding: gzip, Chunked", {}),
    ],
)
def test_heads_of_responses_are_read_as_browsers_do(head, kept):
    from scrapy.core.downloader.handlers.http11 import _LenientHTTP11ClientFactory

    handler = Handler(get_crawler(settings_dict=REACTORLESS))
    internals.forgive(handler)
    handler._pool = HTTPConnectionPool(MemoryReactorClock())
    handler._pool._factory = _LenientHTTP11ClientFactory
    internals.forgive(handler)
    connection = handler._pool._factory(lambda _: None, {}).buildProtocol(None)
    connection.makeConnection(StringTransport())
    answers, body = [], AccumulatingProtocol()
    asked = TwistedRequest(b"GET", b"/", Headers({b"Host": [b"a.example"]}), None)
    connection.request(asked).addCallback(answers.append)
    connection.dataReceived(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n")
    answers[0].deliverBody(body)
    connection.dataReceived(b"2\r\nab\r\n0\r\n\r\n" if b"hunked" in head else b"ab")
    connection.connectionLost(Failure(ConnectionDone()))
    assert body.data == b"ab"
    assert {name: answers[0].headers.getRawHeaders(name) for name in kept} == kept


def test_connections_of_scrapys_handlers():
    # Looks for the source of all that calls it, which takes a while: not while tests are collected.
    from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

    assert load_object(internals.TWISTED) is HTTP11DownloadHandler
    assert "self._pool: HTTPConnectionPool" in inspect.getsource(HTTP11DownloadHandler.__init__)
    source = inspect.getsource(inspect.getmodule(HTTP11DownloadHandler))
    assert "_TunnelingTCP4ClientEndpoint(TCP4ClientEndpoint)" in source
    assert 'key=(b"http-proxy"' in source

    async def run():
        handler = load_object(internals.AIOHTTP)(get_crawler(settings_dict=REACTORLESS))
        try:
            assert internals.watch(handler, refuse)
            with internals.connecting("a.example") as attempt, pytest.raises(DownloadConnectionRefusedError):
                await handler.download_request(Request("http://127.0.0.1:9/"))
            assert isinstance(attempt.error, Refused)
        finally:
            await handler.close()

    asyncio.run(run())
