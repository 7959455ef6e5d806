"""The interface of search indexes. `search/sinks/` has the backends, one file each.

A sink takes *operations*, one for each document that is new, has changed or is no more, and keeps the
*units* of the documents: these themselves, their sections, or them and their pagelets. Operations may come
twice (delivery is at least once) and leave the index as coming once does: ids are made of the URL alone.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, cast

from settings.errors import WrongSetting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pagelets.document import Document
    from pagelets.fields import FieldColumn
    from settings.types import SinkTable

PAGELETS: Final = "pagelets"
"""The name of the units that are documents and the passages of their pagelets."""
_OF_A_DOCUMENT: Final = ("url", "title", "text")
_OF_ITS_INDEX: Final = ("language", "author", "published", "canonical_url", "fetched_at", "content_hash")


class SinkDown(Exception):
    """Raised where an index cannot be reached or takes nothing now: connection refused, timeout, disk full.

    The text is one line that names the place and the mend. What was to be written is kept for another try.
    """


@dataclass(slots=True, frozen=True)
class Place:
    """The place and the options of a site's index: ``folder`` is for indexes that are files (it may not exist
    yet), ``options`` are the sink's own, checked, ``timeout`` is in seconds. Documents have the fields of
    ``columns`` beside ours.
    """

    site: str
    folder: Path
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    timeout: float = 30.0
    columns: tuple[FieldColumn, ...] = ()


@dataclass(slots=True, frozen=True)
class Operation:
    """An operation of an index on one document: take it in place of its earlier version, or let it go.

    ``id`` is `document_id` of the URL; ``document`` None lets it go, for ``reason``. ``units_before`` is how
    many units the index may hold of it: none of them beyond those of the document may stay.
    """

    id: str
    url: str
    document: Document | None
    reason: str | None = None
    units_before: int = 0


@dataclass(slots=True, frozen=True)
class Unit:
    """One entry of an index: a document, a section of one with the path of its headings, or a passage of its
    pagelets, whose title and fields stand with the document alone.

    ``id`` is `unit_id` of the document and the position; ``fields`` are the site's own.
    """

    id: str
    document: str
    position: int
    url: str
    site: str
    title: str
    headings: tuple[str, ...]
    text: str
    language: str | None
    author: str | None
    published: str | None
    canonical_url: str | None
    fetched_at: str
    content_hash: str
    fields: Mapping[str, Any] = field(default_factory=dict)


class Refusal(NamedTuple):
    """The reason why an index has not taken an operation. ``lasting`` if the document itself is at fault, so
    that another try is of no use until it changes; else the index has too much to do.
    """

    reason: str
    lasting: bool = True


class Sink(ABC):
    """A search index of one site's documents. Made by `search.backends`; used by one thread at a
    time, not always the same.

    A sink of a project's own is named in the setting ``SINK_BACKENDS``.
    """

    table: ClassVar[type[SinkTable] | None] = None
    """The table of a site file for a sink of somebody else; ours are in `settings.tables`."""
    options: ClassVar[Mapping[str, Any]] = {}
    """The options' defaults, beside ``units``."""
    most_documents: ClassVar[int] = 1000
    """Of a batch: a slow server has to take it in time."""

    def __init__(self, place: Place) -> None:
        """Keeps the place; connects to nothing. Raises WrongSetting for a wrong option, such as a missing
        environment variable, ConfigurationError for options that do not fit each other.
        """
        self.place = place
        self.given: dict[str, Any] = {**type(self).options, **place.options}

    @property
    def units(self) -> str:
        """The indexed units of a document: ``documents``, itself; ``sections``; or ``pagelets``, itself and
        the passages of its pagelets.
        """
        return str(self.given.get("units", "documents"))

    @property
    def fields(self) -> tuple[str, ...]:
        """The Document fields that the sink needs."""
        added = (column.name for column in self.place.columns)
        if self.units == "sections":
            return ("url", "site", "title", "sections", *_OF_ITS_INDEX, *added)
        passages = ("passages",) if self.units == PAGELETS else ()
        return ("site", *_OF_A_DOCUMENT, *passages, *_OF_ITS_INDEX, *added)

    @property
    def mend(self) -> str:
        """The way to an index, for messages to those who search one that is missing."""
        return f"scrapy index {self.place.site} --rebuild makes one, and so does a crawl"

    @abstractmethod
    def open(self) -> str:
        """Connects, and makes a missing index.

        Returns a name that the index had since it was made, and that no other has: with another name than
        before, the index is a new one and holds nothing. All that makes entries differ (units, tokenizer,
        fields) is part of the name. Raises SinkDown.
        """

    @abstractmethod
    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Takes a batch, which holds no document twice; when it returns, all of it is durable and found by
        searches, but what is returned: why by the operation's id. Raises SinkDown; then any part of the
        batch may have been written.
        """

    @abstractmethod
    def rebuild(self) -> AbstractContextManager[None]:
        """Inside, `write` fills an index that takes the place of this site's at the end, all at once:
        searches find the old one until then, and still do if the inside raises. Call `open` before, and
        after for the name of the new one.
        """

    @abstractmethod
    def held(self) -> Iterator[tuple[str, str]]:
        """The (unit id, content hash) of each unit that the index holds of the site, in any order. Raises
        SinkDown.
        """

    def columns_there(self) -> tuple[FieldColumn, ...] | None:
        """The columns that the index has of `Place.columns`, since it was made: others make a rebuild. None
        where the sink does not tell. Call `open` before.
        """
        return None

    def discard(self) -> None:  # noqa: B027 - most indexes hold other sites as well, or are read by others
        """Removes what is the index's alone, once it holds no document and is never to hold one again."""

    def close(self) -> None:  # noqa: B027 - not every index has something to close
        """Lets go of connections and files. Safe to call twice, and without `open`."""


