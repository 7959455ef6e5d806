"""Measuring methods on archives with gold text: each is crawled once, and judged from its store."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from evaluation.scoring import Score, mean, score
from pagelets.methods import EVERYTHING, extracts, factory, learns
from settings.errors import ConfigurationError
from settings.methods import ready
from settings.places import PROJECT
from store.judging import Judge
from store.learning import learn
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pagelets.methods.base import Extractor, Training
    from release.detection import Detector

ARCHIVE: Final = ".warc.gz"
GOLD: Final = ".gold.jsonl"
_SITE: Final = "evaluated"
_CRAWLED: Final = (0, 3)
"""Exit codes of a crawl that read its archive to the end; of 3 it could use no page."""


@dataclass(slots=True, frozen=True)
class GoldPage:
    """A page's reference: its URL, the text to find, and the kind of page, where the corpus tells it."""

    url: str
    text: str
    group: str | None


@dataclass(slots=True, frozen=True)
class Archive:
    """An archive of a corpus and the gold text of its pages."""

    name: str
    path: Path
    gold: list[GoldPage]


@dataclass(slots=True, frozen=True)
class ScoredPage:
    """What a method made of a page. ``text`` is None where the archive lacks the page, which then counts as
    empty; ``error`` says why the method failed on it.
    """

    gold: GoldPage
    text: str | None
    score: Score
    error: str | None = None


@dataclass(slots=True)
class Result:
    """What a method made of an archive, and in how many ``seconds`` of CPU time: those of judging alone."""

    archive: str
    method: str
    seconds: float = 0.0
    pages: list[ScoredPage] = field(default_factory=list)


def find_archives(paths: Iterable[Path]) -> list[Archive]:
    """The archives that are named, or lie in the folders that are named, with their gold text.

    Raises ConfigurationError where a path, an archive or its gold text is missing or of no use.
    """
    archives: dict[str, Archive] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(
                f"{path}: no such file or folder; give *{ARCHIVE} files or a folder of them"
            )
        files = sorted(path.glob(f"*{ARCHIVE}")) if path.is_dir() else [path]
        if not files:
            raise ConfigurationError(f"{path}: no *{ARCHIVE} in this folder")
        for file in files:
            name = file.name.removesuffix(ARCHIVE)
            if name in archives:
                raise ConfigurationError(
                    f"{file}: an archive of this name is given already; evaluate them apart"
                )
            archives[name] = Archive(name, file, read_gold(file.with_name(name + GOLD)))
    return list(archives.values())


