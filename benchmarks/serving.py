"""The HTTP server of benchmarks: their own data behind the handling that all of them need."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Handler(BaseHTTPRequestHandler):
    """Answers over connections that stay open. A subclass gives ``do_GET``, which ends with `send`."""

    protocol_version = "HTTP/1.1"
    # Else the end of a page waits, up to 40 ms, for the client to acknowledge its beginning.
    wbufsize = -1
    disable_nagle_algorithm = True

    def send(self, status: int, body: bytes, kind: str = "text/html; charset=utf-8", **headers: str) -> None:
        """Answers with a ``status`` and a ``body`` of a ``kind``, and with more headers by their names."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Says nothing."""


class Server(ThreadingHTTPServer):
    """Serves many clients on this machine, any of which may hang up when it likes. A subclass names its
    ``handler``.
    """

    handler: type[Handler]

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serves from a thread while the context lasts."""
        with self:
            thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                self.shutdown()
                thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing."""
