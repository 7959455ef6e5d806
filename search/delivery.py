"""Brings a site's documents into a search index, and notes in the store what has arrived."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from search.backends import sink_names, sink_of
from search.columns import difference
from search.sink import Operation, Refusal, Sink, SinkDown, document_id, unit_count
from search.sink_calls import in_thread, inside, write
from settings.places import as_typed
from store.deliveries import UNSURE, Delivered
from store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from scrapy.settings import BaseSettings

    from pagelets.document import Document
    from pagelets.fields import FieldColumn
    from store.site import Store

    DocumentOf = Callable[[int, Sequence[str]], Document | None]

logger = logging.getLogger(__name__)

STEP: Final = "delivery"
"""The name of this step, of pages that fail in it."""
MOST_CHARACTERS: Final = 16 * 1024 * 1024
"""Of a batch, about: what `search.sink.Sink.most_documents` allows may be long."""


@dataclass(slots=True)
class Counts:
    """The counts of a delivery; ``seconds`` is the time that the sink took."""

    indexed: int = 0
    deleted: int = 0
    refused: int = 0
    batches: int = 0
    seconds: float = 0.0


class _Parcel(NamedTuple):
    """A document that waits to be sent, with its version and its size; None is a deletion."""

    document: Document | None
    version: int
    reason: str | None
    size: int


class _Sent(NamedTuple):
    """A document of a batch, with its version and the number of its units."""

    operation: Operation
    version: int
    units: int


class Delivery:
    """Brings documents into one sink of a site.

    Before a batch is sent, the store notes that the index may hold it; when the sink has committed, that it
    does: a process that is killed between the two sends it again. What is not delivered is found by comparing
    DOCUMENTS with DELIVERIES (`catch_up`). The sink works in a thread of its own; one batch is under way
    while another is gathered. A sink that is down gets nothing more until `catch_up` tries it once again.

    ``new_store`` is True if nothing of the store went out before. ``down`` is the reason why the sink takes
    nothing, None if it works. Methods raise StoreUnusable if the store takes nothing.
    """

    def __init__(self, name: str, sink: Sink, store: Store, *, new_store: bool) -> None:
        self.name = name
        self.sink = sink
        self.counts = Counts()
        self.down: str | None = None
        self._store = store
        self._new_store = new_store
        self._gathered: dict[str, _Parcel] = {}
        self._size = 0
        self._sending: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._opened = self._rebuilds = False
        # One that is refused is tried once more at the end, and counts once.
        self._refused: set[str] = set()

    async def take(self, url: str, document: Document | None, reason: str | None = None) -> None:
        """Sends the ``document`` of a ``url`` that went out, or lets it go for a ``reason``; waits while too
        much is under way.
        """
        async with self._one_at_a_time:
            if self.down is None and await self._open() and not self._rebuilds:
                await self._gather(url, document, reason)

    async def flush(self) -> None:
        """Sends what is gathered, and waits until it has arrived."""
        async with self._one_at_a_time:
            await self._flush()

    async def catch_up(self, document_of: DocumentOf) -> None:
        """Sends all that is not delivered, from the store; an index that is a new one is filled.

        Takes what gives a page's released Document with some fields, None where the store cannot tell it.
        """
        async with self._one_at_a_time:
            await self._flush()
            if await self._open():
                await (self._rebuild if self._rebuilds else self._send_rest)(document_of)

    async def rebuild(self, document_of: DocumentOf) -> None:
        """Fills a new index, which takes the old one's place when it is whole; takes what `catch_up` does."""
        async with self._one_at_a_time:
            if await self._open():
                await self._rebuild(document_of)

    async def close(self) -> None:
        """Closes the sink; what is gathered and was not sent is not delivered. Raises nothing."""
        self._drop()
        for last in (self._settled(), in_thread(self.sink.close)):
            try:
                await last
            except (SinkDown, StoreError) as error:
                logger.warning("Sink %s: %s", self.name, error)

    def waiting(self) -> int:
        """The number of documents that the index lacks, or should have let go."""
        return self._store.deliveries.counts(self.name)[1]

    async def _open(self) -> bool:
        """Opens the sink, once, and finds out whether its index is the one that the store speaks of."""
        if self._opened:
            return True
        self.down = None
        deliveries = self._store.deliveries
        try:
            identity = await in_thread(self.sink.open)
            if identity != deliveries.identity(self.name):
                # An index that was lost is filled at once, or searches would find half of the site meanwhile.
                self._rebuilds = not self._new_store or await in_thread(_holds_any, self.sink)
                if not self._rebuilds:
                    with self._store.transaction():
                        deliveries.begin_index(self.name, identity)
        except SinkDown as error:
            self._gone(error)
        else:
            self._opened = True
        return self._opened

    def _gone(self, error: SinkDown) -> None:
        self.down = str(error)
        self._opened = False
        self._drop()
        logger.error(
            "Sink %s: %s; what is not delivered is kept: the next crawl sends it, or %s",
            self.name,
            as_typed(str(error)),
            as_typed(f"scrapy redeliver {self.sink.place.site}"),
        )

    async def _gather(self, url: str, document: Document | None, reason: str | None) -> None:
        version = UNSURE if document is None else self._store.deliveries.version(url)
        if version is None:
            return
        if self._add(url, document, version, reason):
            await self._send()

    def _add(self, url: str, document: Document | None, version: int, reason: str | None = None) -> bool:
        """Gathers a document; returns whether that makes a batch."""
        # A batch holds no document twice: the last of its versions counts.
        before = self._gathered.pop(url, None)
        self._gathered[url] = parcel = _Parcel(document, version, reason, _size(document))
        self._size += parcel.size - (0 if before is None else before.size)
        return len(self._gathered) >= self.sink.most_documents or self._size >= MOST_CHARACTERS

    def _drop(self) -> dict[str, _Parcel]:
        """Empties what is gathered, and returns it."""
        gathered, self._gathered, self._size = self._gathered, {}, 0
        return gathered

    async def _flush(self) -> None:
        await self._send()
        await self._settled()

    async def _settled(self) -> None:
        sending, self._sending = self._sending, None
        if sending is not None:
            await sending

    async def _send(self) -> None:
        await self._settled()
        if self._gathered:
            batch = self._batch()
            with self._store.transaction():
                sent = ((operation.url, units) for operation, _, units in batch)
                self._store.deliveries.begin(self.name, sent)
            self._sending = asyncio.ensure_future(self._deliver(batch))

    def _batch(self) -> list[_Sent]:
        batch = []
        for url, (document, version, reason, _) in self._drop().items():
            before = self._store.deliveries.units(self.name, url)
            operation = Operation(document_id(url), url, document, reason, before)
            batch.append(_Sent(operation, version, unit_count(document, self.sink.units)))
        return batch

    async def _deliver(self, batch: Sequence[_Sent]) -> None:
        try:
            refusals = await self._write(batch)
        except SinkDown as error:
            self._gone(error)
            return
        held, gone, refused = self._parted(batch, refusals)
        with self._store.transaction():
            self._store.deliveries.arrived(self.name, held, gone)
            for url, version, reason in refused:
                self._store.deliveries.refuse(self.name, url, version, reason)
        self.counts.indexed += len(held)
        self.counts.deleted += len(gone)

    async def _write(self, batch: Sequence[_Sent]) -> Mapping[str, Refusal]:
        started = time.monotonic()
        try:
            return await write(self.sink, [sent.operation for sent in batch])
        finally:
            self.counts.seconds += time.monotonic() - started
            self.counts.batches += 1

    def _parted(
        self, batch: Sequence[_Sent], refusals: Mapping[str, Refusal]
    ) -> tuple[list[Delivered], list[str], list[tuple[str, int, str]]]:
        """Parts a batch: the documents that the index has taken, the URLs of those that it has let go, and
        URL, version and reason of those that it has finally refused. Reports all refusals.
        """
        held: list[Delivered] = []
        gone: list[str] = []
        refused: list[tuple[str, int, str]] = []
        for operation, version, units in batch:
            self._refused.discard(operation.url)
            if (refusal := refusals.get(operation.id)) is not None:
                self._refused.add(operation.url)
                logger.error("Sink %s does not take %s: %s", self.name, operation.url, refusal.reason)
                if refusal.lasting:
                    refused.append((operation.url, version, refusal.reason))
            elif operation.document is None:
                gone.append(operation.url)
            else:
                held.append(Delivered(operation.url, version, units))
        self.counts.refused = len(self._refused)
        return held, gone, refused

    async def _send_rest(self, document_of: DocumentOf) -> None:
        deliveries = self._store.deliveries
        for obsolete in deliveries.obsolete(self.name):
            if not self._opened:
                return
            await self._gather(obsolete.url, None, obsolete.reason)
        for pending in deliveries.waiting(self.name):
            if not self._opened:
                return
            document = self._document(pending.url, pending.page, document_of)
            # Between two documents others get their turn: a batch is made of hundreds.
            await asyncio.sleep(0)
            if document is not None:
                await self._gather(pending.url, document, None)
        await self._flush()

    def _document(self, url: str, page: int, document_of: DocumentOf) -> Document | None:
        document = None
        with self._store.border(page, STEP) as faults:
            document = document_of(page, self.sink.fields)
        if document is None and not faults:
            logger.warning(
                "Sink %s: %s has changed since it went out: the next crawl sends it", self.name, url
            )
        return document

    async def _rebuild(self, document_of: DocumentOf) -> None:
        """Fills a new index; the store notes its documents when it has taken the old one's place."""
        deliveries, count = self._store.deliveries, 0
        there = self.sink.columns_there()
        if changed := "" if there is None else difference(there, self.sink.place.columns):
            logger.warning(
                "Sink %s: other fields (%s): a new index is filled with %d documents; the old one serves "
                "until that is whole",
                self.name,
                changed,
                self._store.documents.count(),
            )
        deliveries.begin_rebuild()
        try:
            async with inside(self.sink.rebuild()):
                async for batch in self._whole_site(document_of):
                    refusals = await self._write(batch)
                    _all_last(refusals)
                    held, _, refused = self._parted(batch, refusals)
                    with self._store.transaction():
                        deliveries.rebuilt(held, refused)
                    count += len(held)
            identity = await in_thread(self.sink.open)
        except SinkDown as error:
            self._gone(error)
            return
        with self._store.transaction():
            deliveries.end_rebuild(self.name, identity)
        self.counts.indexed += count
        self._rebuilds = False

    async def _whole_site(self, document_of: DocumentOf) -> AsyncIterator[list[_Sent]]:
        for wanted in self._store.deliveries.wanted(self.name):
            document = self._document(wanted.url, wanted.page, document_of)
            await asyncio.sleep(0)
            if document is not None and self._add(wanted.url, document, wanted.version):
                yield self._batch()
        if self._gathered:
            yield self._batch()


