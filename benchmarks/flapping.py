"""How many unchanged pages change their text since others have come and gone, and what holding still costs.

Each site of a corpus is crawled from its archive, and judged over some nights; each night another twentieth
of its pages is missing. Counted are the pages whose text is another than the last time: each judged anew, and
with what was kept before.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from scrapy.settings import Settings

from benchmarks.corpora import add_argument, archives, folder
from crawler.configuration.judgement import config_for, stored_partition
from evaluation.crawling import crawled
from evaluation.gold import Archive, read_gold
from evaluation.scoring import score
from pagelets.methods import DEFAULT
from pagelets.methods.base import Subject
from pagelets.registry import OURS
from pagelets.render import Rendering
from release.detection import Detector
from store.judging import StoredJudge

if TYPE_CHECKING:
    from pagelets.judging.config import JudgeConfig
    from store.site import Store

NIGHTS: Final = 4
MISSING: Final = 0.05
"""The share of the pages that are missing in a night."""


class Variant:
    """Pages judged night by night, with what was kept before or without."""

    def __init__(self, *, remembers: bool) -> None:
        self.remembers = remembers
        self._method = OURS.page_method(DEFAULT)
        self.changed = self.seen = 0
        self.scores: list[float] = []
        self._kept: dict[int, tuple[list[bool], str]] = {}

    def judge(self, judge: StoredJudge, page_id: int, gold: str | None) -> None:
        """Judges a page once more."""
        found = judge.judge(page_id)
        before = self._kept.get(page_id)
        evidence = found.evidence
        if self.remembers and before is not None:
            evidence = replace(evidence, previous=np.array(before[0], np.int8))
        mask = self._method.judge(Subject(found.page, found.pagelets, evidence)).mask.tolist()
        text = Rendering(found.page, mask).text()
        if before is not None:
            self.seen += 1
            self.changed += text != before[1]
            if gold is not None:
                self.scores.append(score(text, gold).f1)
        self._kept[page_id] = mask, text


def nights(store: Store, config: JudgeConfig, gold: dict[str, str], seed: str) -> list[Variant]:
    """Judges a site's pages over the nights, without memory and with it."""
    variants = [Variant(remembers=False), Variant(remembers=True)]
    rows = store.connection.execute("SELECT page, url, state FROM pages").fetchall()
    current = set(store.documents.current())
    pages = [row for row in rows if row[0] in current]
    rng, detector = random.Random(seed), Detector(config.detection)
    for _ in range(NIGHTS):
        missing = set(rng.sample(sorted(current), max(1, round(MISSING * len(current)))))
        with store.transaction():
            store.connection.executemany(
                "UPDATE pages SET state = ? WHERE page = ?",
                [("gone" if page in missing else state, page) for page, _, state in pages],
            )
        detector.save(store, detector.find(store), 1)
        judge = StoredJudge(store, config)
        for page, url, _ in pages:
            if page not in missing:
                for variant in variants:
                    variant.judge(judge, page, gold.get(url))
    return variants


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each site: pages judged once more, those with another text, and the mean F1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks flapping", description=__doc__)
    add_argument(parser)
    parser.add_argument("names", nargs="*", help="the sites (default: all)")
    options = parser.parse_args(arguments)
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    print("| site | pages judged once more | other text, anew | with memory | F1, anew | with memory |")
    print("|---|---:|---:|---:|---:|---:|", flush=True)
    for name, path in archives(folder(options)).items():
        if options.names and name not in options.names:
            continue
        gold = read_gold(path.with_name(f"{name}.gold.jsonl"))
        with (
            tempfile.TemporaryDirectory(prefix="flapping-") as place,
            crawled(Archive(name, path, gold), Path(place)) as store,
        ):
            texts = {page.url: page.text for page in gold}
            config = replace(config_for(DEFAULT, settings), partition=stored_partition(store, settings))
            anew, memory = nights(store, config, texts, name)
        f1 = [f"{np.mean(one.scores):.4f}" for one in (anew, memory)]
        print(f"| {name} | {anew.seen} | {anew.changed} | {memory.changed} | {f1[0]} | {f1[1]} |", flush=True)
