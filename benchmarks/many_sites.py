"""What a site costs where there are many: its start and its pages, at first and when nothing has changed.

Generated sites, each a host of the loopback network, crawled by ``scrapy run-due``, a process each.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from benchmarks.growth import HOST, GeneratedSite
from benchmarks.process import SCRAPY, run
from benchmarks.serving import Handler, Server

_PATH: Final = re.compile(r"/s\d+/p(\d+)\.html\Z")
_SETTINGS: Final = ("AUTOTHROTTLE_ENABLED=0", "DOWNLOAD_DELAY=0", "LOG_LEVEL=ERROR", "RELEASE_PROCESSES=1")
_MINUTE: Final = 60.0


class Host(Server):
    """A generated site of so many pages, which answers that a page is as it was."""

    def __init__(self, name: str, port: int, size: int, seed: int) -> None:
        super().__init__((name, port), _Handler)
        self.site, self.base = GeneratedSite(size, seed), f"http://{name}:{self.server_port}"


class _Handler(Handler):
    server: Host

    def do_GET(self) -> None:
        number = next(map(int, _PATH.findall(self.path)), -1)
        if not 0 <= number < self.server.site.size:
            self.send(404, b"no such page", "text/plain")
        elif self.headers["If-None-Match"]:
            self.send(304, b"", ETag='"1"')
        else:
            html = self.server.site.page(number).replace(HOST, self.server.base)
            self.send(200, html.encode(), ETag='"1"')


def nights(sites: int, pages: int, work: Path) -> None:
    """Crawls so many sites of so many pages twice; prints a row for each night, and what a look costs."""
    (work / "sites").mkdir()
    with ExitStack() as stack:
        port = 0
        for number in range(sites):
            host = stack.enter_context(
                Host(f"127.0.{2 + number // 250}.{1 + number % 250}", port, pages, number)
            )
            port = host.server_port
            threading.Thread(target=host.serve_forever, args=(0.1,), daemon=True).start()
            stack.callback(host.shutdown)
            text = f'url = "{host.base}/s0/p0.html"\nschedule = "* * * * *"\ntimezone = "UTC"\n'
            (work / "sites" / f"site{number}.toml").write_text(text, encoding="utf-8")
        given = [f"DATA_DIR={work / 'data'}", f"SITES_DIR={work / 'sites'}", *_SETTINGS]
        command = [*SCRAPY, "run-due", *(part for one in given for part in ("-s", one))]
        for night in ("first", "unchanged"):
            began = time.monotonic()
            used = run(command, quiet=True)
            seconds = time.monotonic() - began
            stored = sum(path.stat().st_size for path in (work / "data").rglob("*") if path.is_file()) / 1e6
            print(
                f"| {pages} | {night} | {used.cpu_seconds / sites:.2f} | {seconds / sites:.2f} "
                f"| {stored / sites:.2f} |",
                flush=True,
            )
            # Each is due again with the next minute.
            time.sleep(max(0.0, _MINUTE - seconds))
        look = run([*command, "--dry-run"], quiet=True)
        print(f"a look at {sites} sites of {pages} pages: {look.cpu_seconds:.2f} CPU s", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Prints a table, and what it costs to see what is due."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks many_sites", description=__doc__)
    parser.add_argument("--sites", type=int, default=30, help="so many sites of each size")
    parser.add_argument("--pages", default="1,20", help="pages of a site, parted by commas")
    options = parser.parse_args(arguments)
    print("| pages a site | night | CPU s a site | s a site, two at a time | MB a site |")
    print("|---:|---|---:|---:|---:|")
    for pages in map(int, options.pages.split(",")):
        with tempfile.TemporaryDirectory() as work:
            nights(options.sites, pages, Path(work))
