"""Teaching measured: each site is taught the pages that ``scrapy teach`` chooses, and scored on the others.

Signs are set as the gold text has them: a block is content where the gold has most of its words.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import corpora
from evaluation.crawling import crawled
from evaluation.gold import find_archives
from evaluation.scoring import score
from inspection.lessons import folded
from inspection.page_sample import sample_of
from inspection.teaching import learned, telling_pages
from pagelets.judging.config import JudgeConfig
from store.judging import StoredJudge
from training.labels import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.gold import Archive
    from inspection.lessons import Blocks


class Taught(NamedTuple):
    """A site: mean F1 of the pages that were not taught, before and after; weights, and seconds to learn."""

    before: float
    after: float
    weights: int
    seconds: float


def measure(archive: Archive, folder: Path, count: int) -> Taught:
    """Teaches a site some pages, and scores the others.

    Args:
        archive: the pages, with their gold text.
        folder: an empty folder for the store.
        count: how many pages are taught.

    """
    with crawled(archive, folder) as store:
        partition = store.derivation.partition
        assert partition is not None
        judge = StoredJudge(store, JudgeConfig(partition=partition, selectors=store.derivation.selectors))
        gold = {page.url: page.text for page in archive.gold}
        pages = {page: store.frontier.url(page) for page in sample_of(store)}
        pages = {page: url for page, url in pages.items() if url in gold}
        chosen = telling_pages(store, judge, list(pages), count, (), lambda *_: None)
        lessons = {pages[page]: _corrected(judge, page, gold[pages[page]]) for page in chosen}
        started = process_time()
        weights = learned(store, judge, lessons).weights
        seconds = process_time() - started
        rest = {page: gold[url] for page, url in pages.items() if page not in chosen}
        then = StoredJudge(store, replace(judge.config, taught=weights))
        return Taught(_f1(judge, rest), _f1(then, rest), len(weights), seconds)


def _corrected(judge: StoredJudge, page: int, gold: str) -> Blocks:
    texts = [folded(block.text) for block in judge.subject(page).page.blocks]
    content = label(texts, gold).content.tolist()
    return [(text, keep) for text, keep in zip(texts, content, strict=True) if text]


def _f1(judge: StoredJudge, gold: dict[int, str]) -> float:
    scores = [score(judge.judge(page).document(("text",))["text"], text).f1 for page, text in gold.items()]
    return sum(scores) / max(len(scores), 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line a site, and the means over sites."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks teaching", description=__doc__)
    corpora.add_argument(parser)
    parser.add_argument("--pages", type=int, default=3, help="how many pages are taught (default: 3)")
    parser.add_argument("--sites", nargs="+", help="these sites alone")
    options = parser.parse_args(arguments)
    sites: list[Taught] = []
    for archive in find_archives([corpora.folder(options) / "sites"]):
        if options.sites and archive.name not in options.sites:
            continue
        with tempfile.TemporaryDirectory(prefix="teaching-") as folder:
            site = measure(archive, Path(folder), options.pages)
        sites.append(site)
        line = f"F1 {site.before:.4f} -> {site.after:.4f}, {site.weights} weights in {site.seconds:.3f} s"
        print(f"{archive.name:24} {line}", flush=True)
    if sites:
        before, after = (
            sum(getattr(site, name) for site in sites) / len(sites) for name in ("before", "after")
        )
        seconds = sum(site.seconds for site in sites) / len(sites)
        worst = min(site.after for site in sites)
        print(
            f"mean of {len(sites)} sites: F1 {before:.4f} -> {after:.4f}, worst {worst:.4f}; {seconds:.3f} s"
        )


if __name__ == "__main__":
    main()
