"""CPU time of each stage of a page, as a ratio to the bare lxml parse of the same bytes.

Every stage of a page is timed in the same run, one page at a time, so that a machine that slows down slows
them all. The bare parse is ``lxml.etree.fromstring(bytes, lxml.html.HTMLParser())``.
"""

from __future__ import annotations

import argparse
import gc
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from benchmarks import corpora
from benchmarks.corpora import RawPage
from crawler.commands import GC_THRESHOLDS
from pagelets.block_keys import block_keys
from pagelets.containers import Containers
from pagelets.document import judge
from pagelets.judging.page_facts import PageFacts
from pagelets.methods import DEFAULT, DETECTION
from pagelets.methods.base import Subject
from pagelets.page_bytes import from_bytes, to_bytes
from pagelets.partition import partition
from pagelets.reading import read
from pagelets.reading.fields import Extraction
from pagelets.registry import OURS
from pagelets.render import Rendering
from pagelets.sketch import Scheme, fingerprint
from store.bodies import Body

STAGES = {
    "bare parse": ("bare parse",),
    "read: bytes to Page": ("read",),
    "the same with ten fields by selector": ("read with fields",),
    "a Page kept for its round": ("packed",),
    "a kept Page read back": ("unpacked",),
    "partition": ("partition",),
    "sketch": ("sketch",),
    "partition + sketch": ("partition", "sketch"),
    "read, partition, sketch": ("read", "partition", "sketch"),
    "mask + text": ("mask", "text"),
    "judgement: features, trees, choice": ("judgement",),
    "the same of a page of a known site": ("judgement of a known site",),
    "html": ("html",),
    "markdown": ("markdown",),
    "sections": ("sections",),
    "html + markdown + sections": ("html", "markdown", "sections"),
    "bytes to text by `templates`": ("read", "partition", "mask", "text"),
    "bytes to text by `judged`, a page alone": ("read", "judgement", "text"),
    "trafilatura, bytes to text": ("trafilatura",),
}


FIELDS = Extraction(
    {
        "price": {"css": ".price::text", "type": "number"},
        "sku": "[itemprop=sku]::attr(content)",
        "tags": {"css": "a[rel=tag]::text", "many": True},
        "writer": {"json_ld": "author.name"},
        "site_name": {"meta": "og:site_name"},
        "image": {"meta": "og:image", "type": "url"},
        "closes": {"css": "time::attr(datetime)", "type": "date"},
        "heading": "main h1::text",
        "crumbs": {"xpath": "//nav//a/text()", "many": True},
        "rating": {"microdata": "aggregateRating.ratingValue", "type": "number"},
    }
)


class Clock:
    """Sums the CPU seconds of named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times what is done inside."""
        started = process_time()
        yield
        self.seconds[name] += process_time() - started

    def of(self, stages: tuple[str, ...]) -> float:
        """Seconds of several stages together."""
        return sum(self.seconds[stage] for stage in stages)


