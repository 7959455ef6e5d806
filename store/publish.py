"""Publishing a store's tables as Parquet."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from store.evidence import unnested
from store.scratch import scratch
from store.states import ALIVE
from store.structure import RANK_COLUMNS, RankingQuery, Structure
from store.tag_paths import NAMED_TAG_PATHS


def _table(columns: str, rows: str = "") -> tuple[str, dict[str, pa.DataType]]:
    """The SELECT of the columns from rows of the database, empty without rows, and the types of the columns.
    A column is an expression of SQL with its type.
    """
    typed = [column.rsplit(" ", 1) for column in columns.split(", ")]
    select = f"SELECT {', '.join(expression for expression, _ in typed)} FROM {rows}" if rows else ""
    return select, {name.rpartition(" ")[2]: pa.type_for_alias(kind) for name, kind in typed}


TABLES: Final = {
    "pages": _table(
        "page int64, url string, name AS host_name string, host int64, state string, reason string, "
        "depth int32, target int64, "
        # Earlier versions stored any number that a server sent.
        "CASE WHEN status BETWEEN 100 AND 999 THEN status END AS status int32, "
        "fetched_at string, fingerprint int64, title string, flags string, run int32, seen_run int32, "
        "excluded string",
        "pages JOIN hosts USING (host) ORDER BY page",
    ),
    "pagelets": _table(
        "page int64, position int32, fragment int64, tag_path int64",
        f"pagelets WHERE page IN (SELECT page FROM pages WHERE {ALIVE}) ORDER BY page, position",
    ),
    "tag_paths": _table("tag_path int64, name string", f"{NAMED_TAG_PATHS} ORDER BY tag_path"),
    "fragments": _table(
        "fragment int64, fingerprint int64, sketch int64, sketch_values binary, words int32, chars int32, "
        "links int32",
        "fragments ORDER BY fragment",
    ),
    "fragment_links": _table(
        "fragment int64, position int32, target int64, anchor string, nofollow bool",
        "fragment_links ORDER BY fragment, position",
    ),
    "fragment_blocks": (
        "SELECT fragment, block_keys FROM fragments ORDER BY fragment",
        _table("fragment int64, block int64, tag_path_key int64, placed int64")[1],
    ),
    "templates": _table(
        "template int64, sketch int64, page_set int64, algorithm string, min_pages int32, min_share double, "
        "pages int32, share double, sample_page int64, sample_position int32, state string, "
        "first_run int32, last_run int32",
        "templates ORDER BY template",
    ),
    "blocks": _table("fingerprint int64, pages int32, share double", "blocks ORDER BY fingerprint"),
    "placed_blocks": _table(
        "fingerprint int64, pages int32, share double", "placed_blocks ORDER BY fingerprint"
    ),
    "tag_path_support": _table(
        "tag_path_key int64, pages int32, share double, singleton_share double, document_frequency double",
        "tag_path_support ORDER BY tag_path_key",
    ),
    "documents": _table(
        "page int64, run int32, content_hash string, template_version string, delivered bool, op string, "
        "version int64, kept_back bool",
        "documents ORDER BY page",
    ),
    "deliveries": _table(
        "name AS sink string, url string, version int64, units int32",
        "deliveries JOIN sinks USING (sink) ORDER BY name, url",
    ),
    "dead_letters": _table(
        "name AS sink string, url string, version int64, reason string, refused_at string, attempts int32, "
        "discarded bool",
        "dead_letters JOIN sinks USING (sink) ORDER BY name, url",
    ),
    "ranks": _table(f"page int64, query string, {', '.join(f'{name} double' for name in RANK_COLUMNS)}"),
    "classes": _table("class int64, pages int64, pattern string, sample_page int64"),
    "page_classes": _table("page int64, class int64"),
    "class_links": _table("class int64, target int64, template bool, links int64, pages int64"),
    "template_classes": _table("template int64, class int64, pages int64"),
    "template_links": _table("template int64, target int64, pages int64"),
    "runs": _table(
        "run int32, started_at string, finished_at string, outcome string, parameters string, "
        "versions string, counts string",
        "runs ORDER BY run",
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
                    select = TABLES[name][0]
                    rows = ANALYSED[name](structure) if name in ANALYSED else connection.execute(select)
                    _write(rows, name, partial, fields if name == "documents" else None)
            finally:
                connection.execute("ROLLBACK")
            return [partial.replace(folder / partial.name) for partial in partials]
        finally:
            # What Arrow keeps for its next tables would count against what detection may use.
            pa.default_memory_pool().release_unused()


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
        columns: Iterable[Any] = unnested(batch) if name == "fragment_blocks" else zip(*batch, strict=True)
        yield pa.table(list(map(_array, columns, schema.types)), schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.bool_():
        # SQLite has no booleans; a cast would load all of pyarrow's functions, at each start.
        return pa.array([None if value is None else bool(value) for value in values], kind)
    return pa.array(values, kind)
