"""The demo site's HTTP server: `python -m demo.server --port 8000` shows the site in a browser."""

from __future__ import annotations

import argparse
import re
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from demo.site import Response, not_found, pages

HOST = re.compile(r"(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE)

# A client chooses the Host header, so what is kept for each host has to be bounded.
_pages = lru_cache(maxsize=4)(pages)


class Handler(BaseHTTPRequestHandler):
    """Answers over connections that stay open, and says nothing: the crawler has its own log."""

    protocol_version = "HTTP/1.1"
    timeout = 30
    # Else the end of a page waits, up to 40 ms, for the client to acknowledge its beginning.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Says nothing."""


class Server(ThreadingHTTPServer):
    """Serves many clients, any of which may hang up when it likes."""

    daemon_threads = True
    request_queue_size = 128

    def server_bind(self) -> None:
        """Takes the address; asks no name service for the host's name, which takes long without a network."""
        socketserver.TCPServer.server_bind(self)
        host, self.server_port = self.server_address[:2]
        self.server_name = str(host)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://{self.server_name}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Reports what is not the client's doing."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

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


class _Handler(Handler):
    server: Server
    server_version = "demo"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        host = self.headers.get("Host") or self.server.url.partition("//")[2]
        if not HOST.fullmatch(host):
            self.send_error(HTTPStatus.BAD_REQUEST, "Malformed Host header")
            return
        path = self.path.partition("?")[0].partition("#")[0]
        response = _pages(f"http://{host}").get(path) or not_found()
        unchanged = response.status == HTTPStatus.OK and self._is_current(response)
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if not unchanged:
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if with_body and not unchanged:
            self.wfile.write(response.body)

    def _is_current(self, response: Response) -> bool:
        """Returns True if the client has the current copy (RFC 9110, section 13.2.2: If-None-Match first)."""
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
            return bool(known & {"*", response.headers["ETag"]})
        since = self.headers.get("If-Modified-Since")
        if since is None:
            return False
        try:
            return parsedate_to_datetime(response.headers["Last-Modified"]) <= parsedate_to_datetime(since)
        except (TypeError, ValueError):  # not a date, or one without a time zone: the field is ignored
            return False


@contextmanager
def serve(host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serves the site from a thread while the context lasts.

    Port 0 means any free port. Yields the base URL without a slash at its end. Raises OSError where the
    address cannot be had.
    """
    server = Server((host, port), _Handler)
    _pages(server.url)  # before the first request, so that requests at the same time do not each make them
    with server.running():
        yield server.url


def main(arguments: list[str] | None = None) -> int:
    """Serves until Ctrl-C; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m demo.server", description="Serves the demo site.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args(arguments)
    try:
        with serve(options.host, options.port) as base:
            print(f"{base}/ (Ctrl-C ends)", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return 0
    except (OSError, OverflowError) as error:
        print(f"cannot serve on {options.host}:{options.port}: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
