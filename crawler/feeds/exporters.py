"""Documents in the formats of files: the one that a file's name says, and Parquet."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Self

import orjson
from itemadapter import ItemAdapter
from scrapy import exporters
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from crawler.configuration.checks import registry_of
from crawler.configuration.judge_config import config_of
from pagelets.registry import OURS, Registry
from pagelets.text.surrogates import LONE, replaced
from settings.errors import ConfigurationError
from settings.values import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow.parquet as pq


_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_HEADER: Final = 1 << 16
_BATCH: Final = 500
"""Documents that are held until they are written as Parquet."""

_JSON: Final = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class JsonLinesExporter(exporters.JsonLinesItemExporter):
    """Scrapy's, several times as fast: JSON without blanks between values.

    What orjson does not know is written as Scrapy writes it, and so are all items in another encoding than
    UTF-8; lone surrogates become U+FFFD.
    """

    def export_item(self, item: Any) -> None:
        """Writes a line."""
        if (self.encoding or "").lower() in ("utf-8", "utf8"):
            with contextlib.suppress(TypeError):
                self.file.write(orjson.dumps(dict(self.get_serialized_fields(item)), option=_JSON))
                return
        super().export_item(replaced(item))


def as_line(document: Mapping[str, Any]) -> bytes:
    """Returns a document as a line of JSON in UTF-8, as `JsonLinesExporter` writes it. Lone surrogates, which
    UTF-8 does not have, become U+FFFD.
    """
    try:
        return orjson.dumps(document, option=_JSON)
    except TypeError:
        file = io.BytesIO()
        JsonLinesExporter(file, encoding="utf-8").export_item(document)
        return file.getvalue()


def _columns(settings: BaseSettings) -> tuple[list[str], bool]:
    """Returns the fields that documents of a crawl have, and whether some have others than the first."""
    config = config_of(settings)
    differ = any("fields" in override for override in config.overrides)
    return config.registry.ordered(config.all_fields), differ


class CsvExporter(exporters.CsvItemExporter):
    """Scrapy's, with lists and tables as JSON in their cells; lists are joined by what a feed's options give
    as ``join_multivalued``. Where overrides have fields of their own, all of them are columns. Rows that are
    appended to a file with the same columns have no header.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BinaryIO, **options: Any) -> Self:
        """The exporter of a feed."""
        columns, differ = _columns(crawler.settings)
        return cls(file, columns=columns if differ else (), **options)

    def __init__(
        self, file: Any, join_multivalued: str | None = None, *, columns: Sequence[str] = (), **options: Any
    ) -> None:
        super().__init__(file, join_multivalued=join_multivalued or "", **options)
        self._joined = join_multivalued is not None
        self._columns = columns
        self._header = _header_of(file, options.get("encoding"))

    def export_item(self, item: Any) -> None:
        """Writes a row."""
        if self._columns and not self.fields_to_export:
            self.fields_to_export = list(dict.fromkeys([*self._columns, *ItemAdapter(item).field_names()]))
        if self._header:
            fields = self.fields_to_export or list(ItemAdapter(item).field_names())
            if self._header == list(fields.values() if isinstance(fields, dict) else fields):
                self.fields_to_export, self.include_headers_line = fields, False
            self._header = []
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Returns the ``value`` of the field called ``name`` for a cell; ``field`` is its metadata."""
        if "serializer" in field or (self._joined and isinstance(value, list)):
            value = super().serialize_field(field, name, value)
        if isinstance(value, list | dict):
            value = json.dumps(value, ensure_ascii=False, default=str)
        return LONE.sub("\ufffd", value) if isinstance(value, str) else value


def _header_of(file: Any, encoding: str | None) -> list[str]:
    """The columns of a file that is appended to; none of another one."""
    path = getattr(file, "name", None)
    if not isinstance(path, str) or not Path(path).is_file() or not file.tell():
        return []
    with Path(path).open(encoding=encoding or "utf-8", errors="replace", newline="") as rows:
        return next(csv.reader([rows.readline(_LONGEST_HEADER)]), [])


class XmlExporter(exporters.XmlItemExporter):
    """Scrapy's, in which characters that XML does not have become U+FFFD, and what is null is empty."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Returns the ``value`` of the field ``name`` without such characters; ``field`` is its metadata."""
        return _without_null(replaced(super().serialize_field(field, name, value), _NOT_IN_XML))


def _without_null(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items()}
    return "" if value is None else value


