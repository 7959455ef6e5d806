"""The HTTP server of benchmarks: their own data behind the demo site's handling of connections."""

from __future__ import annotations

from demo import server


class Handler(server.Handler):
    """A subclass gives ``do_GET``, which ends with `send`."""

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


class Server(server.Server):
    """Serves on a free port of this machine. A subclass names its ``handler``."""

    handler: type[Handler]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
