"""How well the pages of a site are found by search, by what text of them is indexed.

Each site of the corpora is indexed once by all visible text of its pages, once by trafilatura's, and by what
our methods keep; nothing but the text differs. The same queries, made of gold text, go to each index: once
without titles, and once where each index holds the same ``<title>`` of each page beside the text. The gold
text is indexed as well: what it reaches is what there is to be had.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from scrapy.settings import Settings

from benchmarks import corpora
from benchmarks.ranking import CUTOFF, ndcg, reciprocal_rank
from benchmarks.search_figures import Figures, Site, means
from benchmarks.search_index import SearchIndex
from benchmarks.search_pagelets import by_pagelets
from benchmarks.search_queries import KINDS, GoldText, queries
from benchmarks.search_tables import tables
from crawler.configuration.judgement import config_for
from evaluation.choice import check_methods, trained
from evaluation.corpora import evaluate
from evaluation.gold import GoldPage, find_archives, is_seen
from pagelets.methods import DEFAULT, DETECTION, EVERYTHING
from pagelets.reading import parse
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.search_queries import Query
from evaluation.gold import Archive

RAW: Final = EVERYTHING
METHODS: Final = (RAW, "trafilatura", DETECTION, DEFAULT)
GOLD: Final = "gold"
LEFT_OUT: Final = f"{DEFAULT}, left out"

Texts = dict[str, dict[str, str]]
"""By method, the text of each page by its URL."""


def main(arguments: list[str] | None = None) -> None:
    """Prints the tables, or the same as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks search", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--sites", type=_count, metavar="N", help="measure the first so many sites only")
    parser.add_argument("--predictions", type=Path, metavar="FOLDER", help=(
        f"index the texts of FOLDER/SITE.jsonl as well, as `{LEFT_OUT}`: "
        "python -m training --measure --predictions FOLDER writes them"
    ))  # fmt: skip
    parser.add_argument("--pagelets", action="store_true", help=(
        "measure pages joined with their best pagelets, and words of these added to the query, instead"
    ))  # fmt: skip
    parser.add_argument("--json", action="store_true", help="write JSON, for machines")
    options = parser.parse_args(arguments)
    # What an extractor has to say about a page shows in its figures.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    sites: dict[str, Site] = {}
    try:
        if options.pagelets:
            archives = find_archives([corpora.folder(options) / "sites"])[: options.sites]
            by_pagelets(archives, as_json=options.json)
            return
        check_methods(METHODS)
        hosts = {host for training in trained(METHODS).values() for host in training.hosts}
        for archive in find_archives([corpora.folder(options) / "sites"])[: options.sites]:
            pages, texts, titles = read(archive)
            if options.predictions is not None:
                texts[LEFT_OUT] = predicted(options.predictions / f"{archive.name}.jsonl", texts[RAW])
            sites[archive.name] = measure(archive.name, pages, texts, titles, seen=is_seen(archive, hosts))
            print(archive.name, file=sys.stderr, flush=True)
    except ConfigurationError as error:
        sys.exit(str(error))
    if options.json:
        json.dump(
            {"sites": {name: asdict(site) for name, site in sites.items()}, **asdict(means(sites))},
            sys.stdout,
        )
        print()
    else:
        print("\n".join(tables(sites, means(sites))))


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1; give the number of sites")
    return number


def read(archive: Archive) -> tuple[list[GoldText], Texts, dict[str, str]]:
    """The pages of an archive that have gold text; of all its pages the texts by method, and the titles.

    A page of which a method makes nothing has an empty text. Raises ConfigurationError where the archive or
    its gold text is of no use.
    """
    html = {page.url: page.body.decode(page.encoding, "replace") for page in corpora.pages(archive.path)}
    gold = {page.url: page for page in archive.gold}
    every = [gold.get(url) or GoldPage(url, "", None) for url in html]
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    found = evaluate([replace(archive, gold=every)], METHODS, partial(config_for, settings=settings))
    results = sorted(found, key=lambda result: METHODS.index(result.method))
    texts = {result.method: {page.gold.url: page.text or "" for page in result.pages} for result in results}
    texts[GOLD] = {page.url: page.text for page in every}
    pages = [GoldText(page.url, page.text, page.group, html.get(page.url, "")) for page in archive.gold]
    return pages, texts, {url: parse(text).findtext(".//title") or "" for url, text in html.items()}


def predicted(feed: Path, pages: Mapping[str, str]) -> dict[str, str]:
    """The texts of a feed, one for each of the ``pages``, empty where the feed has none.

    Raises ConfigurationError where it cannot be read.
    """
    try:
        with feed.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found = {str(row["url"]): str(row["text"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{feed}: {type(error).__name__}: {error}; each line is an object with url and text"
        ) from error
    return {url: found.get(url, "") for url in pages}


def measure(
    name: str, pages: Sequence[GoldText], texts: Texts, titles: Mapping[str, str], *, seen: bool = False
) -> Site:
    """The figures of a site: of the pages with gold text, found among all that there are texts of."""
    asked = queries(pages)
    counts = {kind: sum(query.kind == kind for query in asked) for kind in KINDS}
    alone, titled = (_by_method(name, texts, beside, asked) for beside in ({}, titles))
    return Site(len(texts[RAW]), counts, seen, alone, titled)


def _by_method(
    name: str, texts: Texts, titles: Mapping[str, str], asked: Sequence[Query]
) -> dict[str, Figures]:
    figures: dict[str, Figures] = {}
    for method, of_pages in texts.items():
        with tempfile.TemporaryDirectory(prefix="search-") as folder:
            figures[method] = _answers(SearchIndex(Path(folder), name, of_pages, titles), asked)
    raw = figures[RAW].size
    return {method: replace(found, size_share=found.size / raw) for method, found in figures.items()}


def _answers(index: SearchIndex, asked: Sequence[Query]) -> Figures:
    ranks: dict[str, list[float]] = {}
    gains: dict[str, list[float]] = {}
    seconds: list[float] = []
    for query in asked:
        found = index.search(query.words, CUTOFF)
        ranks.setdefault(query.kind, []).append(reciprocal_rank(found.urls, query.answers))
        gains.setdefault(query.kind, []).append(ndcg(found.urls, query.answers))
        seconds.append(found.seconds)
    return Figures(
        {kind: fmean(values) for kind, values in ranks.items()},
        {kind: fmean(values) for kind, values in gains.items()},
        index.size,
        1.0,
        1000 * median(seconds) if seconds else 0.0,
    )
