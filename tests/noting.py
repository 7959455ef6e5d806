"""A small web server for tests that notes the headers of each request."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class _Noting(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        seen = {name.lower(): value for name, value in self.headers.items()}
        self.server.heard.append((self.path, seen))
        status, headers, body = self.server.answers.get(self.path, (404, {}, ""))
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args) -> None:
        """Says nothing."""


@contextmanager
def noting(answers):
    """Serves status, headers and body by path (``answers``); ``heard`` are the paths and headers asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Noting) as server:
        server.answers, server.heard = dict(answers), []
        server.base = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
