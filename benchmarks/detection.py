"""Time and memory of template detection on synthetic relations.

    python -m benchmarks detection --pages 50000

Every page carries 100 pagelets, about 150 links and 200 blocks: pagelets that all pages share (site
navigation), pagelets of its section, teasers that three pages share, and unique ones. The relations are
written as Parquet files; each algorithm, and the count of repeated blocks, reads them in a process of its
own, on a connection with the limits of a crawl. Printed: the time, and by how much it raised the peak of the
process's resident memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.process import own_memory
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGES_A_BATCH = 2_000
COMMON_TEXTS = 1_000
"""Texts such as "Read more", which stand in fragments of all kinds."""
NAMES = ("local", "global", "blocks")


@dataclass(frozen=True)
class Shape:
    """The shape of the synthetic site; pagelets a page by kind."""

    pages: int
    shared: int = 60
    section: int = 7
    teasers: int = 3
    unique: int = 30
    section_pages: int = 400
    hosts: int = 2
    # Share of the pages on which a shared pagelet is missing, so that no two sketches have one page set.
    missing: float = 0.0
    seed: int = 1


def generate(shape: Shape, folder: Path) -> None:
    """Writes the relations that detection reads as Parquet files into the folder."""
    random = np.random.default_rng(shape.seed)
    sections = max(1, shape.pages // shape.section_pages)
    third = max(1, shape.pages // 3)
    teasers = third * shape.teasers
    first_section = shape.shared
    first_teaser = first_section + sections * shape.section
    first_unique = first_teaser + teasers
    fragments = first_unique + shape.pages * shape.unique

    order = random.permutation(shape.pages).astype(np.int32)
    duplicates = random.random(shape.pages) < 0.01
    write(
        folder / "pages.parquet",
        page=np.arange(shape.pages, dtype=np.int64),
        host=(order % shape.hosts).astype(np.int64),
        url=pa.array([f"https://{place % shape.hosts}.example.org/articles/{place:09}" for place in order]),
        fingerprint=np.where(duplicates, 1, np.arange(shape.pages, dtype=np.int64) + 2),
    )
    with pq.ParquetWriter(folder / "pagelets.parquet", PAGELETS) as writer:
        for first in range(0, shape.pages, PAGES_A_BATCH):
            page = np.arange(first, min(first + PAGES_A_BATCH, shape.pages), dtype=np.int64)
            fragment = np.concatenate(
                [
                    np.broadcast_to(np.arange(shape.shared), (len(page), shape.shared)),
                    first_section + (page % sections)[:, None] * shape.section + np.arange(shape.section),
                    first_teaser + teasers_of(page[:, None], shape.teasers, third),
                    first_unique + page[:, None].astype(np.int64) * shape.unique + np.arange(shape.unique),
                ],
                axis=1,
            ).astype(np.int64)
            position = np.broadcast_to(np.arange(fragment.shape[1], dtype=np.int32), fragment.shape)
            there = (random.random(fragment.shape) >= shape.missing) | (fragment >= shape.shared)
            page = np.broadcast_to(page[:, None], fragment.shape)
            writer.write_table(
                pa.table([page[there], position[there], fragment[there]], names=PAGELETS.names)
            )
    # Near-identical fragments share a sketch: one in a hundred here.
    number = np.arange(fragments, dtype=np.uint64)
    near = random.random(fragments) < 0.01
    near[: first_section + 1] = False
    sketch = (number - near.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    write(folder / "fragments.parquet", fragment=number.astype(np.int64), sketch=sketch.view(np.int64))

    # The site's navigation leads anywhere, a section's to its pages, a teaser to the first page that shows
    # it, the rest anywhere as well, but one in five out of the crawl.
    navigation = np.repeat(np.arange(shape.shared), 2)[: shape.shared * 3 // 2]
    section = np.repeat(np.arange(first_section, first_teaser), 4)
    teaser = np.arange(first_teaser, first_unique)
    unique = np.arange(first_unique, fragments)
    in_section = random.integers(0, max(1, shape.pages // sections), len(section))
    targets = [
        random.integers(0, shape.pages, len(navigation)),
        (section - first_section) // shape.section + sections * in_section,
        (teaser - first_teaser) // max(1, shape.teasers),
        random.integers(0, shape.pages * 5 // 4, len(unique)),
    ]
    write(
        folder / "fragment_links.parquet",
        fragment=np.concatenate([navigation, section, teaser, unique]).astype(np.int64),
        target=np.concatenate(targets).astype(np.int64),
    )
    # Three shared pagelets stand at one place, the unique ones of a page at ten.
    place = np.concatenate(
        [
            np.arange(shape.shared) // 3,
            100 + np.arange(first_teaser - first_section) % shape.section,
            np.full(teasers, 200),
            300 + np.arange(shape.pages * shape.unique) % 10,
        ]
    )
    write_blocks(folder / "fragment_blocks.parquet", place, random)


def write_blocks(path: Path, place: NDArray[np.int64], random: np.random.Generator) -> None:
    """Writes two ``random`` blocks for every fragment at its ``place`` to a ``path``: one text in ten is a
    common one, one in ten differs from others in its digits alone.
    """
    fragment = np.arange(2 * len(place), dtype=np.int64) // 2
    place = place[fragment]
    text = np.arange(len(fragment), dtype=np.uint64) + np.uint64(COMMON_TEXTS)
    kind = random.random(len(fragment))
    text[kind < 0.1] = random.integers(1, COMMON_TEXTS, int((kind < 0.1).sum()))
    masked = np.where(kind > 0.9, text % np.uint64(COMMON_TEXTS), text) + place.astype(np.uint64) * text.max()
    factor = np.uint64(0x9E3779B97F4A7C15)
    write(
        path,
        fragment=fragment,
        block=(text * factor).view(np.int64),
        tag_path_key=place,
        placed=((masked * factor) >> np.uint64(32)).view(np.int64),
    )


def teasers_of(pages: NDArray[np.int64], count: int, third: int) -> NDArray[np.int64]:
    """The teasers of the pages (int64[n, 1]), int64[n, count]: each on a page of every third of the site."""
    slot = np.arange(count)
    first_carrier = (pages + pages // third * slot * 101) % third
    return first_carrier * count + slot


PAGELETS = pa.schema([("page", pa.int64()), ("position", pa.int32()), ("fragment", pa.int64())])


def write(path: Path, **columns: object) -> None:
    """Writes the columns as one Parquet file."""
    pq.write_table(pa.table(columns), path)


def measure(
    folder: Path, name: str, min_pages: int, min_share: float, memory_limit: str, threads: int
) -> dict[str, float | str]:
    """Runs the algorithm ``name`` with ``min_pages`` and ``min_share`` over the Parquet files of a
    ``folder``, in a ``memory_limit`` and with so many ``threads``; returns seconds, memory in MB, and counts
    of the result.
    """
    with tempfile.TemporaryDirectory() as spill, duckdb.connect() as con:
        con.execute(f"SET memory_limit = '{memory_limit}'")
        con.execute(f"SET threads = {threads}")
        con.execute(f"SET temp_directory = '{spill}'")
        con.execute("SET preserve_insertion_order = false")
        for table in ("pages", "pagelets", "fragments", "fragment_links", "fragment_blocks"):
            con.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder / table}.parquet')")
        before = own_memory("VmRSS")
        begin = time.perf_counter()
        if name == "blocks":
            repeated = find_repeated_blocks(con)
            counts = f"{len(repeated.blocks.key):,} texts, {len(repeated.tag_paths.key):,} tag paths"
        else:
            templates = find_templates(con, name, min_pages, min_share)  # type: ignore[arg-type]
            counts = f"{len(templates):,} templates, {len(templates.groups):,} groups"
        return {
            "seconds": time.perf_counter() - begin,
            "before_mb": before,
            "peak_mb": own_memory("VmHWM"),
            "found": counts,
        }


def main(arguments: list[str] | None = None) -> None:
    """Generates the relations and prints one line for each algorithm and for the repeated blocks."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks detection",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--teasers", type=int, default=3, help="pagelets a page that three pages share")
    parser.add_argument(
        "--missing", type=float, default=0.0, help="share of pages that lack a shared pagelet"
    )
    parser.add_argument("--min-pages", type=int, default=2)
    parser.add_argument("--min-share", type=float, default=0.0)
    parser.add_argument("--memory-limit", default="256MB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--measure", nargs=2, metavar=("FOLDER", "NAME"), help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    limits = (options.min_pages, options.min_share, options.memory_limit, options.threads)
    if options.measure:
        folder, name = options.measure
        print(json.dumps(measure(Path(folder), name, *limits)))
        return
    with tempfile.TemporaryDirectory() as folder:
        shape = Shape(
            options.pages, teasers=options.teasers, unique=33 - options.teasers, missing=options.missing
        )
        generate(shape, Path(folder))
        for name in NAMES:
            command = [sys.executable, "-m", "benchmarks", "detection", *given, "--measure", folder, name]
            row = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            print(
                f"{name:6} {options.pages:,} pages: {row['seconds']:.2f} s, "
                f"peak RSS {row['peak_mb']:.0f} MB (+{row['peak_mb'] - row['before_mb']:.0f} MB), "
                f"{row['found']}",
                flush=True,
            )
