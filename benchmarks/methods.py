"""CPU time of each method beside that of the bare lxml parse of the same pages.

Measured is the judgement alone, of a page that is read already, with all that the method makes of it first:
its source, its elements. Methods that learn of a site learn of each archive; the time is given for 200 pages,
or as many as the method looks at, that are read already. Extractors by others are measured from the HTML on.
A page is judged once unmeasured, so that loading does not count.
"""

from __future__ import annotations

import argparse
import gc
from dataclasses import dataclass, field
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from lxml import html as lxml_html

from benchmarks import corpora
from evaluation.choice import ALL, choose
from pagelets.judging.page_facts import PageFacts
from pagelets.methods import extracts, learns
from pagelets.methods.base import Subject
from pagelets.partition import partition
from pagelets.reading import read
from pagelets.registry import OURS
from store.bodies import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.corpora import RawPage

PAGES: Final = 200


@dataclass(slots=True)
class Cost:
    """CPU seconds that a method took, and the seconds of the bare parse of the same pages."""

    judging: float = 0.0
    parsing: float = 0.0
    pages: int = 0
    learning: list[float] = field(default_factory=list)
    """Seconds of a site of 200 pages, of each archive."""


class ArchiveView:
    """The pages of an archive as a site method sees them."""

    def __init__(self, subjects: Sequence[Callable[[], Subject]]) -> None:
        self._subjects = {make().page.url: make for make in subjects}

    def links(self) -> Iterator[tuple[str, str]]:
        """The links between the pages, each once."""
        for url, make in self._subjects.items():
            targets = {link.url for link in make().page.links} & self._subjects.keys()
            yield from ((url, target) for target in sorted(targets))

    def pages(self, urls: Iterable[str]) -> Iterator[Subject]:
        """The pages at these addresses."""
        return (self._subjects[url]() for url in urls if url in self._subjects)

    def sample(self, size: int) -> Iterator[Subject]:
        """The first pages."""
        return (make() for make in [*self._subjects.values()][:size])


def measure(pages: Sequence[RawPage], costs: dict[str, Cost]) -> None:
    """Adds what each of the methods takes for the pages of an archive."""
    subjects = [_subject_of(raw) for raw in pages]
    view = ArchiveView(subjects)
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


if __name__ == "__main__":
    main()
