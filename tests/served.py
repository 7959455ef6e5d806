"""A small web server for tests: a function or a page for each path."""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from email.message import Message

HTML = "text/html; charset=utf-8"
WITH_BODY = re.compile(rb"HTTP/1\.1 (?!204|304)[2-9]\d\d ")


class Answer:
    """An HTTP response; ``raw`` stands for everything, status line and headers too.

    A request with the ETag or Last-Modified of the headers gets 304 in its place; ``confirmed`` says
    otherwise: True that every conditional request gets 304, False that none does. ``reset`` ends the
    connection after ``raw`` as a crash does.
    """

    def __init__(
        self,
        body: str | bytes = b"",
        status: int = 200,
        kind: str | None = HTML,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
        confirmed: bool | None = None,
        reset: bool = False,
    ) -> None:
        self.reset = reset
        self.body = body.encode() if isinstance(body, str) else body
        self.status = status
        self.headers = {**({"Content-Type": kind} if kind else {}), **(headers or {})}
        self.raw = raw
        self.confirmed = confirmed

    def confirms(self, etag: str | None, since: str | None) -> bool:
        """Whether a request with these validators (If-None-Match, If-Modified-Since) gets 304."""
        if etag is None and since is None:
            return False
        if self.confirmed is not None:
            return self.confirmed
        if self.status != 200:
            return False
        # Where both are sent, the ETag counts (RFC 9110, section 13.1.3).
        if etag is not None:
            return etag == self.headers.get("ETag")
        return since == self.headers.get("Last-Modified")


def page(title: str, *links: str, text: str | None = None, head: str = "", around: str = "") -> str:
    """An HTML page: some text of its own, and a link for each path (``rel=nofollow`` after a space)."""
    items = "".join(
        f'<li><a href="{href}"{" rel=nofollow" if rel else ""}>to {href}</a></li>'
        for href, _, rel in (link.partition(" ") for link in links)
    )
    own = text if text is not None else f"This is what the page {title} says, and no other page does."
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head>"
        f"<body>{around}<main><h1>{title}</h1><p>{own}</p></main><ul>{items}</ul></body></html>"
    )


def is_whole(raw: bytes) -> bool:
    """Returns True for an answer that ends where its headers say, as clients read them: after it the
    connection can stay open.
    """
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *headers = head.split(b"\r\n")
    return (
        WITH_BODY.match(status) is not None
        and b"Content-Length: %d" % len(body) in headers
        and b"Transfer-Encoding" not in head
        and b"\r\n " not in head
    )


def moved(to: str, status: int = 301) -> Answer:
    """A redirect."""
    return Answer(b"moved", status, "text/plain", {"Location": to})


class Site(ThreadingHTTPServer):
    """Pages by path (with query); what is not there is 404. ``asked`` counts the requests of each path,
    ``confirmed`` those that got 304, ``bodies`` those that got a body, and ``sent`` is the bytes of these.

    ``heard`` has the path and the headers of each request. ``otherwise`` answers the paths that are not in
    ``pages``; ``delay`` tells how long a path takes.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        pages: Mapping[str, Any],
        otherwise: Callable[[str], Any] | None = None,
        port: int = 0,
        host: str = "127.0.0.1",
    ) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)
        self.pages = dict(pages)
        self.otherwise = otherwise
        self.asked: Counter[str] = Counter()
        self.confirmed: Counter[str] = Counter()
        self.bodies: Counter[str] = Counter()
        self.sent = 0
        self.heard: list[tuple[str, Message]] = []
        self.counting = threading.Lock()
        self.delay: Callable[[str], float] = lambda path: 0.0
        self.base = f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}"

    def forget(self) -> None:
        """Counts from nothing again."""
        with self.counting:
            for counter in (self.asked, self.confirmed, self.bodies):
                counter.clear()
            self.sent = 0

    def answer(self, path: str) -> Answer:
        with self.counting:
            self.asked[path] += 1
        if seconds := self.delay(path):
            time.sleep(seconds)
        found = self.pages.get(path)
        if found is None and self.otherwise is not None:
            found = self.otherwise(path)
        if callable(found):
            found = found(path)
        if found is None:
            return Answer("<p>not found</p>", 404)
        return found if isinstance(found, Answer) else Answer(found)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client may hang up when it likes."""


class _Handler(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"
    timeout = 10
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.server.heard.append((self.path, self.headers))
        answer = self.server.answer(self.path)
        if answer.raw is not None:
            self.wfile.write(answer.raw)
            # A client uses the connection again after a whole answer: requests that meet its close are lost.
            self.close_connection = answer.reset or not is_whole(answer.raw)
            if answer.reset:
                self.wfile.flush()
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        if answer.confirms(self.headers["If-None-Match"], self.headers["If-Modified-Since"]):
            with self.server.counting:
                self.server.confirmed[self.path] += 1
            self.send_response(304)
            for name in ("ETag", "Last-Modified", "X-Robots-Tag", "Cache-Control"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.end_headers()
            return
        with self.server.counting:
            self.server.bodies[self.path] += 1
            self.server.sent += len(answer.body)
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Says nothing."""


@contextmanager
def served(
    pages: Mapping[str, Any],
    otherwise: Callable[[str], Any] | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
) -> Iterator[Site]:
    """Serves a site while the context lasts, at any free port or the given one."""
    with Site(pages, otherwise, port, host) as site:
        thread = threading.Thread(target=site.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
