"""The documents of a site in each search index: the tables SINKS, DELIVERIES and DEAD_LETTERS.

DOCUMENTS has the documents that an index should hold, DELIVERIES those that it does hold. Their difference
has to be delivered, whatever happened between: nothing else is noted of a delivery.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from store.runs import now
from store.table import Table

UNSURE: Final = 0
"""The version of what was sent, and was not heard to have arrived."""

_WANTED: Final = "op = 'index' AND NOT kept_back AND documents.run != 0"
"""Documents that are to be in every index: they went out, and no pipeline has dropped or refused them."""

_UNWANTED: Final = "(documents.page IS NULL OR op = 'delete' OR kept_back)"

_LACKING: Final = (
    "pages CROSS JOIN documents USING (page) "
    "LEFT JOIN deliveries ON deliveries.sink = ?1 AND deliveries.url = pages.url "
    f"WHERE {_WANTED} AND deliveries.version IS NOT documents.version"
)
"""Documents that an index lacks, in order of the pages' URLs if asked for."""

_TOO_MANY: Final = (
    f"deliveries LEFT JOIN pages USING (url) LEFT JOIN documents USING (page) WHERE sink = ?1 AND {_UNWANTED}"
)
"""Documents that an index may hold and should not."""

_PART: Final = 1000
"""Rows that are read at once."""

_DISCARDED: Final = (
    "EXISTS (SELECT 1 FROM dead_letters AS letters WHERE letters.sink = ?1 AND letters.url = pages.url "
    "AND letters.version = documents.version AND discarded)"
)


class Waiting(NamedTuple):
    """A document that an index lacks, or has in another version."""

    url: str
    page: int
    version: int


class Obsolete(NamedTuple):
    """A document that an index may hold, and should not."""

    url: str
    reason: str


class Delivered(NamedTuple):
    """A document that an index has taken, and in how many units."""

    url: str
    version: int
    units: int


class DeadLetter(NamedTuple):
    """A document, or with version 0 a deletion, that an index has refused."""

    sink: str
    url: str
    version: int
    reason: str
    refused_at: str
    attempts: int
    discarded: int


