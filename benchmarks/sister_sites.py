"""What `scrapy templates --over` costs over the published tables of many sites, in DuckDB and on Spark.

The tables are generated: stores of a network, whose menus and footer stand on all of their pages. A page has
12 pagelets and 40 links: four pagelets of the network with links to the home pages of sister sites, two of
its site's menu, two of its section, a teaser that three pages share, and three of its own. One page in fifty
has the text of another.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.process import SCRAPY, watch
from store.publish import TABLES

_NETWORK, _MENU, _SECTION, _TEASER, _OWN = (4, 4), (2, 4), (2, 4), (1, 2), (3, 2)
"""Pagelets a page, links a pagelet."""
_PAGES_A_SECTION: Final = 100
_MIX: Final = 0x9E3779B97F4A7C15
_MOST: Final = (1 << 62) - 1


def _mixed(numbers: Any) -> Any:
    """Numbers that look drawn, int64[n]."""
    return (((numbers.astype(np.uint64) * np.uint64(_MIX)) >> np.uint64(7)) & np.uint64(_MOST)).astype(
        np.int64
    )


def publish(folder: Path, site: int, sites: int, pages: int) -> None:
    """Writes what detection reads of a site's published tables, with so many pages, of so many sites."""
    folder.mkdir(parents=True)
    page = np.arange(1, pages + 1)
    section = _NETWORK[0] + _MENU[0] + 1
    teaser = section + (pages // _PAGES_A_SECTION + 1) * _SECTION[0]
    own = teaser + pages // 3 + 1
    fragment = np.arange(1, own + pages * _OWN[0])
    # The sisters' home pages, as addresses out of scope.
    sisters = [other % sites for other in range(site + 1, site + _NETWORK[0] * _NETWORK[1])]
    home = f"http://shop{{}}.example/p{1}.html".format
    urls = [f"http://shop{site}.example/p{number}.html" for number in page]
    _write(
        folder,
        "pages",
        page=np.arange(1, pages + len(sisters) + 1),
        url=[*urls, *map(home, sisters)],
        host_name=[f"shop{site}.example"] * pages + [f"shop{other}.example" for other in sisters],
        fingerprint=[*_mixed(site * pages + page - (page % 50 == 0)).tolist(), *[None] * len(sisters)],
    )
    held = np.empty((pages, sum(kind[0] for kind in (_NETWORK, _MENU, _SECTION, _TEASER, _OWN))), np.int64)
    held[:, : section - 1] = np.arange(1, section)
    held[:, section - 1 : section + 1] = (section + (page - 1) // _PAGES_A_SECTION * _SECTION[0])[:, None] + [
        0,
        1,
    ]
    held[:, section + 1] = teaser + page % (pages // 3 + 1)
    held[:, section + 2 :] = (own + (page - 1) * _OWN[0])[:, None] + np.arange(_OWN[0])
    _write(
        folder,
        "pagelets",
        page=np.repeat(page, held.shape[1]),
        position=np.tile(np.arange(held.shape[1]), pages),
        fragment=held.ravel(),
    )
    _write(
        folder,
        "fragments",
        fragment=fragment,
        sketch=_mixed((fragment > _NETWORK[0]) * (site << 32) + fragment),
    )
    counts = np.full(len(fragment), _OWN[1])
    counts[: section - 1], counts[section - 1 : teaser - 1] = _MENU[1], _SECTION[1]
    linking = np.repeat(fragment, counts)
    place = np.arange(len(linking))
    target = 1 + (np.maximum(linking - own, 0) // _OWN[0] + place * 17 % _PAGES_A_SECTION) % pages
    target[: _NETWORK[0] * _NETWORK[1]] = [1, *range(pages + 1, pages + len(sisters) + 1)]
    _write(folder, "fragment_links", fragment=linking, target=target)


def _write(folder: Path, name: str, **columns: Any) -> None:
    schema = pa.schema([(column, TABLES[name][1][column]) for column in columns])
    table = pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)
    pq.write_table(table, folder / f"{name}.parquet", compression="zstd", row_group_size=100_000)


def main(arguments: list[str]) -> None:
    """Prints a row for each algorithm and engine; the digest is of all that is listed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sister_sites", description=__doc__)
    parser.add_argument("--sites", type=int, default=100)
    parser.add_argument("--pages", type=int, default=1000, help="of each site")
    parser.add_argument("--detection", default="local,global", help="algorithms, parted by commas")
    parser.add_argument(
        "--engines", default="duckdb", help="duckdb, and masters of Spark's, parted by commas"
    )
    parser.add_argument("--keep", type=Path, help="a folder where the tables stay for the next time")
    options, more = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as work:
        data = options.keep or Path(work)
        for site in range(options.sites):
            folder = data / f"shop{site}" / "tables"
            if not folder.exists():
                publish(folder, site, options.sites, options.pages)
        print("| pages | detection | engine | CPU s | peak MB: command | Java | templates | digest |")
        print("|---:|---|---|---:|---:|---:|---:|---|")
        for algorithm in options.detection.split(","):
            for engine in options.engines.split(","):
                found = Path(work) / "found.jsonl"
                command = [*SCRAPY, *"templates --over".split(), f"{data}/*/tables", "--export", str(found)]
                command += ["-s", f"DETECTION={algorithm}", "-s", f"DATA_DIR={data}", *more]
                if engine != "duckdb":
                    command += ["--master", engine]
                used = watch(command, Path(work))
                listed = found.read_bytes()
                print(
                    f"| {options.sites * options.pages:,} | {algorithm} | {engine} "
                    f"| {used.own_cpu + sum(used.worker_cpu.values()):.1f} | {used.own_peak:.0f} "
                    f"| {used.worker_peak:.0f} | {len(listed.splitlines()):,} "
                    f"| {hashlib.sha256(listed).hexdigest()[:12]} |",
                    flush=True,
                )