class ParquetExporter(exporters.BaseItemExporter):
    """Documents as Parquet, compressed, each field a column of its type.

    Without ``fields_to_export`` the columns are the fields of the first document, and of overrides.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: BinaryIO, **options: Any) -> Self:
        """The exporter of a feed, which knows the fields that the settings add."""
        columns, differ = _columns(crawler.settings)
        return cls(file, registry=registry_of(crawler.settings), columns=columns, differ=differ, **options)

    def __init__(
        self,
        file: BinaryIO,
        *,
        registry: Registry = OURS,
        columns: Sequence[str] = (),
        differ: bool = False,
        **options: Any,
    ) -> None:
        self._registry = registry
        self._columns, self._differ = columns or registry.field_names, differ
        # What JSON would be indented by.
        options.pop("indent", None)
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._writer: pq.ParquetWriter | None = None
        self._held: list[dict[str, Any]] = []

    def export_item(self, item: Any) -> None:
        """Takes a document."""
        from release.columns import as_column

        document = ItemAdapter(item)
        writer = self._writer or self._started([*(self._columns if self._differ else ()), *document])
        self._held.append(
            {field.name: as_column(document.get(field.name), field.type) for field in writer.schema}
        )
        if len(self._held) >= _BATCH:
            self._flush(writer)

    def finish_exporting(self) -> None:
        """Ends the file; one without documents has the columns that it would have."""
        writer = self._writer or self._started(self._columns)
        self._flush(writer)
        writer.close()

    def _started(self, names: Iterable[str]) -> pq.ParquetWriter:
        # Loaded by those who ask for it, as every crawl loads the exporters of all formats.
        import pyarrow.parquet as pq

        from release.columns import schema_of

        schema = schema_of(list(self.fields_to_export or dict.fromkeys(names)), self._registry)
        self._writer = pq.ParquetWriter(self._file, schema, compression="zstd")
        return self._writer

    def _flush(self, writer: pq.ParquetWriter) -> None:
        if self._held:
            from pyarrow import Table

            writer.write_table(Table.from_pylist(self._held, schema=writer.schema))
            self._held = []


_FORMATS: Final[Mapping[str, Callable[..., exporters.BaseItemExporter]]] = {
    "jsonl": JsonLinesExporter,
    "jsonlines": JsonLinesExporter,
    "json": exporters.JsonItemExporter,
    "csv": CsvExporter,
    "xml": XmlExporter,
    "parquet": ParquetExporter,
}
_TABLES: Final = frozenset({"csv", "parquet"})
"""Formats in which every document has the same fields."""


def format_of(name: str) -> tuple[str, bool]:
    """The format that a file's name asks for, and whether it is packed by gzip. JSON lines where it has no
    suffix. That of the standard output is named as Scrapy has it: -:csv. Raises ConfigurationError, which
    lists the formats, or tells that it is an address.
    """
    if "://" in name:
        raise ConfigurationError(
            f"-O {masked(name)}: an export goes to a file of this machine; give its path, and copy it "
            "from there"
        )
    *_, base = name.replace("\\", "/").split("/")
    base = base.replace("-:", "-.") if name.startswith("-:") else base
    packed = base.lower().endswith(".gz")
    stem, dot, suffix = (base[:-3] if packed else base).rpartition(".")
    kind = suffix.lower() if dot and stem else "jsonl"
    if kind not in _FORMATS or (packed and kind == "parquet"):
        known = ", ".join(f".{ending}" for ending in _FORMATS)
        raise ConfigurationError(
            f"-O {name}: its name says no format; give {known}, or one of them but Parquet with .gz"
        )
    return kind, packed


@contextlib.contextmanager
def exporting(
    name: str, file: BinaryIO, fields: Sequence[str], encoding: str, registry: Registry = OURS
) -> Iterator[exporters.BaseItemExporter]:
    """An exporter of documents into a file, of the format that its name asks for (`format_of`).

    Args:
        name: the file's name.
        file: the file.
        fields: all that a document may have, in order.
        encoding: that of the file.
        registry: knows the fields.

    """
    kind, packed = format_of(name)
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else contextlib.nullcontext(file) as out:
        options: dict[str, Any] = {"encoding": encoding}
        if kind in _TABLES:
            options["fields_to_export"] = list(fields)
        if kind == "parquet":
            options["registry"] = registry
        exporter = _FORMATS[kind](_Kept(out), **options)
        exporter.start_exporting()
        yield exporter
        exporter.finish_exporting()


class _Kept(io.RawIOBase):
    """A file that an exporter cannot close: who has opened it does."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._file.write(content)
        return len(content)
