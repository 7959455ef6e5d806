"""CPU time of each method beside that of the bare lxml parse of the same pages.

Measured is the judgement alone, of a page that is read already, with all that the method makes of it first:
its source, its elements. Methods that learn of a site learn of each archive; the time is given for 200 pages,
or as many as the method looks at, that are read already. Extractors by others are measured from the HTML on.
A page is judged once unmeasured, so that loading does not count.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import process_time
from typing import Any, Final

from lxml import etree
from lxml import html as lxml_html

from benchmarks import corpora
from benchmarks.corpora import RawPage
from evaluation.corpora import ALL, choose
from pagelets.judging.learning import HeldHost, HeldPages, HostView
from pagelets.judging.page_facts import PageFacts
from pagelets.methods import extracts, learns
from pagelets.methods.base import Subject
from pagelets.partition import partition
from pagelets.reading import read
from pagelets.registry import OURS
from store.bodies import Body

PAGES: Final = 200


@dataclass(slots=True)
class Cost:
    """CPU seconds that a method took, and the seconds of the bare parse of the same pages."""

    judging: float = 0.0
    parsing: float = 0.0
    pages: int = 0
    learning: list[float] = field(default_factory=list)
    """Seconds of a site of 200 pages, of each archive."""


def _view(subjects: Sequence[Callable[[], Subject]]) -> HostView:
    """The pages of an archive as a site method sees them."""
    pages = [make().page for make in subjects]
    places = {page.url: place for place, page in enumerate(pages)}

    def links(among: Collection[int]) -> set[tuple[int, int]]:
        linked = ((place, places.get(link.url)) for place in among for link in pages[place].links)
        return {(place, to) for place, to in linked if to is not None}

    held = HeldPages([*places], [0] * len(places), links, lambda place: subjects[place]())
    return HostView(HeldHost(held, 0))


def measure(pages: Sequence[RawPage], costs: dict[str, Cost]) -> None:
    """Adds what each of the methods takes for the pages of an archive."""
    subjects = [_subject_of(raw) for raw in pages]
    view = _view(subjects)
    parsing = [_parsing(raw) for raw in pages]
    for name, cost in costs.items():
        method = OURS.factory(name)()
        if learns(method):
            gc.collect()
            started = process_time()
            model = method.learn(view)
            share = min(len(pages), method.sample) / min(PAGES, method.sample)
            cost.learning.append((process_time() - started) / share)
            method = method.learned(model)
        for number, (raw, make, seconds) in enumerate(zip(pages, subjects, parsing, strict=True)):
            if not number:
                _judging(method, raw, make())
            cost.judging += _judging(method, raw, make())
            cost.parsing += seconds
            cost.pages += 1


def _subject_of(raw: RawPage) -> Callable[[], Subject]:
    """Returns a function that makes a page anew, as a subject caches its parts."""
    page = read(Body(raw.encoding, [], raw.body).source(), raw.url)
    pagelets = partition(page)
    evidence = PageFacts.none(len(pagelets), len(page.blocks))
    html = raw.body.decode(raw.encoding, "replace")
    return lambda: Subject(page, pagelets, evidence, lambda: html)


def _parsing(raw: RawPage) -> float:
    started = process_time()
    etree.fromstring(raw.body, lxml_html.HTMLParser(huge_tree=True))
    return process_time() - started


def _judging(method: Any, raw: RawPage, subject: Subject) -> float:
    html = subject.html
    started = process_time()
    if extracts(method):
        # Such as newspaper4k on a page in a language whose words it parts by a package that is not installed.
        with suppress(Exception):
            method.extract(html, raw.url)
    else:
        method.judge(subject)
    return process_time() - started


def table(costs: dict[str, Cost]) -> Iterator[str]:
    """The figures as a Markdown table."""
    yield "| method | ms a page | × parse | learning of a site of 200 pages, s, at most |"
    yield "|---|---:|---:|---:|"
    for name, cost in costs.items():
        learning = f"{max(cost.learning):.1f}" if cost.learning else ""
        yield (
            f"| `{name}` | {cost.judging / cost.pages * 1e3:.2f} | {cost.judging / cost.parsing:.2f} "
            f"| {learning} |"
        )


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks methods", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--method", default=ALL, help="names, parted by commas (default: all)")
    parser.add_argument("--sites", type=int, help="so many sites, the first ones (default: all)")
    parser.add_argument("--pages", type=int, default=PAGES, help="so many pages of each (default: 200)")
    options: Any = parser.parse_args(arguments)
    methods, left_out = choose(options.method.split(","))
    costs = {name: Cost() for name in methods}
    for path in [*corpora.archives(corpora.folder(options)).values()][: options.sites]:
        measure(list(corpora.pages(path, options.pages)), costs)
    print("\n".join([*table(costs), *(f"left out: {why}" for why in left_out.values())]))
