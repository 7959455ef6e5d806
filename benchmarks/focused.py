"""What the order of requests brings: content pages found early, and pages on a topic.

Each site is crawled from its home page, one request at a time: breadth first, with links of templates last,
and for some queries. What is content, and what is on a topic, is told by the gold texts of the corpora: a
content page is one whose type is neither ``home`` nor ``listing``; a page is on a topic whose gold text has
the word. Of a manual, which has none, the Documents of the breadth-first crawl stand for gold texts, and a
content page has at least 100 words.

Queries are by a rule: words of at least four letters that the titles of two pages have, and the texts of
three pages at least and of a tenth at most; those in most titles first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy import signals
from scrapy.addons import AddonManager
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings

from benchmarks import corpora
from benchmarks.focused_spider import FromHome
from pagelets.text.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_QUARTER: Final = 0.25
_LONG: Final = 100
_QUIET: Final = {
    "SINKS": [],
    "LOG_ENABLED": False,
    "PROGRESS_ENABLED": False,
    "RELEASE_PROCESSES": 1,
    "CONCURRENT_REQUESTS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "TWISTED_REACTOR_ENABLED": False,
    "DOCUMENT_FIELDS": ["url", "title", "text"],
}


class Crawled(NamedTuple):
    """A crawl: the URLs in the order in which they were requested, the documents, and the seconds of CPU
    that a page has cost.
    """

    requested: list[str]
    documents: dict[str, dict[str, Any]]
    seconds: float


class Texts(NamedTuple):
    """What a page's URL stands for: whether it is content, and the words of its text."""

    content: set[str]
    words: dict[str, set[str]]


def main(arguments: list[str]) -> None:
    """Prints a row for each site, and the means."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks focused", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--site", action="append", help="only this site of the corpora; may be repeated")
    parser.add_argument("--manual", type=Path, action="append", default=[], help="a folder of HTML pages")
    parser.add_argument("--queries", type=int, default=3, help="so many queries a site (default: 3)")
    options = parser.parse_args(arguments)
    print(
        "| site | pages | content | template links last | ideal | queries | breadth first | query | ideal |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    rows = []
    for name, path in corpora.archives(corpora.folder(options)).items():
        if options.site is None or name in options.site:
            rows.append(_row(name, {"path": str(path)}, _gold(path), options.queries))
    if rows:
        _print("mean", *map(_mean, zip(*rows, strict=True)))
    for folder in options.manual:
        given = {"path": str(folder), "base": "http://manual/", "start": "http://manual/index.html"}
        _row(folder.name, given, None, options.queries)


def _row(name: str, given: dict[str, str], gold: Texts | None, queries: int) -> list[float | None]:
    plain = _crawl(given)
    texts = gold or _texts(plain)
    last = _crawl(given, template_links="last")
    assert sorted(last.requested) == sorted(plain.requested), name
    area = _area(plain.requested, texts.content)
    best = sorted(plain.requested, key=lambda url: url not in texts.content)
    found: list[tuple[float, ...]] = []
    times = []
    for query in _queries(plain, texts, queries):
        wanted = {url for url in plain.requested if query in texts.words.get(url, ())}
        focused = _crawl(given, query=query)
        times.append(focused.seconds)
        ideal = sorted(plain.requested, key=lambda url: url not in wanted)
        found.append(tuple(_harvest(order, wanted) for order in (plain.requested, focused.requested, ideal)))
    share = len(texts.content & {*plain.requested}) / len(plain.requested)
    rates = [_mean(column) for column in zip(*found, strict=True)] if found else [None] * 3
    areas = [_area(order, texts.content) / area if area else None for order in (last.requested, best)]
    row = [len(plain.requested), share, *areas, len(found), *rates]
    _print(name, *row)
    cost = [one / plain.seconds for one in (last.seconds, _mean(times) or 0)]
    print(
        f"{name}: CPU a page, of breadth first's: last {cost[0]:.2f}, query {cost[1]:.2f}",
        flush=True,
        file=sys.stderr,
    )
    return row


def _print(name: str, *values: float | None) -> None:
    shown = [
        "–" if one is None else f"{one:.2f}".removesuffix(".00" if isinstance(one, int) else "")
        for one in values
    ]
    print(f"| {name} |", " | ".join(shown), "|", flush=True)


def _mean(values: Collection[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _area(order: Sequence[str], wanted: Collection[str]) -> float:
    """The area under the curve of pages found over requests, as a share of all pages and requests."""
    found, area = 0, 0
    for url in order:
        found += url in wanted
        area += found
    return area / (found * len(order)) if found else 0.0


def _harvest(order: Sequence[str], wanted: Collection[str]) -> float:
    """The share of the first quarter of requests that brought a page on the topic."""
    first = order[: max(1, round(_QUARTER * len(order)))]
    return sum(url in wanted for url in first) / len(first)


def _queries(plain: Crawled, texts: Texts, count: int) -> Iterator[str]:
    pages = [url for url in plain.requested if url in texts.words]
    having = Counter(word for url in pages for word in texts.words[url])
    titles = Counter(
        word for url in pages for word in {*words(str(plain.documents.get(url, {}).get("title", "")))}
    )
    known = [
        word
        for word, times in titles.items()
        if times >= 2 and len(word) >= 4 and word.isalpha() and 3 <= having[word] <= len(pages) / 10
    ]
    yield from sorted(known, key=lambda word: (-titles[word], word))[:count]


def _gold(archive: Path) -> Texts:
    content, said = set(), {}
    lines = archive.with_name(archive.name.replace(".warc.gz", ".gold.jsonl")).read_text().splitlines()
    for gold in map(json.loads, lines):
        said[gold["id"]] = {*words(gold["text"])}
        if gold["group"] not in ("home", "listing"):
            content.add(gold["id"])
    return Texts(content, said)


def _texts(plain: Crawled) -> Texts:
    texts = {url: words(document["text"]) for url, document in plain.documents.items()}
    return Texts(
        {url for url, said in texts.items() if len(said) >= _LONG},
        {url: {*said} for url, said in texts.items()},
    )


def _crawl(given: dict[str, str], **arguments: str) -> Crawled:
    documents: dict[str, dict[str, Any]] = {}

    def take(item: Any) -> None:
        if "url" in item:
            documents[item["url"]] = dict(item)

    async def run(folder: str) -> None:
        settings = Settings()
        settings.setmodule("settings.base", priority="project")
        settings.update({**_QUIET, "DATA_DIR": folder}, priority="cmdline")
        AddonManager.load_pre_crawler_settings(settings)
        runner = AsyncCrawlerRunner(settings)
        crawler = runner.create_crawler(FromHome)
        crawler.signals.connect(take, signal=signals.item_scraped)
        await runner.crawl(crawler, **given, **arguments)

    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        asyncio.run(run(folder))
        taken = time.process_time() - began
    requested = [*FromHome.requested]
    return Crawled(requested, documents, taken / len(requested))
