"""What a host loses beside slow ones, and what handing out a request costs in a large store.

The hosts are addresses of the loopback network; the slow ones ask for a Crawl-delay.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.process import SCRAPY, run
from benchmarks.serving import Handler, Server
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 256
SLOW_PAGES = 10
"""With the delay, these last longer than the pages of the other host."""


class Host(Server):
    """A host with so many pages, all linked from its home page, that answers after ``latency`` seconds;
    ``met`` are the times of its requests.
    """

    def __init__(self, name: str, port: int, pages: int, delay: float, latency: float) -> None:
        super().__init__((name, port), _Handler)
        links = "".join(f'<p><a href="/{number}">{number}</a></p>' for number in range(pages))
        self.name = name
        self.robots = f"User-agent: *\nCrawl-delay: {delay}\n" if delay else ""
        self.links = links
        self.latency = latency
        self.met: list[float] = []


class _Handler(Handler):
    server: Host

    def do_GET(self) -> None:
        host = self.server
        time.sleep(host.latency)
        if self.path == "/robots.txt":
            kind, text = "text/plain", host.robots
        else:
            host.met.append(time.monotonic())
            links = host.links if self.path == "/" else ""
            kind, text = "text/html", f"<title>{self.path}</title><p>What {self.path} says.</p>{links}"
        self.send(200, text.encode(), kind)


@contextmanager
def _serving(slow: int, pages: int, delay: float, latency: float) -> Iterator[tuple[Host, list[str]]]:
    with ExitStack() as stack:
        free = stack.enter_context(Host("127.0.0.1", 0, pages, 0.0, latency))
        port = free.server_port
        others = [Host(f"127.0.1.{number + 1}", port, SLOW_PAGES, delay, latency) for number in range(slow)]
        for host in (free, *map(stack.enter_context, others)):
            threading.Thread(target=host.serve_forever, args=(0.1,), daemon=True).start()
            stack.callback(host.shutdown)
        yield free, [f"http://{host.name}:{port}/" for host in (*others, free)]


def beside(slow: int, pages: int, delay: float, latency: float) -> float:
    """Seconds from the first to the last page of a host that asks for no delay, beside so many that do."""
    with _serving(slow, pages, delay, latency) as (free, urls), tempfile.TemporaryDirectory() as folder:
        given = ["-a", f"url={','.join(urls)}", "-s", f"DATA_DIR={folder}", "-s", "METHOD=templates"]
        plain = [f"{name}=0" for name in ("SITEMAPS_ENABLED", "AUTOTHROTTLE_ENABLED", "PROGRESS_ENABLED")]
        options = [part for setting in (*plain, "SINKS=", "LOG_LEVEL=ERROR") for part in ("-s", setting)]
        run([*SCRAPY, "crawl", "site", *given, *options])
        return max(free.met) - min(free.met)


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
    parser.add_argument("--pages", type=int, default=100, help="pages of the other host")
    parser.add_argument("--latency", type=float, default=0.3, help="seconds that any answer takes")
    parser.add_argument("--delay", type=float, default=2.0, help="Crawl-delay of the slow hosts, in seconds")
    parser.add_argument("--slow", default="0,1,20", help="numbers of slow hosts, parted by commas")
    parser.add_argument("--urls", type=int, default=1_000_000, help="URLs of the large store; 0 for none")
    parser.add_argument("--hosts", type=int, default=5000, help="hosts of the large store")
    options = parser.parse_args(arguments)
    print("| slow hosts | seconds for the free host | × alone |\n|---:|---:|---:|")
    alone = 0.0
    for slow in map(int, options.slow.split(",")):
        taken = beside(slow, options.pages, options.delay, options.latency)
        alone = alone or taken
        print(f"| {slow} | {taken:.1f} | {taken / alone:.2f} |", flush=True)
    if not options.urls:
        return
    hosts, urls = handing_out(options.urls, options.hosts)
    print(
        f"\n{options.urls:,} due URLs of {options.hosts:,} hosts: {hosts:.0f} ms to list the hosts once, "
        f"{urls:.1f} µs a URL to hand out"
    )
