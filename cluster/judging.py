"""From what sites know and their pages to documents, site by site, in the tasks of executors."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import zstandard

from cluster.keys import unkeyed
from cluster.known import KnownSite, runs_of
from cluster.records import host_of
from cluster.schemas import DOCUMENTS, OF_PAGE
from pagelets.block_keys import BLOCK_KEYS
from pagelets.document import Origin, judge, make
from pagelets.duplicates import NearDuplicates, signature
from pagelets.extensions import extend
from pagelets.extraction import text_from
from pagelets.methods import factory, learns, version_of
from pagelets.methods.base import Subject
from pagelets.overrides import overrides_of
from pagelets.page_bytes import from_bytes
from pagelets.reading import read
from pagelets.render import Rendering
from pagelets.site.naming import learned_name
from pagelets.site.spill import Sources
from pagelets.site.view import HostView
from release.columns import as_column, schema_of
from settings.overrides import Overrides

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from cluster.parameters import Judging
    from pagelets.document import Document
    from pagelets.duplicates import Signature
    from pagelets.methods.base import Method, SiteMethod
    from pagelets.site.known import SiteEvidence

_ROWS: Final = 64
_MOMENT: Final = pa.timestamp("us", "UTC")
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_COLUMNS: Final = ("url", "key", "host", "status", "date", "flags", "source", "sketches", "keys", "name")


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


def judge_sites(batches: Iterator[pa.RecordBatch], judging: Judging, begun: str) -> Iterator[pa.RecordBatch]:
    """The documents of sites, as rows of `DOCUMENTS`.

    Takes rows of `cluster.schemas.KNOWN` in the order of sites, kinds and addresses, and when the job was
    begun: a page cannot have been published later. What makes a page fail costs it alone: its row says why.
    """
    extend(judging.reading.extensions)
    methods = _Methods(judging)
    for site, rows in _sites(batches):
        yield from _batches(_SiteJudge(site, judging, methods, begun).rows(rows))


def _sites(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Iterator[pa.RecordBatch]]]:
    """The rows of each site, in parts of one kind; those of a site are taken before the next one comes."""
    parts = (
        batch.slice(begin, stop - begin)
        for batch in batches
        for begin, stop in runs_of(_site_and_kind(batch))
    )
    waiting = next(parts, None)

    def of(site: int) -> Iterator[pa.RecordBatch]:
        nonlocal waiting
        while waiting is not None and waiting.column("site")[0].as_py() == site:
            part, waiting = waiting, None
            yield part
            waiting = next(parts, None)

    while waiting is not None:
        site = waiting.column("site")[0].as_py()
        yield site, of(site)


def _site_and_kind(batch: pa.RecordBatch) -> Any:
    sites, kinds = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("site", "kind"))
    return np.rec.fromarrays([sites, kinds])


class _Methods:
    """The methods in force, by name."""

    def __init__(self, judging: Judging) -> None:
        self._values_of = Overrides(judging.overrides).of
        self._default = judging.method
        self.fields = judging.fields
        others = (one["method"] for one in judging.overrides if "method" in one)
        self.names = list(dict.fromkeys([judging.method, *others]))
        self.alone: dict[str, Method] = {}
        self.learning: dict[str, SiteMethod] = {}
        for name in self.names:
            method = factory(name)()
            method.check()
            if learns(method):
                self.learning[name] = method
            else:
                self.alone[name] = method

    def named(self, url: str) -> str:
        """The name of the method that judges the page at an address."""
        return str(self._values_of(url).get("method", self._default))

    def fields_of(self, url: str) -> Collection[str]:
        """The fields of its Document."""
        found: Collection[str] = self._values_of(url).get("fields", self.fields)
        return found


class _SiteJudge:
    """Judges the pages of one site."""

    def __init__(self, site: int, judging: Judging, methods: _Methods, begun: str) -> None:
        self._judging = judging
        self._begun = begun
        self._reading = judging.reading
        self._methods = methods
        self._site = site
        self._known = KnownSite(site, judging)
        self._learned: dict[tuple[str, int], Method] = {}
        self._decompressor = zstandard.ZstdDecompressor()
        self._sources: Sources | None = None
        self._evidence: SiteEvidence | None = None
        self._near = None if judging.similarity is None else NearDuplicates(judging.similarity)
        self._urls: list[str] = []

    def rows(self, parts: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        """The rows of its pages, in the order of their addresses."""
        pages = self._taken(parts)
        first = next(pages, None)
        if first is None:
            return
        self._evidence = self._known.evidence()
        if not self._methods.learning:
            self._evidence.version = self._known.version(b"")
            yield self._row(first)
            yield from map(self._row, pages)
            return
        # A method that learns looks at a site before it judges it: its pages wait on the disk.
        with tempfile.TemporaryDirectory(prefix="site-") as folder:
            self._sources = Sources(folder)
            held = [self._put(first), *map(self._put, pages)]
            self._learn(held)
            yield from map(self._row, held)
            self._sources.close()

    def _taken(self, parts: Iterator[pa.RecordBatch]) -> Iterator[_Page]:
        for part in parts:
            kind = part.column("kind")[0].as_py()
            if kind == OF_PAGE:
                yield from self._pages(part)
            else:
                self._known.add(kind, part)

    def _pages(self, part: pa.RecordBatch) -> Iterator[_Page]:
        numbers, hosts = (
            unkeyed(part.column(name).to_numpy(zero_copy_only=False), self._site).tolist()
            for name in ("key", "host")
        )
        # Row by row: the texts of a batch are many times as large as what they are compressed to.
        for row, number in enumerate(numbers):
            url, _, _, status, date, flags, source, sketches, keys, name = (
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
        return page._replace(source=self._sources.append(self._text(page)))

    def _text(self, page: _Page) -> str | bytes:
        if isinstance(page.source, int):
            assert self._sources is not None
            return self._sources[page.source]
        content = self._decompressor.decompress(page.source[1:])
        return content.decode("utf-8", "surrogatepass") if page.source[0] else content

    def _learn(self, held: list[_Page]) -> None:
        # Not all hosts have pages that detection counts.
        names = {page.host: host_of(page.url) for page in held}
        view = _Pages(held, self._known.links())
        models: list[tuple[str, str, str, bytes]] = []
        hosts = sorted(names, key=names.__getitem__)
        for name, method in self._methods.learning.items():
            for host in hosts:
                model = method.learn(HostView(view, host, lambda number: self._subject(held[number])))
                models.append((name, names[host], version_of(name), model))
                self._learned[name, host] = method.learned(model)
        assert self._evidence is not None
        self._evidence.version = self._known.version(learned_name(sorted(models, key=lambda one: one[:2])))

    def _subject(self, page: _Page) -> Subject:
        assert self._evidence is not None
        known = self._evidence.of(page.number, page.host, page.sketches, page.keys)
        if self._reading.layout:
            tree, html = from_bytes(self._decompressor.decompress(page.source)), None
        else:
            source = self._text(page)
            tree, html = read(source, page.url, self._reading.selectors), partial(text_from, source)
        return Subject(tree, self._reading.partition(tree), known, html)

    def _row(self, page: _Page) -> dict[str, Any]:
        row: dict[str, Any] = {"site": page.site, "url": page.url.encode("utf-8", "surrogatepass")}
        placed = len(self._urls)
        try:
            document, chars, chars_kept = self._document(page)
            line = _line(document)
        except Exception as error:
            if placed == len(self._urls):
                # Others keep their places: who stands for whom goes by them.
                self._place(None, page.url)
            return {**row, "fault": f"{type(error).__name__}: {error}"}
        return {**row, "line": line, "chars": chars, "chars_kept": chars_kept}

    def _document(self, page: _Page) -> tuple[Document, int, int]:
        subject = self._subject(page)
        evidence = subject.evidence
        assert evidence is not None
        name = self._methods.named(page.url)
        method = self._methods.alone.get(name) or self._learned[name, page.host]
        overrides = overrides_of(subject.page, subject.pagelets, evidence, nosnippet=self._judging.nosnippet)
        kept = judge(subject, method, overrides)
        rendering = Rendering(subject.page, kept.mask)
        name_of_site = page.site.decode("utf-8", "surrogatepass")
        origin = Origin(name_of_site, page.status, self._begun, page.flags)
        fields = self._methods.fields_of(page.url)
        duplicate_of = None if self._near is None else self._place(signature(rendering.text()), page.url)
        document = make(
            subject.page, subject.pagelets, evidence, kept, origin, fields, rendering, duplicate_of
        )
        if "fetched_at" in document:
            # A crawl has read its pages when it runs; a job that is run twice is to write the same.
            document["fetched_at"] = _moment(page.date)
        sizes = [len(block.text) for block in subject.page.blocks]
        return document, sum(sizes), sum(size for size, keep in zip(sizes, kept.mask, strict=True) if keep)

    def _place(self, values: Signature | None, url: str) -> str | None:
        """The address of the first page before that has nearly the same text."""
        first = None if self._near is None else self._near.first(values)
        self._urls.append(url)
        return None if first is None else self._urls[first]


class _Pages:
    """The pages of a site that waits, as `pagelets.site.view.HostView` reads them."""

    def __init__(self, held: list[_Page], links: list[tuple[int, int]]) -> None:
        self._held = held
        numbers = {page.number: place for place, page in enumerate(held)}
        known = ((numbers.get(one), numbers.get(other)) for one, other in links)
        self._links = [(one, other) for one, other in known if one is not None and other is not None]

    @property
    def urls(self) -> list[str]:
        """The address of each page."""
        return [page.url for page in self._held]

    def pages_of(self, host: int) -> list[int]:
        """The places of a host's pages."""
        return [place for place, page in enumerate(self._held) if page.host == host]

    def links_between(self, pages: Collection[int]) -> set[tuple[int, int]]:
        """The links that lead from one of some pages to one of them, each once."""
        return {(one, other) for one, other in self._links if one in pages and other in pages}


def _moment(micros: int) -> str:
    # An archive that does not say when has no other time than the first.
    return (_EPOCH + timedelta(microseconds=max(micros, 0))).isoformat(timespec="seconds")


def _line(document: Document) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError:
        # What orjson does not know, such as half a pair of surrogates.
        text = json.dumps(document, ensure_ascii=True)
        return text.encode()


def as_columns(batches: Iterator[pa.RecordBatch], judging: Judging) -> Iterator[pa.RecordBatch]:
    """Documents as columns of their fields' types, of lines of JSON in the column ``line``."""
    extend(judging.reading.extensions)
    # Spark takes moments in microseconds alone; it writes them as a feed has them (`cluster.session`).
    own = schema_of(judging.columns)
    schema = pa.schema([(one.name, _MOMENT if pa.types.is_timestamp(one.type) else one.type) for one in own])
    for batch in batches:
        lines = map(orjson.loads, batch.column("line").to_pylist())
        rows = [{name: as_column(name, line.get(name)) for name in judging.columns} for line in lines]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    while held := list(islice(rows, _ROWS)):
        yield pa.RecordBatch.from_pylist(held, schema=DOCUMENTS)