def read_gold(path: Path) -> list[GoldPage]:
    """The gold text of an archive's pages; lines without a text are left out.

    Raises ConfigurationError, with the line's number, where the file is of no use.
    """
    if not path.exists():
        raise ConfigurationError(
            f"{path}: no such file; each archive NAME{ARCHIVE} needs its NAME{GOLD} beside it"
        )
    pages: dict[str, GoldPage] = {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                url, text, group = str(row.get("id") or row["url"]), row.get("text"), row.get("group")
            except (ValueError, KeyError, AttributeError) as error:
                raise ConfigurationError(
                    f"{path}, line {number}: {type(error).__name__}: {error}; "
                    "each line is an object with id and text"
                ) from error
            if url in pages:
                raise ConfigurationError(
                    f"{path}, line {number}: {url!r} occurs twice; give each page one line"
                )
            if isinstance(text, str):
                pages[url] = GoldPage(url, text, None if group is None else str(group))
    if not pages:
        raise ConfigurationError(f"{path}: no line has a text; there is nothing to compare with")
    return list(pages.values())


def check_methods(names: Iterable[str]) -> list[str]:
    """The methods of these names, each once.

    Raises ConfigurationError where one is unknown or lacks what it needs.
    """
    methods = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if not methods:
        raise ConfigurationError("no method; give --method NAME,NAME")
    for name in methods:
        ready(name)
    return methods


def trained(methods: Iterable[str]) -> dict[str, Training]:
    """What the models of methods were trained on, without the methods that have none; hosts in lower case.

    Takes methods that are ready (`check_methods`).
    """
    found = {name: factory(name)().training for name in methods}
    return {
        name: training._replace(hosts=frozenset(map(str.lower, training.hosts)))
        for name, training in found.items()
        if training is not None
    }


def is_seen(archive: Archive, hosts: Collection[str]) -> bool:
    """Whether a model that was trained on pages of these hosts, in lower case, has seen an archive: at least
    half of its gold pages are theirs.
    """
    return 2 * sum(_host(page.url) in hosts for page in archive.gold) >= len(archive.gold)


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return None


def evaluate(
    archive: Archive,
    methods: Sequence[str],
    detector: Callable[[str], Detector],
    overrides: Sequence[str] = (),
    *,
    nosnippet: bool = True,
) -> list[Result]:
    """Crawls an archive into a store that is thrown away, and judges its pages by each method.

    Takes the detection that a method asks for, settings of the command line as NAME=VALUE, and whether what
    a page does not want shown is left out. Raises ConfigurationError where the crawl cannot read the archive.
    """
    with (
        tempfile.TemporaryDirectory(prefix="evaluate-") as folder,
        crawled(archive, Path(folder), overrides) as store,
    ):
        return list(_results(archive, store, methods, detector, nosnippet))


def crawled(archive: Archive, folder: Path, overrides: Sequence[str] = ()) -> Store:
    """The store of a crawl of an archive, made in ``folder``.

    Takes settings of the command line as NAME=VALUE. Raises ConfigurationError where the crawl cannot read
    the archive.
    """
    # METHOD and fields cost time, and make no difference: the pages are judged from the store.
    own = [
        f"DATA_DIR={folder}",
        f"METHOD={EVERYTHING}",
        "DOCUMENT_FIELDS=url",
        "LOG_LEVEL=ERROR",
        "PROGRESS_ENABLED=0",
        "SINKS=",
    ]
    options = [part for setting in (*overrides, *own) for part in ("-s", setting)]
    path = archive.path.resolve()
    done = run_scrapy(["crawl", "archive", "-a", f"path={path}", "-a", f"site={_SITE}", *options])
    if done.returncode not in _CRAWLED:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ConfigurationError(f"{archive.path}: the crawl ended with exit code {done.returncode}: {last}")
    return Store.open(folder / _SITE)


def run_scrapy(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs ``scrapy`` with some arguments in a process of its own."""
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _results(
    archive: Archive,
    store: Store,
    methods: Sequence[str],
    detector_for: Callable[[str], Detector],
    nosnippet: bool,
) -> Iterator[Result]:
    k = store.derivation.k
    assert k is not None
    stored = detector_for(EVERYTHING)
    for name in methods:
        method = factory(name)()
        if extracts(method):
            yield _extract(archive, store, name, method)
            continue
        detector = detector_for(name)
        if detector != stored:
            run = store.runs.last()
            assert run is not None
            detector.save(store, detector.find(store), run.run)
            stored = detector
        judge = Judge(
            store,
            detector.evidence(store),
            name,
            k,
            _SITE,
            selectors=store.derivation.selectors,
            nosnippet=nosnippet,
        )
        if learns(method):
            learn(store, judge.subject, [name])
        yield _judge(archive, store, judge, name)


def _judge(archive: Archive, store: Store, judge: Judge, method: str) -> Result:
    result = Result(archive.name, method)
    for gold in archive.gold:
        text = None
        page = _page(store, gold.url)
        if page is not None:
            started = time.process_time()
            text = judge.judge(page).document(("text",))["text"]
            result.seconds += time.process_time() - started
        result.pages.append(ScoredPage(gold, text, score(text or "", gold.text)))
    return result


def _extract(archive: Archive, store: Store, name: str, method: Extractor) -> Result:
    result = Result(archive.name, name)
    for gold in archive.gold:
        text = error = None
        page = _page(store, gold.url)
        if page is not None:
            html = store.bodies.get(page).text()
            started = time.process_time()
            try:
                text = method.extract(html, gold.url)
            except Exception as failure:
                # Whatever an extractor raises on a page: it is measured with what it can do.
                text, error = "", f"{type(failure).__name__}: {failure}"
            result.seconds += time.process_time() - started
        result.pages.append(ScoredPage(gold, text, score(text or "", gold.text), error))
    return result


def _page(store: Store, url: str) -> int | None:
    page = store.frontier.find(url)
    return page if page is not None and store.documents.is_current(page) else None


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """The figures of one method over all archives.

    ``f1``, ``precision`` and ``recall`` are means over sites of means over pages, so that each site counts
    alike; ``ms_per_page`` and the counts of pages are of all. ``sites`` holds the same of each site,
    ``groups`` of the pages of each group, whatever their site.
    """
    grouped: dict[str, list[ScoredPage]] = {}
    for result in results:
        for page in result.pages:
            grouped.setdefault(page.gold.group or "-", []).append(page)
    sites = {result.archive: {**_figures(result.pages), "ms_per_page": _ms([result])} for result in results}
    over_sites = mean([mean([page.score for page in result.pages]) for result in results])
    return {
        **over_sites._asdict(),
        "ms_per_page": _ms(results),
        **_counts([page for result in results for page in result.pages]),
        "sites": sites,
        "groups": {group: _figures(grouped[group]) for group in sorted(grouped)},
    }


def _figures(pages: Sequence[ScoredPage]) -> dict[str, Any]:
    return {**mean([page.score for page in pages])._asdict(), **_counts(pages)}


def _counts(pages: Sequence[ScoredPage]) -> dict[str, int]:
    return {
        "pages": len(pages),
        "absent": sum(page.text is None for page in pages),
        "failed": sum(page.error is not None for page in pages),
    }


def _ms(results: Sequence[Result]) -> float | None:
    judged = sum(page.text is not None for result in results for page in result.pages)
    return 1000 * sum(result.seconds for result in results) / judged if judged else None