def deliveries_of(
    site: str, store: Store, settings: BaseSettings, columns: Iterable[FieldColumn]
) -> list[Delivery]:
    """Returns a delivery into each sink that the settings ask for. Raises as `sink_of`.

    Args:
        site: the name of the site.
        store: the site's store.
        settings: those of the project, which hold the site file's.
        columns: the fields that Documents have beside ours.

    """
    columns, new_store = tuple(columns), not store.documents.any()
    sinks = {name: sink_of(name, site, settings, columns) for name in sink_names(settings)}
    return [Delivery(name, sink, store, new_store=new_store) for name, sink in sinks.items()]


def _size(document: Document | None) -> int:
    """About how many characters a document has."""
    if document is None:
        return 0
    texts = sum(len(value) for value in document.values() if isinstance(value, str))
    texts += sum(map(len, document.get("passages") or ()))
    return texts + sum(len(section["text"]) for section in document.get("sections") or ())


def _all_last(refusals: Mapping[str, Refusal]) -> None:
    """Raises SinkDown where an index has had too much to do: it is not to be filled in part."""
    for refusal in refusals.values():
        if not refusal.lasting:
            raise SinkDown(refusal.reason)


def _holds_any(sink: Sink) -> bool:
    return next(iter(sink.held()), None) is not None