class Deliveries(Table):
    """Reads and writes what sinks hold, by their names; writes belong to the caller's transaction."""

    def identity(self, sink: str) -> str:
        """Returns the identity of the index of the deliveries, empty before any delivery."""
        return self._first(str, "SELECT identity FROM sinks WHERE name = ?", sink) or ""

    def begin_index(self, sink: str, identity: str, held: Iterable[Delivered] = ()) -> None:
        """Notes that a ``sink`` has a new index with an ``identity``, and the documents ``held`` by it."""
        self._execute(
            "INSERT INTO sinks (name, identity) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET identity = excluded.identity",
            (sink, identity),
        )
        number = self._id(sink)
        self._execute("DELETE FROM deliveries WHERE sink = ?", (number,))
        self._execute("DELETE FROM dead_letters WHERE sink = ? AND NOT discarded", (number,))
        self._executemany("INSERT INTO deliveries VALUES (?, ?, ?, ?)", ((number, *row) for row in held))

    def begin_rebuild(self) -> None:
        """Forgets what another index was given that did not take the old one's place."""
        self._execute("DROP TABLE IF EXISTS temp.rebuilt")
        columns = "url TEXT NOT NULL, version INTEGER NOT NULL, units INTEGER NOT NULL, refused TEXT"
        self._execute(f"CREATE TEMP TABLE rebuilt ({columns})")

    def rebuilt(self, taken: Iterable[Delivered], refused: Iterable[tuple[str, int, str]]) -> None:
        """Notes for `end_rebuild` which documents a new index has taken, and the URL, version and reason of
        each that it has finally refused.
        """
        self._executemany("INSERT INTO temp.rebuilt VALUES (?, ?, ?, NULL)", taken)
        self._executemany("INSERT INTO temp.rebuilt VALUES (?, ?, 0, ?)", refused)

    def end_rebuild(self, sink: str, identity: str) -> None:
        """Notes that the new index has taken the old one's place, with what it holds and has refused."""
        taken = self._execute("SELECT url, version, units FROM temp.rebuilt WHERE refused IS NULL")
        self.begin_index(sink, identity, (Delivered(*row) for row in taken))
        for row in self._execute("SELECT url, version, refused FROM temp.rebuilt WHERE refused IS NOT NULL"):
            self.refuse(sink, *row)
        self._execute("DROP TABLE temp.rebuilt")

    def units(self, sink: str, url: str) -> int:
        """Returns the number of units of a document that an index may hold."""
        select = "SELECT units FROM deliveries WHERE sink = ? AND url = ?"
        return self._first(int, select, self._id(sink), url) or 0

    def held(self, sink: str) -> Iterator[tuple[str, int]]:
        """URL and number of units of each document that an index may hold."""
        select = "SELECT url, units FROM deliveries WHERE sink = ?1"
        return self._in_parts(select, "url", sink)

    def most_units(self, sink: str) -> Iterator[tuple[str, int]]:
        """URL of each document that an index should hold, and how many units it has at most: a unit has a
        block of its own, but for one.
        """
        blocks = "coalesce(reasons ->> '$.blocks', 0)"
        select = f"SELECT url, {blocks} + 1 FROM pages CROSS JOIN documents USING (page) WHERE {_WANTED}"
        return self._in_parts(select, "url", sink)

    def begin(self, sink: str, sent: Iterable[tuple[str, int]]) -> None:
        """Notes that documents are about to be sent, with their numbers of units: from now on the index may
        hold them.
        """
        number = self._id(sink)
        self._executemany(
            "INSERT INTO deliveries VALUES (?, ?, 0, ?) ON CONFLICT (sink, url) "
            "DO UPDATE SET version = 0, units = max(units, excluded.units)",
            ((number, *row) for row in sent),
        )

    def arrived(self, sink: str, taken: Iterable[Delivered], gone: Iterable[str]) -> None:
        """Notes the documents that the index of a ``sink`` has ``taken``, and those ``gone`` from it."""
        number = self._id(sink)
        taken, gone = list(taken), list(gone)
        self._executemany(
            "INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?)", ((number, *row) for row in taken)
        )
        self._executemany(
            "DELETE FROM deliveries WHERE sink = ? AND url = ?", ((number, url) for url in gone)
        )
        self._executemany(
            "DELETE FROM dead_letters WHERE sink = ? AND url = ?",
            ((number, url) for url in [*gone, *(row.url for row in taken)]),
        )

    def refuse(self, sink: str, url: str, version: int, reason: str) -> None:
        """Notes that the index of a ``sink`` has refused a ``version`` of the document of a ``url``, or to
        let it go (version 0), for a ``reason``.
        """
        self._execute(
            "INSERT INTO dead_letters (sink, url, version, reason, refused_at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (sink, url) DO UPDATE SET reason = excluded.reason, "
            "attempts = CASE WHEN version = excluded.version THEN attempts + 1 ELSE 1 END, "
            "discarded = discarded AND version = excluded.version, "
            "refused_at = excluded.refused_at, version = excluded.version",
            (self._id(sink), url, version, reason, now()),
        )

    def waiting(self, sink: str) -> Iterator[Waiting]:
        """The documents that an index lacks, or has in another version, in order of their URLs; without the
        versions of which people said that it shall not have them.
        """
        select = f"SELECT pages.url, page, documents.version FROM {_LACKING} AND NOT {_DISCARDED}"
        return (Waiting(*row) for row in self._in_parts(select, "pages.url", sink))

    def wanted(self, sink: str) -> Iterator[Waiting]:
        """All documents that an index should hold, in order of their URLs."""
        select = (
            "SELECT url, page, documents.version FROM pages CROSS JOIN documents USING (page) "
            f"WHERE {_WANTED} AND NOT {_DISCARDED}"
        )
        return (Waiting(*row) for row in self._in_parts(select, "url", sink))

    def obsolete(self, sink: str) -> Iterator[Obsolete]:
        """The documents that an index may hold and should not, in order of their URLs."""
        select = (
            f"SELECT deliveries.url, coalesce(deleted_for, excluded, pages.reason, 'gone') FROM {_TOO_MANY}"
        )
        return (Obsolete(*row) for row in self._in_parts(select, "deliveries.url", sink))

    def _in_parts(self, select: str, url: str, sink: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT with a condition, which begin with a URL, in order of these: some at a time,
        so that what is read may be written meanwhile.
        """
        values = self._id(sink), ""
        part = f"{select} AND {url} > ?2 ORDER BY {url} LIMIT {_PART}"
        while rows := self._execute(part, values).fetchall():
            yield from rows
            values = values[0], rows[-1][0]

    def version(self, url: str) -> int | None:
        """Returns the version of a URL's document, or None."""
        select = "SELECT version FROM documents JOIN pages USING (page) WHERE url = ? AND op = 'index'"
        return self._first(int, select, url)

    def hashes(self, sink: str) -> list[tuple[str, int, str, str]]:
        """Lists the delivered documents that an index should hold: URL, number of units, hash of the text
        now, and as it went out; it may have either, if the difference was not worth a delivery.
        """
        rows = self._execute(
            "SELECT pages.url, units, content_hash, coalesce(sent_hash, content_hash) "
            "FROM documents JOIN pages USING (page) "
            "JOIN deliveries ON deliveries.url = pages.url AND deliveries.version = documents.version "
            f"WHERE deliveries.sink = ? AND {_WANTED}",
            (self._id(sink),),
        )
        return rows.fetchall()

    def counts(self, sink: str) -> tuple[int, int]:
        """Counts the documents that an index has, and those that it lacks or should have let go."""
        number = self._id(sink)
        has = self._count("deliveries WHERE sink = ? AND version != 0", number)
        lacks = self._count(f"{_LACKING} AND NOT {_DISCARDED}", number)
        return has, lacks + self._count(_TOO_MANY, number)

    def dead_letters(self, sink: str) -> list[DeadLetter]:
        """Lists the documents that an index has refused, in order of the URLs."""
        letters = self._each(
            DeadLetter,
            "SELECT name, url, version, reason, refused_at, attempts, discarded FROM dead_letters "
            "JOIN sinks USING (sink) WHERE name = ? ORDER BY url",
            sink,
        )
        return list(letters)

    def discard(self, sink: str) -> int:
        """Lets the dead letters of a sink go: these versions are not sent again. Returns how many."""
        number = self._id(sink)
        cursor = self._execute(
            "UPDATE dead_letters SET discarded = 1 WHERE sink = ? AND NOT discarded", (number,)
        )
        self._execute(
            "DELETE FROM deliveries WHERE sink = ? AND url IN (SELECT url FROM dead_letters "
            "WHERE sink = ? AND version = 0 AND discarded)",
            (number, number),
        )
        return cursor.rowcount

    def doubt(self) -> None:
        """Takes nothing that was delivered for certain any more: it is delivered again."""
        self._execute("UPDATE deliveries SET version = 0")

    def forget(self) -> None:
        """Takes no index for known any more: each is filled anew."""
        self._execute("UPDATE sinks SET identity = ''")

    def all(self) -> Iterator[tuple[str, str, Iterator[tuple[str, int]]]]:
        """All sinks: name, identity, and the URL and number of units of each document that they may hold."""
        for _, name, identity in self._execute("SELECT * FROM sinks").fetchall():
            yield name, identity, self.held(name)

    def adopt(self, sinks: Iterable[tuple[str, str, Iterable[tuple[str, int]]]]) -> None:
        """Takes over what another store knows of its sinks (`all`), whose place this one takes: all of it is
        delivered again, and what this store does not have is deleted there.
        """
        for name, identity, held in sinks:
            self.begin_index(name, identity, (Delivered(url, UNSURE, units) for url, units in held))

    def _id(self, sink: str) -> int:
        number = self._first(int, "SELECT sink FROM sinks WHERE name = ?", sink)
        return -1 if number is None else number
