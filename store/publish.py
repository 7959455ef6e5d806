"""Publishing a store's tables as Parquet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pagelets.block_keys import BLOCK_KEYS
from store.scratch import scratch
from store.states import ALIVE
from store.structure import RANK_COLUMNS, RankingQuery, Structure
from store.tag_paths import named_tag_paths

TABLES: Final = {
    "pages": (
        "SELECT page, url, name AS host_name, pages.host AS host, state, reason, depth, target, "
        # Earlier versions stored any number that a server sent.
        "iif(status BETWEEN 100 AND 999, status, NULL), "
        "fetched_at, fingerprint, title, flags, run, seen_run, excluded "
        "FROM pages JOIN hosts USING (host) ORDER BY page",
        {
            "page": pa.int64(),
            "url": pa.string(),
            "host_name": pa.string(),
            "host": pa.int64(),
            "state": pa.string(),
            "reason": pa.string(),
            "depth": pa.int32(),
            "target": pa.int64(),
            "status": pa.int32(),
            "fetched_at": pa.string(),
            "fingerprint": pa.int64(),
            "title": pa.string(),
            "flags": pa.string(),
            "run": pa.int32(),
            "seen_run": pa.int32(),
            "excluded": pa.string(),
        },
    ),
    "pagelets": (
        f"SELECT page, position, fragment, tag_path FROM pagelets "
        f"WHERE page IN (SELECT page FROM pages WHERE {ALIVE}) ORDER BY page, position",
        {"page": pa.int64(), "position": pa.int32(), "fragment": pa.int64(), "tag_path": pa.int64()},
    ),
    "tag_paths": ("", {"tag_path": pa.int64(), "name": pa.string()}),
    "fragments": (
        "SELECT fragment, fingerprint, sketch, sketch_values, words, chars, links "
        "FROM fragments ORDER BY fragment",
        {
            "fragment": pa.int64(),
            "fingerprint": pa.int64(),
            "sketch": pa.int64(),
            "sketch_values": pa.binary(),
            "words": pa.int32(),
            "chars": pa.int32(),
            "links": pa.int32(),
        },
    ),
    "fragment_links": (
        "SELECT fragment, position, target, anchor, nofollow FROM fragment_links ORDER BY fragment, position",
        {
            "fragment": pa.int64(),
            "position": pa.int32(),
            "target": pa.int64(),
            "anchor": pa.string(),
            "nofollow": pa.bool_(),
        },
    ),
    "fragment_blocks": (
        "SELECT fragment, block_keys FROM fragments ORDER BY fragment",
        {"fragment": pa.int64(), "block": pa.int64(), "tag_path_key": pa.int64(), "placed": pa.int64()},
    ),
    "templates": (
        "SELECT template, sketch, page_set, algorithm, min_pages, min_share, pages, share, sample_page, "
        "sample_position, state, first_run, last_run FROM templates ORDER BY template",
        {
            "template": pa.int64(),
            "sketch": pa.int64(),
            "page_set": pa.int64(),
            "algorithm": pa.string(),
            "min_pages": pa.int32(),
            "min_share": pa.float64(),
            "pages": pa.int32(),
            "share": pa.float64(),
            "sample_page": pa.int64(),
            "sample_position": pa.int32(),
            "state": pa.string(),
            "first_run": pa.int32(),
            "last_run": pa.int32(),
        },
    ),
    "blocks": (
        "SELECT fingerprint, pages, share FROM blocks ORDER BY fingerprint",
        {"fingerprint": pa.int64(), "pages": pa.int32(), "share": pa.float64()},
    ),
    "placed_blocks": (
        "SELECT fingerprint, pages, share FROM placed_blocks ORDER BY fingerprint",
        {"fingerprint": pa.int64(), "pages": pa.int32(), "share": pa.float64()},
    ),
    "tag_path_support": (
        "SELECT tag_path_key, pages, share, singleton_share, document_frequency FROM tag_path_support "
        "ORDER BY tag_path_key",
        {
            "tag_path_key": pa.int64(),
            "pages": pa.int32(),
            "share": pa.float64(),
            "singleton_share": pa.float64(),
            "document_frequency": pa.float64(),
        },
    ),
    "documents": (
        "SELECT page, run, content_hash, template_version, delivered, op, version, kept_back "
        "FROM documents ORDER BY page",
        {
            "page": pa.int64(),
            "run": pa.int32(),
            "content_hash": pa.string(),
            "template_version": pa.string(),
            "delivered": pa.bool_(),
            "op": pa.string(),
            "version": pa.int64(),
            "kept_back": pa.bool_(),
        },
    ),
    "deliveries": (
        "SELECT name AS sink, url, version, units FROM deliveries JOIN sinks USING (sink) ORDER BY name, url",
        {"sink": pa.string(), "url": pa.string(), "version": pa.int64(), "units": pa.int32()},
    ),
    "dead_letters": (
        "SELECT name AS sink, url, version, reason, refused_at, attempts, discarded "
        "FROM dead_letters JOIN sinks USING (sink) ORDER BY name, url",
        {
            "sink": pa.string(),
            "url": pa.string(),
            "version": pa.int64(),
            "reason": pa.string(),
            "refused_at": pa.string(),
            "attempts": pa.int32(),
            "discarded": pa.bool_(),
        },
    ),
    "ranks": ("", {"page": pa.int64(), "query": pa.string(), **dict.fromkeys(RANK_COLUMNS, pa.float64())}),
    "classes": (
        "",
        {"class": pa.int64(), "pages": pa.int64(), "pattern": pa.string(), "sample_page": pa.int64()},
    ),
    "page_classes": ("", {"page": pa.int64(), "class": pa.int64()}),
    "class_links": (
        "",
        {
            "class": pa.int64(),
            "target": pa.int64(),
            "template": pa.bool_(),
            "links": pa.int64(),
            "pages": pa.int64(),
        },
    ),
    "template_classes": ("", {"template": pa.int64(), "class": pa.int64(), "pages": pa.int64()}),
    "template_links": ("", {"template": pa.int64(), "target": pa.int64(), "pages": pa.int64()}),
    "runs": (
        "SELECT run, started_at, finished_at, outcome, parameters, versions, counts FROM runs ORDER BY run",
        {
            "run": pa.int32(),
            "started_at": pa.string(),
            "finished_at": pa.string(),
            "outcome": pa.string(),
            "parameters": pa.string(),
            "versions": pa.string(),
            "counts": pa.string(),
        },
    ),
}
"""Each published table: where its rows come from, and its columns. Those without a SELECT
are made of several."""

ANALYSED: Final[Mapping[str, Callable[[Structure], Iterator[Any]]]] = {
    "ranks": Structure.ranks,
    "classes": Structure.classes,
    "page_classes": Structure.page_classes,
    "class_links": Structure.class_links,
    "template_classes": Structure.template_classes,
    "template_links": Structure.template_links,
}
"""The tables that take link analysis or grouping: they are written where somebody asks for them."""

_BATCH: Final = 10_000
"""Rows that are held as Python's objects at once."""
_TEXTS: Final = 500
"""The same of rows with a document's text."""
_ROW_GROUP: Final = 100_000


