"""The pages of a class, found from some samples by the search of `scrapy crawl similar`.

The search runs over a folder of HTML files, such as the documentation of a Debian package, as if they were
served. A class is made of the files that have a mark of their generator, an expression over the HTML, of
those that links lead to from the sample. Samples stand evenly in their sorted list. Beside stands how many
pages a crawl breadth first fetches over the same links, until as many of the class have come as were found.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from pagelets.literature.indesit.promising import PromisingSearch
from pagelets.literature.indesit.schema import link_collections, page_classes, page_shape
from pagelets.literature.indesit.search import LinkedPage
from pagelets.reading import read

BASE = "http://similar.example/"


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each sample of each class."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks similar", description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="folder of the whole site")
    parser.add_argument("--mark", dest="marks", action="append", default=[], help="expression over HTML")
    parser.add_argument("--samples", type=int, default=3, help="samples of each class")
    options = parser.parse_args(arguments)
    files = {path.relative_to(options.pages).as_posix(): path for path in options.pages.rglob("*.html")}
    links = dict(_links(files))
    print("| class | sample | recall | precision | requests ÷ class | breadth first |")
    print("|---|---|---:|---:|---:|---:|")
    for mark in options.marks:
        has = re.compile(mark.encode())
        members = sorted(path for path, file in files.items() if has.search(file.read_bytes()))
        for number in range(options.samples):
            sample = members[(2 * number + 1) * len(members) // (2 * options.samples)]
            order = _breadth_first(links, sample)
            wanted = set(order) & set(members)
            found, asked = _search(files, sample)
            good = len(found & wanted)
            ranks = [rank for rank, path in enumerate(order, 1) if path in wanted]
            print(
                f"| `{mark}`, {len(wanted):,} | `{sample}` | {good / len(wanted):.3f} | "
                f"{good / max(len(found), 1):.3f} | {asked / len(wanted):.2f} | "
                f"{ranks[max(good, 1) - 1] / len(wanted):.2f} |",
                flush=True,
            )


def _path(url: str) -> str:
    """The path of the file at a URL, empty for one elsewhere."""
    path = url.removeprefix(BASE).partition("#")[0].partition("?")[0]
    if not url.startswith(BASE):
        return ""
    return path + "index.html" if not path or path.endswith("/") else path


def _search(files: dict[str, Path], sample: str) -> tuple[set[str], int]:
    """The paths that a search finds, and the number of files that it asks for."""
    paths = list(files)
    numbers = {path: number for number, path in enumerate(paths)}
    search = PromisingSearch(numbers[sample], url_of=lambda number: BASE + paths[number])

    def answer(number: int) -> LinkedPage:
        page = read(files[paths[number]].read_bytes(), BASE + paths[number])
        collections = {
            path: {numbers[to]: text for url, text in links.items() if (to := _path(url)) in numbers}
            for path, links in link_collections(page).items()
        }
        return LinkedPage(number, collections, page_shape(page), page_classes(page))

    run, count = search.run(), 0
    asked = next(run)
    try:
        while True:
            count += len(asked)
            asked = run.send({number: answer(number) for number in asked})
    except StopIteration:
        return {paths[page.address] for page in search.found()}, count


def _links(files: dict[str, Path]) -> Iterator[tuple[str, list[str]]]:
    for path, file in sorted(files.items()):
        targets = [link.url for link in read(file.read_bytes(), BASE + path).links]
        yield path, [target for target in dict.fromkeys(map(_path, targets)) if target in files]


def _breadth_first(links: dict[str, list[str]], start: str) -> list[str]:
    order: dict[str, None] = {start: None}
    row = [start]
    while row:
        row = [to for to in dict.fromkeys(to for path in row for to in links[path]) if to not in order]
        order.update(dict.fromkeys(row))
    return list(order)