def document_id(url: str) -> str:
    """The id of a URL's document in every index: 32 hexadecimal digits."""
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def unit_id(document: str, units: str, position: int) -> str:
    """Returns the id of the unit at a ``position`` of a ``document``, in an index of ``units``: the
    document's own if the unit is the document itself, which is the first one of ``pagelets``; else with ``-``
    and the position behind it.
    """
    itself = units == "documents" or (units == PAGELETS and position == 0)
    return document if itself else f"{document}-{position}"


def unit_ids(document: str, units: str, count: int) -> list[str]:
    """Returns the ids of ``count`` units of a ``document``, in an index of ``units``."""
    count = min(count, 1) if units == "documents" else count
    return [unit_id(document, units, position) for position in range(count)]


def unit_count(document: Document | None, units: str) -> int:
    """Counts the units of a document."""
    if document is None or units == "documents":
        return int(document is not None)
    if units == PAGELETS:
        return 1 + len(document.get("passages") or ())
    return len(document.get("sections") or ()) or 1


def units_of(operation: Operation, units: str, columns: Iterable[FieldColumn] = ()) -> list[Unit]:
    """Returns the units of an operation's document with these columns, no unit for a deletion.

    A document without sections is one section; lone surrogates, which no index takes, become U+FFFD.
    """
    document = operation.document
    if document is None:
        return []
    if units != "sections":
        passages = document.get("passages") or () if units == PAGELETS else ()
        parts: list[tuple[tuple[str, ...], str]] = [
            ((), text) for text in (document.get("text", ""), *passages)
        ]
    else:
        sections = document.get("sections") or [{"heading": [], "text": ""}]
        parts = [(tuple(map(clean, section["heading"])), section["text"]) for section in sections]
    ids = unit_ids(operation.id, units, len(parts))
    title = clean(document.get("title") or "")
    fields = {column.name: cast("Mapping[str, Any]", document).get(column.name) for column in columns}
    return [
        Unit(
            id=unit,
            document=operation.id,
            position=position,
            url=clean(operation.url),
            site=document.get("site", ""),
            # A page says its title once, and may have many pagelets.
            title="" if units == PAGELETS and position else title,
            headings=headings,
            text=clean(text),
            language=document.get("language"),
            author=_optional(document.get("author")),
            published=_optional(document.get("published")),
            canonical_url=_optional(document.get("canonical_url")),
            fetched_at=document.get("fetched_at", ""),
            content_hash=document.get("content_hash", ""),
            fields={} if units == PAGELETS and position else fields,
        )
        for position, (unit, (headings, text)) in enumerate(zip(ids, parts, strict=True))
    ]


def stale_ids(operation: Operation, units: str) -> list[str]:
    """The ids of units that the index may hold of the document, and that it has no more."""
    before = unit_ids(operation.id, units, operation.units_before)
    return before[unit_count(operation.document, units) :]


def clean(text: str) -> str:
    """A text without lone surrogates, which no index takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _optional(text: str | None) -> str | None:
    return None if text is None else clean(text)


def resolved(secret: object, setting: str) -> str:
    """The text of a secret of a setting (``FILES.seal``), which is a text itself or ``{"env": "VARIABLE"}``.

    Raises WrongSetting where the variable is not set; no message tells a secret.
    """
    if not isinstance(secret, dict):
        return str(secret)
    variable = secret["env"]
    if variable not in os.environ:
        raise WrongSetting(setting, f"the environment variable {variable} is not set; set it first")
    return os.environ[variable]
