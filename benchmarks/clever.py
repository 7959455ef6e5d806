"""How well links find the authorities on a topic: the six configurations of Clever on a generated web.

As Figure 6 of Bar-Yossef & Rajagopalan, WWW 2002, where pages were judged by people: here it is known which
are authorities (`benchmarks.topical_web`). Precision@N is the share of the first N pages that are.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path
from typing import Final

from scrapy.utils.project import get_project_settings
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.process import crawl_archive
from benchmarks.topical_web import TOPICS, TopicalWeb
from crawler.configuration.judgement import stored_judge
from inspection.ranking import rank_pages
from pagelets.ranking.rankings import RANKINGS
from store.site import Store

_FIRST: Final = (10, 20, 30, 40, 50)


def main(arguments: list[str]) -> None:
    """Prints the mean precision over the topics of some webs, by ranking and N."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks clever", description=__doc__)
    parser.add_argument("--webs", type=int, default=3, help="so many webs are generated (default: 3)")
    found: dict[str, list[list[float]]] = {name: [] for name, one in RANKINGS.items() if one.weighted}
    for seed in range(1, parser.parse_args(arguments).webs + 1):
        with tempfile.TemporaryDirectory() as folder:
            _rank(TopicalWeb(seed), Path(folder), found)
    print("| precision@ |", " | ".join(map(str, _FIRST)), "|")
    print("|---|", "---:|" * len(_FIRST), sep="")
    for name, rows in found.items():
        means = [sum(column) / len(column) for column in zip(*rows, strict=True)]
        print(f"| `{name}` |", " | ".join(f"{mean:.2f}" for mean in means), "|")


def _rank(web: TopicalWeb, folder: Path, found: dict[str, list[list[float]]]) -> None:
    """Adds the precision of each ranking for each topic of a web."""
    crawl_archive(_write(folder / "web.warc.gz", web.pages()), folder, "web", "-s", "METHOD=templates")
    with Store.open(folder / "web") as store:
        read = stored_judge(store, get_project_settings()).subject
        for name, rows in found.items():
            for topic in TOPICS:
                wanted = web.authorities(topic)
                ranked = [page.url for page in rank_pages(store, read, name, topic, _FIRST[-1]).pages]
                rows.append([sum(url in wanted for url in ranked[:count]) / count for count in _FIRST])


def _write(path: Path, pages: dict[str, str]) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, html in pages.items():
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], "HTTP/1.1")
            payload = io.BytesIO(html.encode())
            writer.write_record(
                writer.create_warc_record(url, "response", payload=payload, http_headers=http)
            )
    return path
