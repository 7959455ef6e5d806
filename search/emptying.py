"""Takes all documents of a site out of an index."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from search.sink import Operation, Sink, SinkDown, document_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store.site import Store

REASON: Final = "retired"
"""What deletions are for, in a file of operations."""


def empty(name: str, sink: Sink, store: Store) -> int:
    """Deletes all documents of a site from a sink: those that it may hold by the store, and those it holds.

    Deletions are noted in the store batch by batch, so that another try goes on.

    Args:
        name: the name of the sink.
        sink: the sink.
        store: the site's store.

    Returns:
        The number of deleted documents.

    Raises:
        SinkDown: the sink takes nothing, or refuses a deletion.

    """
    try:
        sink.open()
        operations = list(_deletions(name, sink, store))
        size = sink.most_documents
        for start in range(0, len(operations), size):
            part = operations[start : start + size]
            refusals = sink.write(part)
            for refusal in refusals.values():
                raise SinkDown(f"does not let a document go: {refusal.reason}")
            with store.transaction():
                store.deliveries.arrived(name, (), (operation.url for operation in part))
        if (left := next(iter(sink.held()), None)) is not None:
            raise SinkDown(f"still holds {left[0]} after all was deleted; see what else writes to it")
        sink.discard()
    finally:
        sink.close()
    return len(operations)


def _deletions(name: str, sink: Sink, store: Store) -> Iterator[Operation]:
    units: Counter[str] = Counter()
    for unit, _ in sink.held():
        document, _, position = unit.partition("-")
        units[document] = max(units[document], int(position or 0) + 1)
    known = {document_id(url): url for url in store.frontier.urls()}
    for url, count in store.deliveries.held(name):
        known[document_id(url)] = url
        units[document_id(url)] = max(units[document_id(url)], count)
    for document, count in units.items():
        yield Operation(document, known.get(document, ""), None, REASON, count)
