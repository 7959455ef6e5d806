"""Growth of a crawl with its site: CPU time a page, peak memory, detection.

Generates sites of about 100 pagelets and 150 links a page, writes each as a WARC file, and runs the real
command on it: `scrapy crawl archive` in a process of its own, feed included.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.process import SCRAPY, Watched, crawl_arguments, watch
from evaluation.gold import write_archive

HOST = "http://growth.example"
PAGES_A_SECTION = 100
MENU_GROUPS, FOOTER_GROUPS, RELATED_GROUPS, PARAGRAPHS = 25, 15, 10, 50
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za".split()


def url(page: int) -> str:
    """The address of a page of the generated site."""
    return f"{HOST}/s{page // PAGES_A_SECTION}/p{page}.html"


def words(rng: random.Random, count: int) -> str:
    """Returns ``count`` words without a meaning."""
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(count))


def groups(rng: random.Random, count: int, targets: range, length: int = 2) -> str:
    """Returns ``count`` lists of three links to some of the ``targets``, with ``length`` words each, drawn by
    ``rng``.
    """
    made = ""
    for _ in range(count):
        chosen = rng.choices(targets, k=3)
        links = "".join(f'<li><a href="{url(target)}">{words(rng, length)}</a></li>' for target in chosen)
        made += f"<div><ul>{links}</ul></div>"
    return made


class GeneratedSite:
    """A site of ``size`` pages: menu and footer on all of them, related links a section, the rest unique."""

    def __init__(self, size: int) -> None:
        self.size = size
        rng = random.Random(1)
        self.menu = groups(rng, MENU_GROUPS, range(size))
        self.footer = groups(rng, FOOTER_GROUPS, range(size))

    def page(self, number: int) -> str:
        """The HTML of a page."""
        rng = random.Random(number * 7919 + 1)
        first = number // PAGES_A_SECTION * PAGES_A_SECTION
        section = range(first, min(first + PAGES_A_SECTION, self.size))
        related = groups(rng, RELATED_GROUPS, section)
        # A chain makes every page reachable.
        following = f'<p>{words(rng, 30)} <a href="{url((number + 1) % self.size)}">next</a></p>'
        paragraphs = "".join(f"<p>{words(rng, 30)}</p>" for _ in range(PARAGRAPHS))
        return self.framed(words(rng, 4), f"<h1>{words(rng, 5)}</h1>{paragraphs}{following}{related}")

    def framed(self, title: str, main: str, aside: str = "") -> str:
        """The HTML of a page with a ``title``, its ``main`` part, and what stands ``aside``."""
        return (
            f"<!doctype html><html><head><title>{title}</title></head><body><header>{self.menu}</header>"
            f"<main>{main}</main>{aside}<footer>{self.footer}</footer></body></html>"
        )

    def write(self, path: Path) -> None:
        """Writes the site as a WARC file, one compressed record a page."""
        write_archive(path, ((url(number), self.page(number)) for number in range(self.size)))


def crawl(
    archive: Path, folder: Path, *asked: str, note: Callable[[Watched], None] | None = None
) -> tuple[Watched, dict[str, Any]]:
    """Crawls an ``archive`` into a ``folder``, with what is ``asked`` besides, in a process of its own, as
    `benchmarks.process.watch` does, with its ``note``; returns the use of the machine, and the run.
    """
    given = ("-a", f"path={archive}", "-O", f"{folder}/documents.jsonl", *asked)
    store = folder / "growth"
    used = watch([*SCRAPY, *crawl_arguments("archive", store.name, folder, *given)], store / "changes", note)
    return used, json.loads(next((store / "runs").glob("*.json")).read_text())


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each size and algorithm."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks growth", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,50000", help="numbers of pages, parted by commas")
    parser.add_argument("--detection", default="local,global", help="algorithms, parted by commas")
    options = parser.parse_args(arguments)
    print("| pages | detection | CPU ms a page | peak PSS MB: crawl | worker ", end="")
    print("| detection s | templates | store / archive |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as work:
            archive = Path(work) / "growth.warc.gz"
            GeneratedSite(size).write(archive)
            for detection in options.detection.split(","):
                folder = Path(work) / detection
                folder.mkdir()
                used, run = crawl(archive, folder, "-a", f"detection={detection}")
                counts = run["counts"]
                stored = (folder / "growth" / "store.sqlite").stat().st_size
                print(
                    f"| {size:,} | {detection} | {used.cpu / size * 1e3:.2f} "
                    f"| {used.own_peak:.0f} | {used.worker_peak:.0f} "
                    f"| {counts['templates/seconds']:.2f} | {counts['templates/count']} "
                    f"| {stored / archive.stat().st_size:.2f} |",
                    flush=True,
                )
