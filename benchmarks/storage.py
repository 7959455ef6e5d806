"""How large a site's store is: by table, against the archive, and what storing things once saves.

Crawls every site of the corpora with `scrapy crawl archive` into a store of its own. Bytes of tables are
those of SQLite's pages (virtual table dbstat), indexes included.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import zstandard

from benchmarks import corpora
from benchmarks.process import crawl_archive
from store.bodies import LEVEL
from store.database import FILE
from store.site import Store


class Savings(NamedTuple):
    """Rows and bytes of fragments and links once each and once a pagelet; bodies with and without the
    dictionary of their site.
    """

    fragments: int
    pagelets: int
    fragments_bytes: int
    pagelets_bytes: int
    with_dictionary: int
    without_dictionary: int


def crawl(archive: Path, data: Path, site: str) -> Path:
    """Crawls an archive; returns the site's folder. Ends the program where the crawl fails."""
    crawl_archive(archive, data, site)
    return data / site


def table_bytes(folder: Path) -> Counter[str]:
    """Bytes of each table with its indexes."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        rows = connection.execute(
            "SELECT coalesce(tbl_name, dbstat.name), sum(pgsize) FROM dbstat "
            "LEFT JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY 1"
        )
        return Counter(dict(rows))


def savings(store: Store) -> Savings:
    """What storing fragments once and a dictionary save in a site's store."""
    one = store.connection.execute
    size = (
        "length(sketch_values) + length(block_keys) + 30 + "
        "coalesce((SELECT sum(length(CAST(anchor AS BLOB)) + 10) FROM fragment_links "
        "WHERE fragment_links.fragment = fragments.fragment), 0)"
    )
    fragments, fragments_bytes = one(f"SELECT count(*), sum({size}) FROM fragments").fetchone()
    pagelets, pagelets_bytes = one(
        f"SELECT count(*), sum({size}) FROM pagelets JOIN fragments USING (fragment)"
    ).fetchone()
    compressor = zstandard.ZstdCompressor(level=LEVEL)
    without = sum(len(compressor.compress(store.bodies.get(page).data)) for page in store.bodies.pages())
    with_dictionary = one("SELECT sum(length(body)) FROM bodies").fetchone()[0]
    with_dictionary += one("SELECT coalesce(sum(length(sample)), 0) FROM dictionaries").fetchone()[0]
    return Savings(fragments, pagelets, fragments_bytes, pagelets_bytes, with_dictionary, without)


def raw_bytes(folder: Path) -> int:
    """Bytes of the bodies as they were fetched."""
    with Store.open(folder) as store:
        return int(store.connection.execute("SELECT sum(size) FROM bodies").fetchone()[0])


def main(arguments: list[str] | None = None) -> None:
    """Prints a row for each site, a row for each table, and the savings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks storage", description=__doc__)
    corpora.add_argument(parser)
    options = parser.parse_args(arguments)
    tables: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    saved: list[Savings] = []
    print("| site | pages, MB | as fetched, gzip | store, MB | store / gzip | published, MB |")
    print("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as work:
        for site, archive in corpora.archives(corpora.folder(options)).items():
            folder = crawl(archive, Path(work), site)
            with Store.open(folder) as store:
                published = sum(path.stat().st_size for path in store.publish())
                saved.append(savings(store))
            of_site = table_bytes(folder)
            tables += of_site
            row = {
                "raw": raw_bytes(folder),
                "archive": archive.stat().st_size,
                "store": of_site.total(),
                "published": published,
            }
            totals.update(row)
            _print_row(site, row)
    _print_row("**all**", totals)
    print("\n| table | MB | share |")
    print("|---|---:|---:|")
    for name, size in tables.most_common():
        if size > 0.001 * totals["store"]:
            print(f"| {name} | {size / 1e6:.2f} | {size / totals['store']:.1%} |")
    _print_savings(saved)


def _print_row(name: str, row: Counter[str] | dict[str, int]) -> None:
    print(
        f"| {name} | {row['raw'] / 1e6:.2f} | {row['archive'] / 1e6:.2f} | {row['store'] / 1e6:.2f} "
        f"| {row['store'] / row['archive']:.2f} | {row['published'] / 1e6:.2f} |",
        flush=True,
    )


def _print_savings(saved: list[Savings]) -> None:
    total = Savings(*map(sum, zip(*saved, strict=True)))
    print("\n| stored once | rows | MB | rows if not | MB if not | saved |")
    print("|---|---:|---:|---:|---:|---:|")
    print(
        f"| fragments and their links | {total.fragments:,} | {total.fragments_bytes / 1e6:.2f} "
        f"| {total.pagelets:,} | {total.pagelets_bytes / 1e6:.2f} "
        f"| {1 - total.fragments_bytes / total.pagelets_bytes:.0%} |"
    )
    print("\n| bodies | MB |")
    print("|---|---:|")
    print(f"| with the site's dictionary, which is counted | {total.with_dictionary / 1e6:.2f} |")
    print(f"| without | {total.without_dictionary / 1e6:.2f} |")
