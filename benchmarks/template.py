"""What the template of a few pages takes out of a whole site: the pages loaded, and the F1 of what is left.

The key page is the first of each archive, the page that its crawl began with, or another (--key). The pages
are those that `scrapy crawl template` loads, found by the same search; with --crawls that spider is run as
well, and the CPU seconds of its process stand beside those of `scrapy crawl archive` with as many pages.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import corpora
from benchmarks.process import SCRAPY, crawl_archive, run
from crawler.spiders.template import MOST
from evaluation.gold import find_archives
from evaluation.scoring import mean, score
from pagelets.archives.archive import Archive
from pagelets.document import judge
from pagelets.judging.page_facts import PageFacts
from pagelets.literature.site.complete_subdigraph import SubdigraphSearch
from pagelets.literature.site.etdm import EtdmMethod, EtdmOfHost
from pagelets.methods.all_text import AllTextMethod
from pagelets.methods.base import Subject
from pagelets.methods.templates import TemplatesMethod
from pagelets.overrides import overrides_of
from pagelets.partition import partition
from pagelets.reading import read
from pagelets.record import record_of
from pagelets.render import Rendering
from pagelets.sketch import fingerprint
from store.bodies import Body

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evaluation.gold import Archive as GoldArchive
    from evaluation.gold import GoldPage
    from evaluation.scoring import Score
    from pagelets.methods.base import Method

METHOD = EtdmMethod()


class Figures(NamedTuple):
    """Of a site: the key page, pages loaded, pages in the complete subdigraph, and F1 of what is left: by the
    template, by the pagelets that are stored of it, and of all text.
    """

    key: str

    loaded: int
    linked: int
    template: float
    pagelets: float
    all_text: float


class ArchivedSite:
    """The pages of an archive by their numbers, and the links between them."""

    def __init__(self, path: Path) -> None:
        self.subjects: list[Subject] = []
        self.evidence: list[PageFacts] = []
        for raw in corpora.pages(path):
            page = read(Body(raw.encoding, [], raw.body).source(), raw.url)
            pagelets = partition(page)
            self.evidence.append(PageFacts.none(len(pagelets), len(page.blocks)))
            self.subjects.append(Subject(page, pagelets, self.evidence[-1], str))
        self._of_text: dict[int, int] = {}
        self.numbers = {subject.page.url: number for number, subject in enumerate(self.subjects)}
        with Archive.open([path]) as archive:
            self._links = [
                [
                    self.numbers[found]
                    for link in subject.page.links
                    if not link.nofollow and (found := archive.find(link.url)) in self.numbers
                ]
                for subject in self.subjects
            ]

    def search(self, key: int) -> SubdigraphSearch:
        """Looks for pages that all link to each other, as the spider does."""
        search = SubdigraphSearch(METHOD.n, MOST)
        asking = search.run(key)
        asked = next(asking)
        while True:
            try:
                asked = asking.send({page: (self._first(page), self._links[page]) for page in asked})
            except StopIteration:
                return search

    def _first(self, page: int) -> int:
        """The first page that was asked for with the text of one."""
        texts = [block.text for block in self.subjects[page].page.blocks]
        return self._of_text.setdefault(fingerprint(texts), page)


def measure(archive: GoldArchive, key: int) -> Figures:
    """The figures of an archive, from a key page on."""
    site = ArchivedSite(archive.path)
    key %= len(site.subjects)
    search = site.search(key)
    template = METHOD.template(site.subjects[page] for page in (key, *search.pages) if search.pages)
    if template is not None:
        known = _sketches(site.subjects[key], METHOD.pagelets(template, site.subjects[key]))
        for subject, evidence in zip(site.subjects, site.evidence, strict=True):
            evidence.templates = [one in known for one in _sketches(subject)]
    methods = EtdmOfHost(METHOD, template), TemplatesMethod(blocks=False), AllTextMethod()
    scores = (mean(_scored(site, gold, method) for gold in archive.gold).f1 for method in methods)
    url = site.subjects[key].page.url
    return Figures(url, 1 + len(search.tried), len(search.pages), *scores)


def _sketches(subject: Subject, wanted: Collection[int] | None = None) -> list[int]:
    record = record_of(subject.page, subject.pagelets)
    of_print = {one.fingerprint: one.sketch.key for one in record.fragments(set(record.prints))}
    sketches = [of_print[one] for one in record.prints]
    return sketches if wanted is None else [sketches[position] for position in wanted]


def _scored(site: ArchivedSite, gold: GoldPage, method: Method) -> Score:
    number = site.numbers[gold.url]
    subject = site.subjects[number]
    kept = judge(subject, method, overrides_of(subject.page, subject.pagelets, site.evidence[number]))
    return score(Rendering(subject.page, kept.mask).text(), gold.text)


def crawl(archive: Path, key: str) -> tuple[int, float, float]:
    """The pages that the spider stores, the CPU seconds of its process, and those of a crawl of as many."""
    with tempfile.TemporaryDirectory() as work:
        given = ["-a", f"url={key}", "-a", f"path={archive}", "-a", "site=site", "-s", f"DATA_DIR={work}"]
        quiet = ["-s", "LOG_LEVEL=CRITICAL", "-s", "PROGRESS_ENABLED=0", "-s", "SINKS="]
        used = run([*SCRAPY, "crawl", "template", *given, *quiet])
        counts = json.loads(next(Path(work, "site", "runs").glob("*.json")).read_text())["counts"]
        held = counts["pages/held"]
        beside = crawl_archive(archive, work, "beside", "-a", f"max_pages={held}")
    return held, used.cpu_seconds, beside.cpu_seconds


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks template", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--sites", type=int, help="so many sites, the first ones (default: all)")
    parser.add_argument("--key", type=int, default=0, help="the number of the key page (default: 0)")
    parser.add_argument("--crawls", action="store_true", help="run the spider as well")
    options: Any = parser.parse_args(arguments)
    archives = find_archives([corpora.folder(options) / "sites"])[: options.sites]
    print(
        "| site | pages loaded | that link to each other | F1 of what the template leaves | of its pagelets "
        "| all text |",
        *["CPU s | of `archive` |"] * options.crawls,
    )
    print("|---|---:|---:|---:|---:|---:|" + "---:|---:|" * options.crawls)
    rows: list[Sequence[float]] = []
    for archive in archives:
        key, *figures = measure(archive, options.key)
        if options.crawls and figures[1]:
            loaded, *cpu = crawl(archive.path, key)
            assert loaded == figures[0], f"{archive.name}: the spider has stored {loaded} pages"
            figures += cpu
        rows.append(figures)
        _print(archive.name, figures)
    shortest = min(map(len, rows))
    _print("mean", [fmean(column) for column in zip(*(row[:shortest] for row in rows), strict=True)])


def _print(name: str, row: Sequence[float]) -> None:
    loaded, linked, *rest = row
    print(f"| {name} | {loaded:.3g} | {linked:.3g} |", *(f"{one:.3f} |" for one in rest), flush=True)


if __name__ == "__main__":
    main()
