"""What a host loses beside slow ones, and what handing out a request costs in a large store.

One server of its own answers as several hosts of the loopback network; the slow ones ask for a Crawl-delay.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.process import SCRAPY, run
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

FREE = "127.0.0.1"
BATCH = 256


class Hosts(ThreadingHTTPServer):
    """Answers every path of every host: ``pages`` links on each home page; ``met`` are the times at which the
    free host was asked for a page.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, pages: int, delay: float) -> None:
        super().__init__(("0.0.0.0", 0), _Handler)  # noqa: S104 - the loopback network's many addresses
        self.pages, self.delay = pages, delay
        self.met: list[float] = []

    def body(self, host: str, path: str) -> bytes:
        """What a path of a host holds."""
        if path == "/robots.txt":
            return f"User-agent: *\nCrawl-delay: {self.delay}\n".encode() if host != FREE else b""
        links = "".join(f'<p><a href="/{number}">{number}</a></p>' for number in range(self.pages))
        return f"<html><title>{path}</title><p>What {path} says.</p>{links if path == '/' else ''}".encode()


class _Handler(BaseHTTPRequestHandler):
    server: Hosts
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        body = self.server.body(host, self.path)
        if host == FREE and not self.path.endswith((".txt", ".xml")):
            self.server.met.append(time.monotonic())
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Says nothing."""


@contextmanager
def _serving(pages: int, delay: float) -> Iterator[Hosts]:
    with Hosts(pages, delay) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


def beside(slow: int, pages: int, delay: float) -> float:
    """Seconds from the first to the last page of the free host, beside so many slow hosts.

    The crawl ends with a page of each slow host for every second that it may take, or soon after.
    """
    with _serving(pages, delay) as server, tempfile.TemporaryDirectory() as folder:
        hosts = [*(f"127.0.1.{number}" for number in range(1, slow + 1)), FREE]
        urls = ",".join(f"http://{host}:{server.server_port}/" for host in hosts)
        given = ["-a", f"url={urls}", "-s", f"DATA_DIR={folder}", "-s", "SITEMAPS_ENABLED=0", "-s", "SINKS="]
        quiet = ["-s", "PROGRESS_ENABLED=0", "-s", "LOG_LEVEL=ERROR", "-s", "AUTOTHROTTLE_ENABLED=0"]
        enough = pages + 1 + slow * 3
        run([*SCRAPY, "crawl", "site", *given, *quiet, "-s", "METHOD=templates", "-a", f"max_pages={enough}"])
        return max(server.met) - min(server.met)


def handing_out(urls: int, hosts: int) -> tuple[float, float]:
    """Milliseconds that the hosts with due URLs take to find in a store of that size, and microseconds a URL
    to read the due ones of a host.
    """
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "site", create=True) as store:
        with store.transaction():
            store.connection.executemany(
                "INSERT INTO hosts (host, name) VALUES (?, ?)",
                ((host, f"h{host}.example") for host in range(1, hosts + 1)),
            )
            store.connection.executemany(
                "INSERT INTO pages (url, host, state, due, depth) VALUES (?, ?, 'known', 1, ?)",
                (
                    (f"http://h{1 + number % hosts}.example/{number}", 1 + number % hosts, number % 20)
                    for number in range(urls)
                ),
            )
        started = time.perf_counter()
        found = list(store.frontier.hosts_due())
        listed = time.perf_counter()
        read = sum(len(store.frontier.due([host], BATCH)) for host in found)
        return (listed - started) * 1e3, (time.perf_counter() - listed) * 1e6 / read


def main(arguments: list[str] | None = None) -> None:
    """Prints what a host loses beside others, and what the store costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks hosts", description=__doc__)
    parser.add_argument("--pages", type=int, default=1000, help="pages of the free host")
    parser.add_argument("--delay", type=float, default=2.0, help="Crawl-delay of the slow hosts, in seconds")
    parser.add_argument("--slow", default="0,1,20", help="numbers of slow hosts, parted by commas")
    parser.add_argument("--urls", type=int, default=1_000_000, help="URLs of the large store")
    parser.add_argument("--hosts", type=int, default=5000, help="hosts of the large store")
    options = parser.parse_args(arguments)
    print("| slow hosts | seconds for the free host | × alone |\n|---:|---:|---:|")
    alone = 0.0
    for slow in map(int, options.slow.split(",")):
        taken = beside(slow, options.pages, options.delay)
        alone = alone or taken
        print(f"| {slow} | {taken:.1f} | {taken / alone:.2f} |", flush=True)
    hosts, urls = handing_out(options.urls, options.hosts)
    print(
        f"\n{options.urls:,} due URLs of {options.hosts:,} hosts: {hosts:.0f} ms to list the hosts once, "
        f"{urls:.1f} µs a URL to hand out"
    )


if __name__ == "__main__":
    main()
