"""From archives to records: the pages of WARC files, each with all that its site counts it by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import zstandard

from cluster.inputs import Input, local_copy
from cluster.keys import keyed, site_key
from cluster.parameters import ArchiveJobError, Reading
from cluster.schemas import ANSWER, PAGE, RECORDS, REVISIT, SKIPPED
from pagelets.archives.archive import Archive
from pagelets.archives.html import HtmlPage, html_pages
from pagelets.archives.records import ArchiveError
from pagelets.archives.spelling import normal_form
from pagelets.block_keys import BLOCK_KEYS
from pagelets.extraction import source_from
from pagelets.page_bytes import to_bytes
from pagelets.patterns import host_of
from pagelets.reading.source import flags_of
from pagelets.record import PageRecord, RecordParameters, page_record
from pagelets.sketch import Sketch, fingerprint, page_shingle
from settings.canonical import canonical_or_same, registrable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


_LEVEL: Final = 1
_ROWS: Final = 64
"""Rows that are handed on at once."""
_BYTES: Final = 8 << 20
"""And of pages so many bytes."""
_FRAGMENTS: Final = 100_000
"""Fragments of which it is remembered that they were handed on; what is forgotten is handed on again."""
_LONG_AGO: Final = -(1 << 62)
_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)


def read_archives(
    batches: Iterator[pa.RecordBatch], inputs: Sequence[Input], reading: Reading
) -> Iterator[pa.RecordBatch]:
    """Reads archives into records, as rows of `RECORDS`; an unreadable archive is a row that says so.

    Args:
        batches: rows whose column ``id`` has the numbers of the archives.
        inputs: all archives.
        reading: how their pages are read.

    """
    for batch in batches:
        for number in batch.column("id").to_pylist():
            yield from _batches(number, _archive(inputs[number], reading))


def _archive(source: Input, reading: Reading) -> Iterator[dict[str, Any]]:
    try:
        with local_copy(source.path) as here, Archive.open([here]) as archive:
            yield from _FileReader(source, reading).rows(archive)
    except ArchiveError as error:
        # It names the file, by its copy's name where there is one.
        yield _skipped(source, str(error).removeprefix(f"{source.path}: "))
    except FileNotFoundError:
        yield _skipped(source, "no such file")
    except OSError as error:
        what = " ".join(str(error).split())[:300]
        raise ArchiveJobError(
            f"{source.path}: {what}; see that executors may read it, and have room"
        ) from error


def _skipped(source: Input, reason: str, url: str = "") -> dict[str, Any]:
    return {"kind": SKIPPED, "flags": f"{source.path}: {reason}", "url": _packed(url)}


class _FileReader:
    """Makes rows of an archive's records."""

    def __init__(self, source: Input, reading: Reading) -> None:
        self._found = source
        self._reading = reading
        self._parameters = RecordParameters(
            reading.partition, selectors=reading.selectors, extraction=reading.extraction
        )
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._sites: dict[str, int] = {}
        self._sketches: dict[int, Sketch] = {}

    def rows(self, archive: Archive) -> Iterator[dict[str, Any]]:
        """A row for each record that counts, in the order of the archive."""
        for record in archive.skipped:
            yield _skipped(self._found, f"at byte {record.offset}: {record.reason}", record.url)
        reasons: list[str] = []
        places = {url: place for place, url in enumerate(archive.urls())}
        for page in html_pages(archive, reasons.append):
            try:
                row = self._page(page)
            except Exception as error:
                reasons.append(f"{page.url}: {type(error).__name__}: {error}")
                continue
            yield {**row, "place": places.pop(page.url)}
        for url, place in places.items():
            yield {**self._address(url), "kind": ANSWER, "place": place, "date": self._date(archive, url)}
        for url, revisit in archive.unchanged.items():
            refers_to = self._address(revisit.refers_to)["page"]
            date = _micros(revisit.date)
            yield {**self._address(url), "kind": REVISIT, "refers_to": refers_to, "date": date}
        for reason in reasons:
            yield _skipped(self._found, reason)

    def _date(self, archive: Archive, url: str) -> int | None:
        """Returns the date of a record that is not a page, if other archives may have the address as well."""
        if self._reading.site_by == "file":
            return None
        try:
            return _micros(archive.read(url).date)
        except ArchiveError:
            return _LONG_AGO

    def _address(self, url: str) -> dict[str, Any]:
        name = self._site(url)
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = site_key(name)
        host = host_of(url)
        page, normal, of_host = keyed(
            np.array([_print(url), _print(normal_form(url)), _print(host)]), site
        ).tolist()
        return {
            "site": site,
            "site_name": _packed(name),
            "url": _packed(url),
            "page": page,
            "normal": normal,
            "host": of_host,
            "host_name": _packed(host),
        }

    def _site(self, url: str) -> str:
        if self._reading.site_by == "file":
            return self._found.site
        host = host_of(url).rpartition("@")[2]
        return host if self._reading.site_by == "host" else registrable(_without_port(host))

    def _page(self, page: HtmlPage) -> dict[str, Any]:
        source, cut = source_from(page.body, page.content_type, page.url, self._reading.max_size)
        record = page_record(source, page.url, self._parameters)
        row = self._address(page.url)
        row |= {
            "kind": PAGE,
            "date": _micros(page.date),
            "status": page.status,
            "fingerprint": keyed(np.array([record.fingerprint]), row["site"])[0],
            "title": _packed(record.page.title or ""),
            "flags": " ".join(sorted(flags_of(source, record.page, cut=cut or page.torn))),
            "source": self._source(source, record),
            "keys": record.keys.tobytes(),
        }
        return row | self._fragments(record, row["site"])

    def _source(self, source: str | bytes, record: PageRecord) -> bytes:
        """Returns the page as it was read, or its HTML behind a byte that is 1 for text."""
        if self._reading.layout:
            return self._compressor.compress(to_bytes(record.page))
        text = isinstance(source, str)
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        return bytes([text]) + self._compressor.compress(content)

    def _fragments(self, record: PageRecord, site: int) -> dict[str, Any]:
        """The pagelets' fragments and their sketches, and what is new of them."""
        pagelets = keyed(np.array(record.fingerprints, np.int64), site)
        by_print = dict(zip(record.fingerprints, pagelets.tolist(), strict=True))
        if len(self._sketches) > _FRAGMENTS:
            self._sketches.clear()
        unknown = {print_ for print_, key in by_print.items() if key not in self._sketches}
        new = record.fragments(unknown)
        for fragment in new:
            self._sketches[by_print[fragment.fingerprint]] = fragment.sketch
        numbers = np.array([by_print[fragment.fingerprint] for fragment in new], np.int64)
        sketches = keyed(np.array([fragment.sketch.key for fragment in new], np.int64), site)
        blocks = np.concatenate([np.empty(0, BLOCK_KEYS), *(fragment.blocks for fragment in new)])
        columns = {name: keyed(blocks[name], site) for name in ("block", "tag_path", "placed")}
        columns["block"][blocks["block"] == 0] = 0
        of_page = [self._sketches[key] for key in pagelets.tolist()]
        shingle = page_shingle([sketch.values for sketch in of_page])
        return {
            "shingle": None if shingle is None else keyed(np.array([shingle]), site)[0],
            "pagelets": pagelets,
            "sketches": np.array([sketch.key for sketch in of_page], np.int64),
            "fragments": (numbers, sketches),
            "fragment_blocks": (
                np.repeat(numbers, [len(fragment.blocks) for fragment in new]),
                columns["block"],
                columns["tag_path"],
                columns["placed"],
            ),
            "fragment_links": self._links(new, numbers, site) if self._reading.links else None,
        }

    def _links(
        self, new: Sequence[Any], numbers: NDArray[np.int64], site: int
    ) -> tuple[NDArray[np.int64], ...]:
        urls = [[link.url for link in fragment.links] for fragment in new]
        every = [url for of_fragment in urls for url in of_fragment]
        forms = (every, map(normal_form, every), map(canonical_or_same, every))
        targets = (keyed(np.array([_print(url) for url in form], np.int64), site) for form in forms)
        return np.repeat(numbers, [len(of_fragment) for of_fragment in urls]), *targets


