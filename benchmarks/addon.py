"""Clean fields in a project that knows nothing of ours, against `scrapy crawl archive` of the same pages.

A local proxy serves archives under their own addresses to one crawl of a `CrawlSpider`, in a folder where
the library alone can be imported: without the add-on, and with it. A page differs where its ``text`` or
``markdown`` is not that of the document that ``crawl archive`` makes of it. CPU time beside that of the same
crawl without the add-on is compared to what `pagelets.Site` takes for the same pages and fields.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import corpora
from benchmarks.process import PROJECT, SCRAPY, archive_command, run
from benchmarks.serving import Handler, Server
from pagelets import Site
from pagelets.archives.archive import Archive
from pagelets.archives.html import html_pages
from pagelets.archives.records import ArchiveError
from pagelets.archives.spelling import normal_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagelets.archives.html import HtmlPage

FIELDS: Final = ("text", "markdown")
_SPIDER: Final = """
import json
from pathlib import Path

from scrapy import Request
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Pages(CrawlSpider):
    name = "pages"
    start_urls = json.loads(Path("urls.json").read_text())
    known = frozenset(start_urls)
    rules = (Rule(LinkExtractor(), callback="item", follow=True, process_links="those_known"),)
    custom_settings = {
        "ADDONS": {"pagelets.integrations.scrapy.Addon": 500} if Path("addon").exists() else {},
        "ROBOTSTXT_OBEY": False,
        "RETRY_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
    }

    async def start(self):
        for url in self.start_urls:
            yield Request(url)

    def those_known(self, links):
        return [link for link in links if link.url in self.known]

    def item(self, response):
        return {"url": response.url}

    parse_start_url = item
"""


def main(arguments: list[str] | None = None) -> None:
    """Prints how many pages are equal, a line for each that differs, and the CPU seconds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks addon", description=__doc__)
    parser.add_argument("sites", nargs="*", help="names of archives (default: all)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, in turn; the fastest counts")
    corpora.add_argument(parser)
    options = parser.parse_args(arguments)
    archives = corpora.archives(corpora.folder(options))
    names = options.sites or list(archives)
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="addon-")))
        opened = {name: stack.enter_context(Archive.open([archives[name]])) for name in names}
        pages = {name: list(html_pages(archive, print)) for name, archive in opened.items()}
        proxy = _Proxy(list(opened.values()), work)
        stack.enter_context(proxy.running())
        urls = [page.url for some in pages.values() for page in some]
        seconds: list[tuple[float, float, float]] = []
        for number in range(options.runs):
            plain, _ = _crawl(work / f"plain{number}", urls, proxy, addon=False)
            filled, items = _crawl(work / f"filled{number}", urls, proxy, addon=True)
            seconds.append((plain, filled, sum(map(_judge, pages.values()))))
        equal = sum(_compare(name, archives[name], work, items) for name in names)
    plain, filled, judged = map(min, zip(*seconds, strict=True))
    count = sum(map(len, pages.values()))
    print(f"{len(names)} sites, {count} pages of HTML, {len(items)} items, {equal} as of `crawl archive`")
    print(f"CPU s: {plain:.1f} without the add-on, {filled:.1f} with it: {filled - plain:.1f} more")
    print(f"`pagelets.Site` takes {judged:.1f} for the same: {(filled - plain) / judged:.2f} of that")


def _crawl(folder: Path, urls: list[str], proxy: _Proxy, *, addon: bool) -> tuple[float, dict[str, Any]]:
    """Crawls; returns the CPU seconds, and the items by the normal form of their addresses."""
    (folder / "library").mkdir(parents=True)
    (folder / "library" / "pagelets").symlink_to(PROJECT / "pagelets")
    (folder / "spider.py").write_text(_SPIDER, encoding="utf-8")
    (folder / "urls.json").write_text(json.dumps(urls), encoding="utf-8")
    if addon:
        (folder / "addon").touch()
    env = {**os.environ, "PYTHONPATH": "library", "http_proxy": proxy.url, "https_proxy": proxy.url}
    seconds = run([*SCRAPY, "runspider", "spider.py", "-O", "items.jsonl"], folder=folder, env=env)
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = {normal_form(item["url"]): item for item in map(json.loads, lines)}
    return seconds, items


def _compare(name: str, archive: Path, work: Path, items: dict[str, Any]) -> int:
    """Returns how many documents of a site are as those of items; prints where others differ."""
    out = work / f"{name}.jsonl"
    run(archive_command(archive, work / "data", name, "-O", str(out)), quiet=True, codes=(0, 5))
    documents = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    equal = 0
    for document in documents:
        item = items.get(normal_form(document["url"]))
        if item is None:
            print(f"{name}: {document['url']}: no item")
        elif different := [field for field in FIELDS if item.get(field) != document[field]]:
            print(f"{name}: {document['url']}: another {', '.join(different)}")
        else:
            equal += 1
    print(f"{name}: {len(documents)} documents, {equal} equal", flush=True)
    return equal


def _judge(pages: Iterable[HtmlPage]) -> float:
    """Returns the CPU seconds that a site in memory takes for the same fields."""
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder, Site(folder=folder) as site:
        for page in pages:
            site.add(page.url, page.body, status=page.status, content_type=page.content_type)
        for _ in site.documents(FIELDS):
            pass
    return time.process_time() - began


class _Handler(Handler):
    server: _Proxy
    host = ""
    """The host of a tunnel."""

    def do_CONNECT(self) -> None:
        """Answers for a host by TLS, with a certificate that nobody knows."""
        self.host = self.path.removesuffix(":443")
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb")
        self.close_connection = False

    def do_GET(self) -> None:
        """Answers as the archive does that has the page."""
        url = f"https://{self.host}{self.path}" if self.host else self.path
        with self.server.reading:
            for archive in self.server.archives:
                if (found := archive.find(url)) is None:
                    continue
                try:
                    response = archive.read(found)
                except ArchiveError:
                    break
                self.send_response(response.status)
                for name, value in response.headers:
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self._end(response.body)
                return
        self.send_response(404)
        self._end(b"")

    def _end(self, body: bytes) -> None:
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


class _Proxy(Server):
    """A proxy that answers from archives."""

    handler = _Handler

    def __init__(self, archives: list[Archive], work: Path) -> None:
        super().__init__()
        self.archives = archives
        self.reading = threading.Lock()
        key, certificate = work / "key.pem", work / "certificate.pem"
        make = "openssl req -x509 -nodes -newkey rsa:2048 -days 2 -subj /CN=proxy".split()
        subprocess.run([*make, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