def measure(pages: list[RawPage], clock: Clock, *, peer: bool) -> None:
    """Takes the ``pages`` of one site through a crawl's two passes, and with ``peer`` through trafilatura;
    ``clock`` sums the times.
    """
    detection, default = OURS.page_method(DETECTION), OURS.page_method(DEFAULT)
    scheme = Scheme()
    known: dict[int, int] = {}
    sketches: list[list[int]] = []
    for raw in pages:
        with clock.stage("bare parse"):
            tree = etree.fromstring(raw.body, lxml_html.HTMLParser(huge_tree=True))
        del tree
        with clock.stage("read"):
            page = read(Body(raw.encoding, [], raw.body).source(), raw.url)
        with clock.stage("read with fields"):
            read(Body(raw.encoding, [], raw.body).source(), raw.url, extraction=FIELDS)
        with clock.stage("partition"):
            pagelets = partition(page)
        with clock.stage("sketch"):
            texts = [block.text for block in page.blocks]
            targets = [link.url for link in page.links]
            starts = [block.links.start for block in page.blocks]
            starts.append(len(targets))
            contents = [
                (texts[pagelet.start : pagelet.stop], targets[starts[pagelet.start] : starts[pagelet.stop]])
                for pagelet in pagelets
            ]
            prints = [fingerprint(*content) for content in contents]
            new = {
                print_: content
                for print_, content in zip(prints, contents, strict=True)
                if print_ not in known
            }
            made = scheme.sketches(list(new.values()))
            known.update((print_, sketch.key) for print_, sketch in zip(new, made, strict=True))
            sketches.append([known[print_] for print_ in prints])
        del page, pagelets, contents
    support = Counter(key for page_sketches in sketches for key in set(page_sketches))
    least = max(3, 0.1 * len(pages))
    for raw, page_sketches in zip(pages, sketches, strict=True):
        page = read(Body(raw.encoding, [], raw.body).source(), raw.url)
        with clock.stage("packed"):
            packed = to_bytes(page)
        with clock.stage("unpacked"):
            from_bytes(packed)
        pagelets = partition(page)
        with clock.stage("mask"):
            evidence = PageFacts.none(len(pagelets), len(page.blocks))
            evidence.templates = [int(support[key] >= least) for key in page_sketches]
            mask = judge(Subject(page, pagelets, evidence), detection).mask
        with clock.stage("judgement"):
            judge(Subject(page, []), default)
        evidence.pages = len(pages)
        again = Subject(read(Body(raw.encoding, [], raw.body).source(), raw.url), pagelets, evidence)
        # The store has them of each page that it reads.
        again.keys = block_keys(page, Containers.of(page))
        with clock.stage("judgement of a known site"):
            judge(again, default)
        with clock.stage("text"):
            rendering = Rendering(page, mask)
            rendering.text()
        for name in ("html", "markdown", "sections"):
            with clock.stage(name):
                getattr(rendering, name)()
        del page, pagelets, rendering, again
        if peer:
            import trafilatura

            with clock.stage("trafilatura"):
                trafilatura.extract(raw.body)


def table(clocks: dict[str, tuple[Clock, int]]) -> Iterator[str]:
    """The figures as a Markdown table: milliseconds a page and ratio to the bare parse, for each set."""
    total, count = Clock(), 0
    for clock, pages in clocks.values():
        count += pages
        for stage, seconds in clock.seconds.items():
            total.seconds[stage] += seconds
    columns = {**clocks, "all": (total, count)}
    yield "| stage | " + " | ".join(f"{name}, ms a page | × parse" for name in columns) + " |"
    yield "|---|" + "---:|---:|" * len(columns)
    for title, stages in STAGES.items():
        cells = []
        for clock, pages in columns.values():
            seconds, bare = clock.of(stages), clock.of(("bare parse",))
            cells += [f"{seconds / pages * 1e3:.2f}", f"{seconds / bare:.2f}"] if seconds else ["-", "-"]
        yield f"| {title} | " + " | ".join(cells) + " |"
    if peer := total.of(("trafilatura",)):
        yield ""
        for title, stages in STAGES.items():
            if title.startswith("bytes to text by"):
                ratio = peer / total.of(stages)
                yield f"{title}: {ratio:.1f} times as fast as trafilatura's default"


def main(arguments: list[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks speed", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--no-peer", action="store_true", help="without trafilatura, which takes a minute")
    options: Any = parser.parse_args(arguments)
    # As a crawl sets it.
    gc.set_threshold(*GC_THRESHOLDS)
    clocks: dict[str, tuple[Clock, int]] = {}
    for name, pages in corpora.measured(corpora.folder(options)).items():
        column = "wcxb" if name == "wcxb" else "sites"
        clock, count = clocks.setdefault(column, (Clock(), 0))
        gc.collect()
        measure(pages, clock, peer=not options.no_peer)
        clocks[column] = clock, count + len(pages)
    print("\n".join(table(clocks)))