def _batches(number: int, rows: Iterable[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    """The rows of the archive of a number, in batches."""
    held: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        held.append({**row, "file": number})
        size += sum(len(row.get(name) or b"") for name in ("source", "keys"))
        if len(held) >= _ROWS or size >= _BYTES:
            yield _batch(held)
            held, size = [], 0
    if held:
        yield _batch(held)


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    columns = [_column(field, [row.get(field.name) for row in rows]) for field in RECORDS]
    return pa.RecordBatch.from_arrays(columns, schema=RECORDS)


def _column(field: pa.Field, values: list[Any]) -> pa.Array:
    if not pa.types.is_list(field.type):
        return pa.array(values, field.type)
    # As arrays, not as lists of Python's: a batch has many thousands of numbers.
    inner = field.type.value_type
    are_rows = pa.types.is_struct(inner)
    given = [() if value is None else value if are_rows else (value,) for value in values]
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(columns[0]) if columns else 0 for columns in given], out=offsets[1:])
    whole = [
        pa.array(np.concatenate([np.empty(0, np.int64), *(columns[place] for columns in given if columns)]))
        for place in range(inner.num_fields if are_rows else 1)
    ]
    items = pa.StructArray.from_arrays(whole, fields=list(inner)) if are_rows else whole[0]
    return pa.ListArray.from_arrays(offsets, items)


def _print(text: str) -> int:
    return fingerprint((text,))


def _packed(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _micros(date: datetime | None) -> int:
    return _LONG_AGO if date is None else (date - _EPOCH) // _MICROSECOND


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).strip("[]")
