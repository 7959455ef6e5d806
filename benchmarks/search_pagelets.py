"""Whether pages are found better where their rank is joined with that of their best pagelet, and where words
of the best pagelets are looked for as well.

What is to be chosen (the words of a passage, the weight of the page, the number of pagelets that words are
taken from) is chosen on every other site, by the highest MRR in the mean of sites and kinds of queries, of
the default method with titles; what is reported is of the sites between these.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from scrapy.settings import Settings

from benchmarks import corpora
from benchmarks.ranking import CUTOFF, ndcg, reciprocal_rank
from benchmarks.search_index import searcher_of
from benchmarks.search_queries import KINDS, GoldText, queries
from crawler.configuration.judgement import config_for
from evaluation.crawling import crawled
from evaluation.judging import SITE
from pagelets.document import content_hash
from pagelets.methods import DEFAULT, DETECTION
from pagelets.passages import passages
from pagelets.reading import parse
from search.query import Query as Asked
from search.sink import PAGELETS, Operation, document_id, units_of
from search.sinks.embedded.joined import JoinedSearch, joined
from search.sinks.embedded.tantivy_index import Analyzer, schema
from settings.errors import ConfigurationError
from store.judging import StoredJudge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.search_queries import Query
    from evaluation.gold import Archive
    from pagelets.document import Document
    from search.sink import Unit
    from search.sinks.embedded.joined import Scored

METHODS: Final = (DETECTION, DEFAULT)
LEAST: Final = (1, 20, 50, 100)
"""Words of a passage, to choose from."""
WEIGHTS: Final = tuple(number / 10 for number in range(11))
FEEDBACK: Final = (3, 5, 10)

Key = TypeVar("Key", bound="str | float")


class Answered(NamedTuple):
    """A query, what is searched, and what it finds there."""

    search: JoinedSearch
    query: Asked
    plain: Scored


Way = Callable[[Answered], Iterable[str]]
"""How pages are ranked: gives the ids of documents, best first."""


@dataclass(slots=True, frozen=True)
class Choice:
    """What was chosen on half of the sites."""

    least: int = LEAST[0]
    by_ranks: float = 1.0
    by_scores: float = 1.0
    feedback: int = FEEDBACK[0]


@dataclass(slots=True, frozen=True)
class Measured:
    """What was chosen, the sites that it was chosen on and those measured, and rows: the method, whether
    titles are indexed, how pages are ranked, and MRR and nDCG by kind of query.
    """

    chosen: Choice
    chosen_on: list[str]
    measured_on: list[str]
    rows: list[tuple[str, bool, str, tuple[float, ...]]]


@dataclass(slots=True, frozen=True)
class Pages:
    """The pages of a site as a method leaves them: titles and texts by URL, and passages by their words."""

    asked: list[Query]
    titles: dict[str, str]
    texts: dict[str, dict[str, str]]
    passages: dict[str, dict[int, dict[str, list[str]]]]


def by_pagelets(archives: Sequence[Archive], *, as_json: bool) -> None:
    """Measures archives, and prints what was chosen and the table, or the same as JSON. Raises
    ConfigurationError where there are less than two, or one cannot be read.
    """
    if len(archives) < 2:
        raise ConfigurationError("one site is chosen on and another measured: give two sites or more")
    sites = {}
    for archive in archives:
        sites[archive.name] = read(archive)
        print(archive.name, file=sys.stderr, flush=True)
    found = measure(sites)
    if as_json:
        json.dump(asdict(found), sys.stdout)
        print()
    else:
        print("\n".join(table(found)))


def measure(sites: Mapping[str, Pages]) -> Measured:
    """Chooses on every other of two or more sites in order of their names, and measures those between."""
    names = sorted(sites)
    chosen = choose([sites[name] for name in names[::2]])
    rows = [
        (method, titled, way, figures)
        for method in METHODS
        for titled in (False, True)
        for way, figures in _reported([sites[name] for name in names[1::2]], method, titled, chosen)
    ]
    return Measured(chosen, names[::2], names[1::2], rows)


def table(found: Measured) -> Iterator[str]:
    """The figures as Markdown. Yields lines."""
    yield f"chosen on {len(found.chosen_on)} sites: {found.chosen}; measured on {len(found.measured_on)}"
    yield ""
    measures = (f"{kind}, {measure}@{CUTOFF}" for kind in KINDS for measure in ("MRR", "nDCG"))
    yield "| " + " | ".join(["text", "ranked by", *measures]) + " |"
    yield "|---|---|" + "---:|" * 2 * len(KINDS)
    for method, titled, way, figures in found.rows:
        text = f"{method}, {'text and title' if titled else 'text alone'}"
        yield "| " + " | ".join([text, way, *(format(figure, ".3f") for figure in figures)]) + " |"


def read(archive: Archive) -> Pages:
    """Crawls an archive, and judges its pages by each of the methods."""
    html = {page.url: page.body.decode(page.encoding, "replace") for page in corpora.pages(archive.path)}
    gold = [GoldText(page.url, page.text, page.group, html.get(page.url, "")) for page in archive.gold]
    titles = {url: parse(text).findtext(".//title") or "" for url, text in html.items()}
    found = Pages(queries(gold), titles, {}, {})
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    with tempfile.TemporaryDirectory(prefix="search-") as folder, crawled(archive, Path(folder)) as store:
        partition = store.derivation.partition
        assert partition is not None
        for method in METHODS:
            config = replace(
                config_for(method, settings),
                site=SITE,
                partition=partition,
                selectors=store.derivation.selectors,
            )
            judge = StoredJudge(store, config)
            texts = found.texts[method] = dict.fromkeys(html, "")
            by_words = found.passages[method] = {least: {} for least in LEAST}
            for url in html:
                page = store.frontier.find(url)
                if page is None or not store.documents.is_current(page):
                    continue
                judged = judge.judge(page)
                texts[url] = judged.rendering.text()
                for least, of_pages in by_words.items():
                    of_pages[url] = passages(judged.page, judged.pagelets, judged.selection.mask, least)
    return found


def choose(sites: Sequence[Pages]) -> Choice:
    """What answers the queries of some sites best; of equals the first."""

    def best(values: Iterable[float], way_of: Callable[[float], Way], least: int) -> tuple[float, float, int]:
        found = _figures(sites, DEFAULT, True, least, {value: way_of(value) for value in values})
        value = max(found, key=lambda one: found[one][0] + found[one][2])
        return found[value][0] + found[value][2], value, least

    chosen = [best(WEIGHTS, _by_scores, least) for least in LEAST]
    _, weight, least = max(chosen, key=lambda one: one[0])
    _, of_ranks, _ = best(WEIGHTS, _by_ranks, least)
    _, feedback, _ = best(FEEDBACK, lambda number: _expanded(int(number), weight), least)
    return Choice(least, of_ranks, weight, int(feedback))


def _reported(
    sites: Sequence[Pages], method: str, titled: bool, chosen: Choice
) -> Iterator[tuple[str, tuple[float, ...]]]:
    ways = {
        "pages": _by_scores(1.0),
        f"joined by ranks, {chosen.by_ranks:.1f}": _by_ranks(chosen.by_ranks),
        f"joined by scores, {chosen.by_scores:.1f}": _by_scores(chosen.by_scores),
        f"pages, expanded by {chosen.feedback}": _expanded(chosen.feedback, 1.0),
        f"joined by scores, expanded by {chosen.feedback}": _expanded(chosen.feedback, chosen.by_scores),
    }
    yield from _figures(sites, method, titled, chosen.least, ways).items()


def _by_scores(weight: float) -> Way:
    return lambda asked: joined(asked.plain.pages, asked.plain.pagelets, weight)


def _by_ranks(weight: float) -> Way:
    """The paper's: ranks are added up, one behind the last for what is not found; of equals the better page
    is first.
    """

    def ranked(asked: Answered) -> Iterable[str]:
        pages, pagelets = asked.plain.pages, asked.plain.pagelets
        of_pagelets = {document: rank for rank, document in enumerate(pagelets)}
        sums = {
            document: weight * rank + (1 - weight) * of_pagelets.get(document, len(pagelets))
            for rank, document in enumerate(pages)
        }
        return sorted(sums, key=sums.__getitem__)

    return ranked


def _expanded(feedback: int, weight: float) -> Way:
    def ranked(asked: Answered) -> Iterable[str]:
        expanded, _ = asked.search.expanded(asked.query, feedback)
        found = asked.search.scored(asked.query, expanded)
        return joined(found.pages, found.pagelets, weight)

    return ranked


def _figures(
    sites: Sequence[Pages], method: str, titled: bool, least: int, ways: Mapping[Key, Way]
) -> dict[Key, tuple[float, ...]]:
    """MRR and nDCG by kind of query of each way, in the mean of sites."""
    found: dict[tuple[Key, int], list[float]] = {}
    for site in sites:
        with tempfile.TemporaryDirectory(prefix="search-") as folder:
            search = _index(site, method, titled, least, Path(folder))
            urls = {document_id(url): url for url in site.titles}
            for number, kind in enumerate(KINDS):
                values: dict[tuple[Key, int], list[float]] = {}
                for query in (one for one in site.asked if one.kind == kind):
                    asked = Asked.parse(" ".join(query.words))
                    answered = Answered(search, asked, search.scored(asked, asked))
                    for key, way in ways.items():
                        ranking = [urls[document] for document in list(way(answered))[:CUTOFF]]
                        for place, measure in enumerate((reciprocal_rank, ndcg)):
                            value = measure(ranking, query.answers)
                            values.setdefault((key, 2 * number + place), []).append(value)
                for cell, of_queries in values.items():
                    found.setdefault(cell, []).append(fmean(of_queries))
    return {key: tuple(fmean(found[key, cell]) for cell in range(2 * len(KINDS))) for key in ways}


def _index(site: Pages, method: str, titled: bool, least: int, folder: Path) -> JoinedSearch:
    units: tuple[list[Unit], list[Unit]] = ([], [])
    for url, text in sorted(site.texts[method].items()):
        document: Document = {
            "title": site.titles[url] if titled else "",
            "text": text,
            "passages": site.passages[method][least].get(url, []),
            "content_hash": content_hash(text),
        }
        for unit in units_of(Operation(document_id(url), url, document), PAGELETS):
            units[bool(unit.position)].append(unit)
    fields, analyzer = schema(), Analyzer("")
    searchers = []
    for name, of_part in zip(("pages", "pagelets"), units, strict=True):
        part = folder / name
        part.mkdir()
        searchers.append(searcher_of(part, of_part, fields, analyzer))
    return JoinedSearch(searchers[0], searchers[1], fields, analyzer)
