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
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.process import apart, memory
from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from store.evidence import EVIDENCE, limited

PAGES_A_BATCH = 2_000
COMMON_TEXTS = 1_000
"""Texts such as "Read more", which stand in fragments of all kinds."""
NAMES = ("local", "global", "blocks")


SHARED, SECTION, TEASERS, UNIQUE = 60, 7, 3, 30
"""Pagelets a page by kind."""
SECTION_PAGES, HOSTS = 400, 2
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def generate(pages: int, folder: Path) -> None:
    """Writes the relations that detection reads, of so many ``pages``, as Parquet files into a ``folder``."""
    random = np.random.default_rng(1)
    sections = max(1, pages // SECTION_PAGES)
    third = max(1, pages // 3)
    first_section = SHARED
    first_teaser = first_section + sections * SECTION
    first_unique = first_teaser + third * TEASERS
    fragments = first_unique + pages * UNIQUE

    order = random.permutation(pages).astype(np.int32)
    duplicates = random.random(pages) < 0.01
    write(
        folder / "pages.parquet",
        page=np.arange(pages, dtype=np.int64),
        host=(order % HOSTS).astype(np.int64),
        url=pa.array([f"https://{place % HOSTS}.example.org/articles/{place:09}" for place in order]),
        fingerprint=np.where(duplicates, 1, np.arange(pages, dtype=np.int64) + 2),
    )
    with pq.ParquetWriter(folder / "pagelets.parquet", PAGELETS) as writer:
        for first in range(0, pages, PAGES_A_BATCH):
            page = np.arange(first, min(first + PAGES_A_BATCH, pages), dtype=np.int64)
            fragment = np.concatenate(
                [
                    np.broadcast_to(np.arange(SHARED), (len(page), SHARED)),
                    first_section + (page % sections)[:, None] * SECTION + np.arange(SECTION),
                    first_teaser + teasers_of(page[:, None], third),
                    first_unique + page[:, None].astype(np.int64) * UNIQUE + np.arange(UNIQUE),
                ],
                axis=1,
            ).astype(np.int64)
            position = np.broadcast_to(np.arange(fragment.shape[1], dtype=np.int32), fragment.shape)
            page = np.broadcast_to(page[:, None], fragment.shape)
            columns = [column.ravel() for column in (page, position, fragment)]
            writer.write_table(pa.table(columns, names=PAGELETS.names))
    # Near-identical fragments share a sketch: one in a hundred here.
    number = np.arange(fragments, dtype=np.uint64)
    near = random.random(fragments) < 0.01
    near[: first_section + 1] = False
    sketch = (number - near.astype(np.uint64)) * _FACTOR
    write(folder / "fragments.parquet", fragment=number.astype(np.int64), sketch=sketch.view(np.int64))

    # The site's navigation leads anywhere, a section's to its pages, a teaser to the first page that shows
    # it, the rest anywhere as well, but one in five out of the crawl.
    navigation = np.repeat(np.arange(SHARED), 2)[: SHARED * 3 // 2]
    section = np.repeat(np.arange(first_section, first_teaser), 4)
    teaser = np.arange(first_teaser, first_unique)
    unique = np.arange(first_unique, fragments)
    in_section = random.integers(0, max(1, pages // sections), len(section))
    targets = [
        random.integers(0, pages, len(navigation)),
        (section - first_section) // SECTION + sections * in_section,
        (teaser - first_teaser) // TEASERS,
        random.integers(0, pages * 5 // 4, len(unique)),
    ]
    write(
        folder / "fragment_links.parquet",
        fragment=np.concatenate([navigation, section, teaser, unique]).astype(np.int64),
        target=np.concatenate(targets).astype(np.int64),
    )
    # Three shared pagelets stand at one place, the unique ones of a page at ten.
    place = np.concatenate(
        [
            np.arange(SHARED) // 3,
            100 + np.arange(first_teaser - first_section) % SECTION,
            np.full(third * TEASERS, 200),
            300 + np.arange(pages * UNIQUE) % 10,
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
    block, placed = text * _FACTOR, (masked * _FACTOR) >> np.uint64(32)
    write(path, fragment=fragment, block=block.view("<i8"), tag_path_key=place, placed=placed.view("<i8"))


def teasers_of(pages: NDArray[np.int64], third: int) -> NDArray[np.int64]:
    """The teasers of the pages (int64[n, 1]), int64[n, TEASERS]: each on a page of every third of the
    site.
    """
    slot = np.arange(TEASERS)
    first_carrier = (pages + pages // third * slot * 101) % third
    return first_carrier * TEASERS + slot


PAGELETS = pa.schema([("page", pa.int64()), ("position", pa.int32()), ("fragment", pa.int64())])


def write(path: Path, **columns: object) -> None:
    """Writes the columns as one Parquet file."""
    pq.write_table(pa.table(columns), path)


def measure(folder: Path, name: str) -> tuple[float, float, float, str]:
    """Runs the algorithm ``name`` over the Parquet files of a ``folder``; returns seconds, memory in MB
    before it and at its peak, and counts of the result.
    """
    with tempfile.TemporaryDirectory() as spill, limited(Path(spill), memory=256, threads=2) as con:
        for table in EVIDENCE:
            con.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{folder / table}.parquet')")
        before = memory("VmRSS")
        begin = time.perf_counter()
        if name == "blocks":
            repeated = find_repeated_blocks(con)
            counts = f"{len(repeated.blocks.key):,} texts, {len(repeated.tag_paths.key):,} tag paths"
        else:
            templates = find_templates(con, name, 2, 0.0)  # type: ignore[arg-type]
            counts = f"{len(templates):,} templates, {len(templates.groups):,} groups"
        return time.perf_counter() - begin, before, memory("VmHWM"), counts


def main(arguments: list[str] | None = None) -> None:
    """Generates the relations and prints one line for each algorithm and for the repeated blocks."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks detection",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=10_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        generate(options.pages, Path(folder))
        for name in NAMES:
            seconds, before, peak, counts = apart(measure, Path(folder), name)
            use = f"{seconds:.2f} s, peak RSS {peak:.0f} MB (+{peak - before:.0f} MB)"
            print(f"{name:6} {options.pages:,} pages: {use}, {counts}", flush=True)
