"""Documents for search indexes, and the index in the data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagelets.document import content_hash
from search.query import Query
from search.sink import Operation, Place, document_id, units_of
from search.sinks.tantivy import TantivySink

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from search.query import Found
    from search.sink import Sink

SITE = "https://site.example"


def index(path: str, text: str, title: str = "", **fields: Any) -> Operation:
    """What gives an index a document."""
    url = f"{SITE}{path}"
    document: Any = {
        "url": url,
        "site": "site.example",
        "title": title,
        "text": text,
        "language": None,
        "published": None,
        "fetched_at": "2026-01-31T12:00:00+00:00",
        "content_hash": content_hash(text),
        **fields,
    }
    return Operation(document_id(url), url, document)


def delete(path: str) -> Operation:
    """What lets a document go."""
    url = f"{SITE}{path}"
    return Operation(document_id(url), url, None, "gone", 1)


def sink_of(folder: Path, **options: str) -> TantivySink:
    """A sink, not open."""
    return TantivySink(Place("site.example", folder, options, timeout=5))


def opened(folder: Path, **options: str) -> TantivySink:
    """A sink, open."""
    sink = sink_of(folder, **options)
    sink.open()
    return sink


def held(sink: Sink) -> dict[str, str]:
    """What an index holds; a unit that it holds twice is an error."""
    units = list(sink.held())
    assert len(dict(units)) == len(units)
    return dict(units)


def wanted(operations: Iterable[Operation], units: str = "documents") -> dict[str, str]:
    """What an index should hold after operations."""
    documents: dict[str, list[Any]] = {}
    for operation in operations:
        documents[operation.id] = units_of(operation, units)
    return {unit.id: unit.content_hash for of_one in documents.values() for unit in of_one}


def search(sink: Any, text: str, **filters: Any) -> Found:
    """What a query finds."""
    return sink.search(Query.parse(text, **filters))


def paths(sink: Any, text: str, **filters: Any) -> list[str]:
    """The paths of the pages that a query finds, best first."""
    return [hit.url.removeprefix(SITE) for hit in search(sink, text, **filters).hits]


def marked(hit: Any) -> str:
    """A snippet with what was found between asterisks."""
    return "".join(f"*{piece.text}*" if piece.hit else piece.text for piece in hit.snippet)
