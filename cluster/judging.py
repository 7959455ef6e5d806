"""From what sites know and their pages to documents, site by site, in the tasks of executors."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import zstandard

from cluster.facts import SiteRows, runs_of
from cluster.keys import unkeyed
from cluster.schemas import DOCUMENTS, OF_PAGE
from pagelets.block_keys import BLOCK_KEYS
from pagelets.document import Document, Origin
from pagelets.duplicates import NearDuplicates, Signature, signature
from pagelets.extraction import text_from
from pagelets.judging.facts import RecordedPage
from pagelets.judging.learning import HeldPages
from pagelets.methods import learns
from pagelets.page_bytes import from_bytes
from pagelets.patterns import host_of
from pagelets.reading import read
from pagelets.site.spill import Sources
from release.columns import as_column, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from cluster.parameters import JobParameters
    from pagelets.judging.engine import Judge
    from pagelets.methods.base import Subject

_ROWS: Final = 64
_MOMENT: Final = pa.timestamp("us", "UTC")
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_COLUMNS: Final = ("url", "status", "date", "flags", "source", "sketches", "keys", "name")


class _Page(NamedTuple):
    """A page of a site; its source is compressed, or waits under a number."""

    url: str
    number: int
    host: int
    status: int
    date: int
    flags: tuple[str, ...]
    sketches: list[int]
    keys: Any
    site: bytes
    source: Any


def judge_sites(
    batches: Iterator[pa.RecordBatch], parameters: JobParameters, begun: str
) -> Iterator[pa.RecordBatch]:
    """The documents of sites, as rows of `DOCUMENTS`.

    An error costs its page alone: the row of the page says why.

    Args:
        batches: rows of `cluster.schemas.KNOWN` in the order of sites, kinds and addresses.
        parameters: the job's parameters.
        begun: the time of its start: a page cannot have been published later.

    """
    for site, rows in _sites(batches):
        yield from _batches(_SiteJudge(site, parameters, begun).rows(rows))


def _sites(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Iterator[pa.RecordBatch]]]:
    """The rows of each site, in parts of one kind; those of a site are taken before the next one comes."""
    parts = (
        batch.slice(begin, stop - begin)
        for batch in batches
        for begin, stop in runs_of(_site_and_kind(batch))
    )
    return groupby(parts, key=lambda part: part.column("site")[0].as_py())


def _site_and_kind(batch: pa.RecordBatch) -> Any:
    sites, kinds = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("site", "kind"))
    return np.rec.fromarrays([sites, kinds])


class _SiteJudge:
    """Judges the pages of one site."""

    def __init__(self, site: int, parameters: JobParameters, begun: str) -> None:
        self._begun = begun
        self._reading = parameters.reading
        self._config = parameters.config
        self._site = site
        self._found = SiteRows(site)
        self._decompressor = zstandard.ZstdDecompressor()
        self._sources: Sources | None = None
        self._judge: Judge
        similarity = self._config.duplicates.similarity
        self._near = None if similarity is None else NearDuplicates(similarity)
        self._urls: list[str] = []

    def rows(self, parts: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        """The rows of its pages, in the order of their addresses."""
        pages = self._taken(parts)
        first = next(pages, None)
        if first is None:
            return
        found_site = self._found.found()
        judge = self._judge = found_site.judge(self._config)
        if not any(learns(judge.methods.made(name)) for name in self._config.methods):
            found_site.name(judge)
            yield self._row(first)
            yield from map(self._row, pages)
            return
        # A method that learns looks at a site before it judges it: its pages wait on the disk.
        with tempfile.TemporaryDirectory(prefix="site-") as folder:
            self._sources = Sources(folder)
            held = [self._put(first), *map(self._put, pages)]
            # Not all hosts have pages that detection counts.
            hosts = {page.host: host_of(page.url) for page in held}
            waiting = HeldPages(
                [page.url for page in held],
                [page.host for page in held],
                _places(self._found.links(), held),
                lambda place: self._subject(held[place]),
            )
            found_site.learn(judge, hosts, waiting)
            yield from map(self._row, held)
            self._sources.close()

    def _taken(self, parts: Iterator[pa.RecordBatch]) -> Iterator[_Page]:
        for part in parts:
            kind = part.column("kind")[0].as_py()
            if kind == OF_PAGE:
                yield from self._pages(part)
            else:
                self._found.add(kind, part)

    def _pages(self, part: pa.RecordBatch) -> Iterator[_Page]:
        numbers, hosts = (
            unkeyed(part.column(name).to_numpy(zero_copy_only=False), self._site).tolist()
            for name in ("key", "host")
        )
        # Row by row: the texts of a batch are many times as large as what they are compressed to.
        for row, number in enumerate(numbers):
            url, status, date, flags, source, sketches, keys, name = (
                part.column(column)[row].as_py() for column in _COLUMNS
            )
            yield _Page(
                url.decode("utf-8", "surrogatepass"),
                number,
                hosts[row],
                status,
                date,
                tuple(flags.split()),
                sketches,
                np.frombuffer(keys, BLOCK_KEYS),
                name,
                source,
            )

    def _put(self, page: _Page) -> _Page:
        assert self._sources is not None
        return page._replace(source=self._sources.put(page.source))

    def _packed(self, page: _Page) -> bytes:
        """Returns the source of a page, compressed: it may wait."""
        packed = self._sources[page.source] if self._sources and isinstance(page.source, int) else page.source
        assert isinstance(packed, bytes)
        return packed

    def _text(self, page: _Page) -> str | bytes:
        packed = self._packed(page)
        content = self._decompressor.decompress(packed[1:])
        return content.decode("utf-8", "surrogatepass") if packed[0] else content

    def _subject(self, page: _Page) -> Subject:
        known = RecordedPage(page.number, page.host, page.sketches, page.keys)
        if self._reading.layout:
            tree, html = from_bytes(self._decompressor.decompress(self._packed(page))), None
        else:
            source = self._text(page)
            reading, html = self._reading, partial(text_from, source)
            tree = read(source, page.url, reading.selectors, extraction=reading.extraction)
        return self._judge.subject(tree, known, html)

    def _row(self, page: _Page) -> dict[str, Any]:
        row: dict[str, Any] = {"site": page.site, "url": page.url.encode("utf-8", "surrogatepass")}
        placed = len(self._urls)
        try:
            document, chars, chars_kept = self._document(page)
            line = _line(document)
        except Exception as error:
            if placed == len(self._urls):
                # Others keep their places, which say whose duplicate is whose.
                self._place(None, page.url)
            return {**row, "fault": f"{type(error).__name__}: {error}"}
        return {**row, "line": line, "chars": chars, "chars_kept": chars_kept}

    def _document(self, page: _Page) -> tuple[Document, int, int]:
        judge = self._judge
        origin = Origin(page.site.decode("utf-8", "surrogatepass"), page.status, self._begun, page.flags)
        judged = judge.judge(self._subject(page), page.host, origin)
        text = judged.rendering.text
        duplicate_of = None if self._near is None else self._place(signature(text()), page.url)
        document = judged.document(judge.fields_of(page.url), duplicate_of)
        if "fetched_at" in document:
            # A crawl has read its pages when it runs; a job that is run twice is to write the same.
            document["fetched_at"] = _moment(page.date)
        counts = judged.counts()
        return document, counts["chars"], counts["chars_kept"]

    def _place(self, values: Signature | None, url: str) -> str | None:
        """The address of the first page before that has nearly the same text."""
        first = None if self._near is None else self._near.first(values)
        self._urls.append(url)
        return None if first is None else self._urls[first]


def _places(
    links: list[tuple[int, int]], held: list[_Page]
) -> Callable[[Collection[int]], Iterable[tuple[int, int]]]:
    """Returns what finds the links between pages that wait, by the pages' places."""
    numbers = {page.number: place for place, page in enumerate(held)}
    pairs = {(numbers.get(source), numbers.get(other)) for source, other in links}
    known = {(source, other) for source, other in pairs if source is not None and other is not None}
    return lambda pages: ((source, other) for source, other in known if source in pages and other in pages)


def _moment(micros: int) -> str:
    # An archive that does not say when has no other time than the first.
    return (_EPOCH + timedelta(microseconds=max(micros, 0))).isoformat(timespec="seconds")


def _line(document: Document) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError:
        # What orjson does not know, such as half a pair of surrogates.
        return json.dumps(document, ensure_ascii=True).encode()


def as_columns(batches: Iterator[pa.RecordBatch], parameters: JobParameters) -> Iterator[pa.RecordBatch]:
    """Documents as columns of their fields' types, of lines of JSON in the column ``line``."""
    # Spark takes moments in microseconds alone; it writes them as a feed has them (`cluster.session`).
    fields = schema_of(parameters.columns, parameters.config.registry)
    schema = pa.schema(
        [(field.name, _MOMENT if pa.types.is_timestamp(field.type) else field.type) for field in fields]
    )
    for batch in batches:
        lines = map(orjson.loads, batch.column("line").to_pylist())
        rows = [
            {field.name: as_column(line.get(field.name), field.type) for field in fields} for line in lines
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    while held := list(islice(rows, _ROWS)):
        yield pa.RecordBatch.from_pylist(held, schema=DOCUMENTS)
