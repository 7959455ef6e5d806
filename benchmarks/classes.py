"""How well classes of pages agree with kinds of pages that are known, and what finding them takes.

For sites of the corpora the kinds are the types in their gold; for manuals what their generators name files
by, or mark pages with. Beside the classes as they are found: those of the paths to links, which take the
pages to be read (Blanco et al. 2005: identical schemas together, then similar ones from 0.85 on).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import corpora
from benchmarks.process import SCRAPY, run
from pagelets.literature.indesit import jaccard, link_collections
from pagelets.literature.indesit.search import SIMILARITY
from store.classes import read_classes
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILES: Final = {
    "javadoc": (
        ("use of a class", r"/class-use/"),
        ("source", r"/src-html/"),
        ("package", r"/package-summary\.html$"),
        ("tree of a package", r"/package-tree\.html$"),
        ("use of a package", r"/package-use\.html$"),
        ("class", r"/[A-Z][^/]*\.html$"),
    ),
    "doxygen": (
        ("members", r"-members\.html$"),
        ("source", r"_source\.html$"),
        ("file", r"_8[a-z]+\.html$"),
        ("class", r"/(class|struct|union)[a-z0-9_]+[^/]*\.html$"),
        ("folder", r"/dir_[^/]*$"),
        ("index of members", r"/(functions|globals)(_[^/]*)?\.html$"),
        ("namespace", r"/namespace[^/]*$"),
    ),
}
"""Kinds of pages by their addresses, the first that fits; pages that none fits are one kind more."""
DOCBOOK: Final = re.compile(r'<div class="(refentry|sect1|chapter|part|appendix|preface|book|reference)"')
"""What DocBook marks a page with."""
_CLASSES: Final = 20
_PATHS, _HAS = 40, 30
_LINKS: Final = 80


def main(arguments: list[str]) -> None:
    """Prints a row for each site, or what a generated site takes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks classes", description=__doc__)
    parser.add_argument("manuals", nargs="*", metavar="SITE=GENERATOR", help="javadoc, doxygen or docbook")
    parser.add_argument("--stores", type=Path, help="the folder with the sites' stores (DATA_DIR)")
    parser.add_argument("--generated", type=int, metavar="PAGES", help="draw a site of so many pages")
    corpora.add_argument(parser)
    options = parser.parse_args(arguments)
    if options.generated:
        _measure(options.generated)
        return
    if options.stores is None:
        sys.exit("no stores: give --stores FOLDER, or --generated PAGES")
    print("| site | pages | kinds | classes | purity | ARI | by paths to links: classes | purity | ARI |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    rows = []
    if not options.manuals:
        for name in corpora.archives(folder := corpora.folder(options)):
            rows.append(_row(options.stores, name, _gold(folder / "sites" / f"{name}.gold.jsonl")))
        means = [sum(column) / len(column) for column in zip(*rows, strict=True)]
        print("| **mean** |", " | ".join(_shown(means)), "|")
    for name, _, generator in (manual.partition("=") for manual in options.manuals):
        _row(options.stores, name, generator)


def _row(stores: Path, name: str, kinds_of: Mapping[str, str] | str) -> list[float]:
    with Store.open(stores / name) as store:
        found = read_classes(store.connection)
        pages = found.page.tolist()
        urls = {page: store.frontier.url(page) for page in pages}
        if isinstance(kinds_of, str):
            kinds = {page: _kind(kinds_of, store, page, url) for page, url in urls.items()}
        else:
            kinds = {page: kinds_of[url] for page, url in urls.items() if url in kinds_of}
        ours = {page: of for page, of in zip(pages, found.of.tolist(), strict=True) if page in kinds}
        selectors = store.derivation.selectors
        schemas = {
            page: frozenset(link_collections(store.flat_pages.read(page, selectors))) for page in kinds
        }
    figures = [float(len(kinds)), len(set(kinds.values()))]
    for classes in (ours, _by_links(schemas)):
        figures += agreement(classes, kinds)
    print(f"| {name} |", " | ".join(_shown(figures)), "|", flush=True)
    return figures


def _shown(figures: list[float]) -> Iterator[str]:
    for place, figure in enumerate(figures):
        yield f"{figure:.2f}" if place in (3, 4, 6, 7) else f"{figure:,.0f}"


def _gold(path: Path) -> dict[str, str]:
    """URL -> type; a home page is the only one of its kind, and left out."""
    pages = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {page["id"]: page["group"] for page in pages if page["group"] != "home"}


def _kind(generator: str, store: Store, page: int, url: str) -> str:
    if generator == "docbook":
        mark = DOCBOOK.search(store.bodies.get(page).text())
        return mark.group(1) if mark else ""
    return next((kind for kind, pattern in FILES[generator] if re.search(pattern, url)), "")


def _by_links(schemas: Mapping[int, frozenset[bytes]]) -> dict[int, int]:
    counts = Counter(schemas.values())
    leaders: list[frozenset[bytes]] = []
    of = {}
    for schema in sorted(counts, key=lambda schema: (-counts[schema], sorted(schema))):
        alike, place = max(((jaccard(schema, one), -at) for at, one in enumerate(leaders)), default=(0.0, 0))
        of[schema] = -place if alike >= SIMILARITY else len(leaders)
        if of[schema] == len(leaders):
            leaders.append(schema)
    return {page: of[schema] for page, schema in schemas.items()}


def agreement(classes: Mapping[int, int], kinds: Mapping[int, str]) -> list[float]:
    """The number of classes, their purity (the share of pages that are of their class's most frequent kind),
    and the adjusted Rand index (Hubert & Arabie, Journal of Classification 1985): 1 where classes and kinds
    are the same, 0 as by chance.
    """
    both = Counter((of, kinds[page]) for page, of in classes.items())
    sizes, known = Counter(classes.values()), Counter(kinds[page] for page in classes)
    largest = Counter[int]()
    for (of, _), count in both.items():
        largest[of] = max(largest[of], count)
    together, ours, theirs, all_pairs = (
        sum(count * (count - 1) / 2 for count in counts)
        for counts in (both.values(), sizes.values(), known.values(), (len(classes),))
    )
    chance = ours * theirs / all_pairs if all_pairs else 0.0
    most = (ours + theirs) / 2
    index = 1.0 if most == chance else (together - chance) / (most - chance)
    return [len(sizes), sum(largest.values()) / max(1, len(classes)), index]


def _measure(pages: int) -> None:
    """Draws a generated site by the command, and prints what that took."""
    with tempfile.TemporaryDirectory() as work:
        with Store.open(Path(work) / "generated", create=True) as store:
            _generate(store, pages)
            found = read_classes(store.connection)
        truth = {page: str(page % _CLASSES) for page in found.page.tolist()}
        ours = dict(zip(found.page.tolist(), found.of.tolist(), strict=True))
        output = ["-o", f"{work}/classes.svg", "-s", f"DATA_DIR={work}"]
        used = run([*SCRAPY, "plot", "generated", "--classes", *output])
    print(f"{pages:,} pages: {used.cpu_seconds:.1f} CPU s, peak {used.peak_mb:.0f} MB,", end=" ")
    print(f"classes, purity, ARI: {agreement(ours, truth)}")


def _generate(store: Store, pages: int) -> None:
    """Writes a site of `_CLASSES` classes, each of `_PATHS` tag paths, of which a page has `_HAS`. It has one
    more below an element with an id of its own, where it links to `_LINKS` pages.
    """
    rng = random.Random(1)
    numbers, write = range(1, pages + 1), store.connection.executemany
    steps = {kind: range(1 + kind * _PATHS, 1 + (kind + 1) * _PATHS) for kind in range(_CLASSES)}
    own = _CLASSES * _PATHS
    with store.transaction():
        store.connection.execute("INSERT INTO hosts (host, name) VALUES (1, 'generated.example')")
        write(
            "INSERT INTO pages (page, url, host, state, fetched_run) VALUES (?, ?, 1, 'delivered', 1)",
            ((page, f"http://generated.example/c{page % _CLASSES}/{page}") for page in numbers),
        )
        write(
            "INSERT INTO fragments VALUES (?, ?, ?, x'', 0, 0, 0, 0, x'')",
            ((fragment, fragment, fragment) for fragment in range(1, pages + 2)),
        )
        write(
            "INSERT INTO fragment_links VALUES (?, ?, ?, '', 0)",
            ((page, *link) for page in numbers for link in enumerate(rng.sample(numbers, _LINKS))),
        )
        named = ((step, 0, f"div.p{step}") for kind in steps.values() for step in kind)
        ids = ((own + page, steps[page % _CLASSES][0], f"div#page{page}") for page in numbers)
        write("INSERT INTO tag_paths VALUES (?, ?, ?)", chain(named, ids))
        for page in numbers:
            drawn = [own + page, *rng.sample(steps[page % _CLASSES], _HAS)]
            rows = [(page, at, pages + 1 if at else page, path) for at, path in enumerate(drawn)]
            write("INSERT INTO pagelets VALUES (?, ?, ?, ?)", rows)
