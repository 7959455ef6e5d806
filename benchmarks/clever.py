"""How well links find the authorities on a topic: the six configurations of Clever on a generated web.

As Figure 6 of Bar-Yossef & Rajagopalan, WWW 2002, where pages were judged by people: here it is known which
are authorities (`benchmarks.topical_web`). With ``--sites`` on the sites of the corpora, joined into one
graph: there a page counts whose gold text is about the query. Precision@N is the share of the first N pages
that count.
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from scrapy.utils.project import get_project_settings
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks import corpora
from benchmarks.process import crawl_archive
from benchmarks.search_queries import LONGEST_TITLE, terms
from benchmarks.topical_web import TOPICS, TopicalWeb
from crawler.configuration.judgement import stored_judge
from inspection.ranking import matching, rank_pages
from pagelets.ranking.rankings import RANKINGS, rank
from store.links import read_links
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FIRST: Final = (10, 20, 30, 40, 50)
_LETTERS, _TITLES, _HOSTS, _ABOUT = 4, 5, 2, range(20, 201)
"""A query is a word of so many letters in so many titles, of so many sites, that so many pages are about."""
_TIMES: Final = 3
"""A page is about a word that is in its title, or so often in its text."""


def main(arguments: list[str]) -> None:
    """Prints the mean precision over the topics of some webs, by ranking and N."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks clever", description=__doc__)
    parser.add_argument("--webs", type=int, default=3, help="so many webs are generated (default: 3)")
    parser.add_argument("--sites", action="store_true", help="rank the sites of the corpora, joined, instead")
    corpora.add_argument(parser)
    options = parser.parse_args(arguments)
    found: dict[str, list[list[float]]] = {name: [] for name, one in RANKINGS.items() if one.weighted}
    with tempfile.TemporaryDirectory() as folder:
        if options.sites:
            _rank_sites(corpora.folder(options), Path(folder), found)
        for seed in range(1, 1 + (0 if options.sites else options.webs)):
            _rank(TopicalWeb(seed), Path(folder) / str(seed), found)
    print("| precision@ |", " | ".join(map(str, _FIRST)), "|")
    print("|---|", "---:|" * len(_FIRST), sep="")
    for name, rows in found.items():
        means = [sum(column) / len(column) for column in zip(*rows, strict=True)]
        print(f"| `{name}` |", " | ".join(f"{mean:.2f}" for mean in means), "|")


def _rank(web: TopicalWeb, folder: Path, found: dict[str, list[list[float]]]) -> None:
    """Adds the precision of each ranking for each topic of a web."""
    folder.mkdir()
    crawl_archive(_write(folder / "web.warc.gz", web.pages()), folder, "web", "-s", "METHOD=templates")
    with Store.open(folder / "web") as store:
        read = stored_judge(store, get_project_settings()).subject
        for name, rows in found.items():
            for topic in TOPICS:
                wanted = web.authorities(topic)
                ranked = [page.url for page in rank_pages(store, read, name, topic, _FIRST[-1]).pages]
                rows.append(_precision(ranked, wanted))


def _precision(ranked: Sequence[str], wanted: Collection[str]) -> list[float]:
    return [sum(url in wanted for url in ranked[:count]) / count for count in _FIRST]


def _rank_sites(folder: Path, work: Path, found: dict[str, list[list[float]]]) -> None:
    """Adds the precision of each ranking for each query on the joined sites of the corpora."""
    archives = ",".join(map(str, corpora.archives(folder).values()))
    crawl_archive(archives, work, "sites", "-s", "METHOD=templates")
    queries = _queries(folder)
    with Store.open(work / "sites") as store:
        read = cache(stored_judge(store, get_project_settings()).subject)
        links = read_links(store.connection, anchors=True)
        urls = [store.frontier.url(page) for page in links.page.tolist()]
        for query, wanted in queries.items():
            matches = matching(links, read, query)
            for name, rows in found.items():
                scores = rank(links.links, RANKINGS[name], matches)
                best = np.argsort(-scores, kind="stable")[: _FIRST[-1]]
                rows.append(_precision([urls[place] for place in best if scores[place] > 0], wanted))
    print(f"{len(queries)} queries: {', '.join(queries)}\n")


def _queries(folder: Path) -> dict[str, set[str]]:
    """The words to ask for, each with the pages that are about it by their gold text."""
    titles, about = defaultdict[str, list[str]](list), defaultdict[str, set[str]](set)
    for name in corpora.archives(folder):
        for line in (folder / "sites" / f"{name}.gold.jsonl").read_text(encoding="utf-8").splitlines():
            page = json.loads(line)
            title = set(terms(page["text"].partition("\n")[0])[:LONGEST_TITLE])
            counts = Counter(terms(page["text"]))
            for word in title:
                titles[word].append(name)
            for word in title | {word for word, count in counts.items() if count >= _TIMES}:
                about[word].add(page["id"])
    return {
        word: about[word]
        for word, sites in sorted(titles.items())
        if len(word) >= _LETTERS and word.isalpha() and len(sites) >= _TITLES
        if len(set(sites)) >= _HOSTS and len(about[word]) in _ABOUT
    }


def _write(path: Path, pages: dict[str, str]) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, html in pages.items():
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], "HTTP/1.1")
            payload = io.BytesIO(html.encode())
            writer.write_record(
                writer.create_warc_record(url, "response", payload=payload, http_headers=http)
            )
    return path