class DocumentFields(NamedTuple):
    """Fields of documents for their table: the columns, and their values in the document of a page, None
    where it cannot be had.
    """

    schema: pa.Schema
    of: Callable[[int], Sequence[Any] | None]


def publish(
    connection: sqlite3.Connection,
    folder: Path,
    names: tuple[str, ...] = tuple(TABLES),
    *,
    fields: DocumentFields | None = None,
    query: RankingQuery | None = None,
) -> list[Path]:
    """Writes tables as ``folder/NAME.parquet``, each in place of the one before only when it is whole.

    Args:
        connection: to the store's database.
        folder: where the files go.
        names: of the tables.
        fields: those that the table of documents has columns for.
        query: pages are ranked for it.

    Returns:
        the paths.

    Raises:
        OSError: the folder cannot be written; the earlier files are then as they were, and none is replaced
            before all are whole.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with scratch(folder) as aside:
        partials = [aside / f"{name}.parquet" for name in names]
        try:
            # All tables as they are at one moment, though a crawl may write meanwhile.
            connection.execute("BEGIN")
            structure = Structure(connection, query)
            try:
                for name, partial in zip(names, partials, strict=True):
                    rows = ANALYSED[name](structure) if name in ANALYSED else _rows(connection, name)
                    _write(rows, name, partial, fields if name == "documents" else None)
            finally:
                connection.execute("ROLLBACK")
            return [partial.replace(folder / partial.name) for partial in partials]
        finally:
            # What Arrow keeps for its next tables would count against what detection may use.
            pa.default_memory_pool().release_unused()


def _rows(connection: sqlite3.Connection, name: str) -> Iterator[Any]:
    return named_tag_paths(connection) if name == "tag_paths" else connection.execute(TABLES[name][0])


def _write(rows: Iterator[Any], name: str, path: Path, fields: DocumentFields | None) -> None:
    schema = pa.schema([*TABLES[name][1].items(), *(() if fields is None else fields.schema)])
    with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=_dictionary(schema)) as writer:
        held: list[pa.Table] = []
        count = 0
        for batch in _batches(rows, name, schema, fields):
            held.append(batch)
            count += len(batch)
            if count >= _ROW_GROUP:
                writer.write_table(pa.concat_tables(held))
                held, count = [], 0
        if held:
            writer.write_table(pa.concat_tables(held))


def _dictionary(schema: pa.Schema) -> list[str]:
    """The columns that repeat their values: a dictionary of distinct ones is memory for nothing."""
    distinct = {"url", "fingerprint", "sketch", "block", "placed", "text"}
    return [name for name in schema.names if name not in distinct]


def _batches(
    rows: Iterator[Any], name: str, schema: pa.Schema, fields: DocumentFields | None
) -> Iterator[pa.Table]:
    if fields is not None:
        page, op = schema.names.index("page"), schema.names.index("op")
        none = (None,) * len(fields.schema)
        rows = ((*row, *((fields.of(row[page]) if row[op] == "index" else None) or none)) for row in rows)
    while batch := list(islice(rows, _BATCH if fields is None else _TEXTS)):
        if name == "fragment_blocks":
            columns = _unnested(batch)
        else:
            columns = list(map(_array, zip(*batch, strict=True), schema.types))
        yield pa.table(columns, schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.bool_():
        # SQLite has no booleans; a cast would load all of pyarrow's functions, at each start.
        return pa.array([None if value is None else bool(value) for value in values], kind)
    return pa.array(values, kind)


def _unnested(rows: list[tuple[int, bytes]]) -> list[pa.Array]:
    fragments, packed = zip(*rows, strict=True)
    sizes = [len(keys) // BLOCK_KEYS.itemsize for keys in packed]
    columns = np.frombuffer(b"".join(packed), BLOCK_KEYS)
    names = BLOCK_KEYS.names or ()
    return [
        pa.array(np.repeat(np.array(fragments, np.int64), sizes)),
        *(pa.array(columns[name].astype(np.int64)) for name in names),
    ]
