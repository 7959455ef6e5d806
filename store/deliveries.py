"""What each search index holds of a site: the tables SINKS, DELIVERIES and DEAD_LETTERS.

What an index should hold is what DOCUMENTS says; what it does hold, DELIVERIES. The difference is what has to
be delivered, whatever happened between: nothing else is noted of a delivery.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from store.runs import now

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

UNSURE: Final = 0
"""The version of what was sent, and was not heard to have arrived."""

_WANTED: Final = "op = 'index' AND NOT kept_back AND documents.run != 0"
"""Documents that are to be in every index: they went out, and no pipeline has dropped or refused them."""

_UNWANTED: Final = "(documents.page IS NULL OR op = 'delete' OR kept_back)"

_DISCARDED: Final = (
    "EXISTS (SELECT 1 FROM dead_letters AS letters WHERE letters.sink = :sink AND letters.url = pages.url "
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


class Deliveries:
    """Reads and writes what sinks hold, by their names; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def identity(self, sink: str) -> str:
        """The index that the deliveries speak of, empty where there were none."""
        row = self._connection.execute("SELECT identity FROM sinks WHERE name = ?", (sink,)).fetchone()
        return "" if row is None else str(row[0])

    def begin_index(self, sink: str, identity: str, held: Iterable[Delivered] = ()) -> None:
        """Notes that a sink has another index than before, and what that one holds."""
        self._connection.execute(
            "INSERT INTO sinks (name, identity) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET identity = excluded.identity",
            (sink, identity),
        )
        number = self._number(sink)
        self._connection.execute("DELETE FROM deliveries WHERE sink = ?", (number,))
        self._connection.execute("DELETE FROM dead_letters WHERE sink = ? AND NOT discarded", (number,))
        self._connection.executemany(
            "INSERT INTO deliveries VALUES (?, ?, ?, ?)", ((number, *one) for one in held)
        )

    def units(self, sink: str, url: str) -> int:
        """How many units of a document an index may hold."""
        row = self._connection.execute(
            "SELECT units FROM deliveries WHERE sink = ? AND url = ?", (self._number(sink), url)
        ).fetchone()
        return 0 if row is None else int(row[0])

    def held(self, sink: str) -> list[tuple[str, int]]:
        """URL and number of units of each document that an index may hold."""
        rows = self._connection.execute(
            "SELECT url, units FROM deliveries WHERE sink = ? ORDER BY url", (self._number(sink),)
        )
        return rows.fetchall()

    def begin(self, sink: str, sent: Iterable[tuple[str, int]]) -> None:
        """Notes that documents are about to be sent, with their numbers of units: from now on the index may
        hold them.
        """
        number = self._number(sink)
        self._connection.executemany(
            "INSERT INTO deliveries VALUES (?, ?, 0, ?) ON CONFLICT (sink, url) "
            "DO UPDATE SET version = 0, units = max(units, excluded.units)",
            ((number, *one) for one in sent),
        )

    def arrived(self, sink: str, taken: Iterable[Delivered], gone: Iterable[str]) -> None:
        """Notes what an index has taken, and what it has let go."""
        number = self._number(sink)
        taken, gone = list(taken), list(gone)
        self._connection.executemany(
            "INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?)", ((number, *one) for one in taken)
        )
        self._connection.executemany(
            "DELETE FROM deliveries WHERE sink = ? AND url = ?", ((number, url) for url in gone)
        )
        self._connection.executemany(
            "DELETE FROM dead_letters WHERE sink = ? AND url = ?",
            ((number, url) for url in [*gone, *(one.url for one in taken)]),
        )

    def refuse(self, sink: str, url: str, version: int, reason: str) -> None:
        """Notes that an index has refused a version of a document, or to let it go (version 0)."""
        self._connection.execute(
            "INSERT INTO dead_letters (sink, url, version, reason, refused_at) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (sink, url) DO UPDATE SET reason = excluded.reason, "
            "attempts = CASE WHEN version = excluded.version THEN attempts + 1 ELSE 1 END, "
            "discarded = discarded AND version = excluded.version, "
            "refused_at = excluded.refused_at, version = excluded.version",
            (self._number(sink), url, version, reason, now()),
        )

    def waiting(self, sink: str) -> list[Waiting]:
        """The documents that an index lacks, or has in another version, in order of their URLs; without the
        versions of which people said that it shall not have them.
        """
        rows = self._connection.execute(
            f"SELECT pages.url, page, documents.version FROM documents JOIN pages USING (page) "
            f"LEFT JOIN deliveries ON deliveries.sink = :sink AND deliveries.url = pages.url "
            f"WHERE {_WANTED} AND deliveries.version IS NOT documents.version AND NOT {_DISCARDED} "
            "ORDER BY pages.url",
            {"sink": self._number(sink)},
        )
        return [Waiting(*row) for row in rows]

    def wanted(self, sink: str) -> list[Waiting]:
        """All documents that an index should hold, in order of their URLs."""
        rows = self._connection.execute(
            f"SELECT url, page, documents.version FROM documents JOIN pages USING (page) "
            f"WHERE {_WANTED} AND NOT {_DISCARDED} ORDER BY url",
            {"sink": self._number(sink)},
        )
        return [Waiting(*row) for row in rows]

    def obsolete(self, sink: str) -> list[Obsolete]:
        """The documents that an index may hold and should not, in order of their URLs."""
        rows = self._connection.execute(
            "SELECT deliveries.url, coalesce(deleted_for, excluded, pages.reason, 'gone') FROM deliveries "
            "LEFT JOIN pages USING (url) LEFT JOIN documents USING (page) "
            f"WHERE sink = ? AND {_UNWANTED} ORDER BY deliveries.url",
            (self._number(sink),),
        )
        return [Obsolete(*row) for row in rows]

    def version(self, url: str) -> int | None:
        """The version of a URL's document, None where it has none."""
        row = self._connection.execute(
            "SELECT version FROM documents JOIN pages USING (page) WHERE url = ? AND op = 'index'", (url,)
        ).fetchone()
        return None if row is None else int(row[0])

    def hashes(self, sink: str) -> list[tuple[str, int, str, str]]:
        """What an index should hold of what was delivered to it: URL, number of units, hash of the text now,
        and as it went out; it may have either, where the difference was worth no delivery.
        """
        rows = self._connection.execute(
            "SELECT pages.url, units, content_hash, coalesce(sent_hash, content_hash) "
            "FROM documents JOIN pages USING (page) "
            "JOIN deliveries ON deliveries.url = pages.url AND deliveries.version = documents.version "
            f"WHERE deliveries.sink = ? AND {_WANTED}",
            (self._number(sink),),
        )
        return rows.fetchall()

    def counts(self, sink: str) -> tuple[int, int]:
        """How many documents an index has, and how many it lacks or should have let go."""
        row = self._connection.execute(
            "SELECT count(*) FROM deliveries WHERE sink = ? AND version != 0", (self._number(sink),)
        ).fetchone()
        return int(row[0]), len(self.waiting(sink)) + len(self.obsolete(sink))

    def dead_letters(self, sink: str) -> list[DeadLetter]:
        """What an index has refused, in order of the URLs."""
        rows = self._connection.execute(
            "SELECT name, url, version, reason, refused_at, attempts, discarded FROM dead_letters "
            "JOIN sinks USING (sink) WHERE name = ? ORDER BY url",
            (sink,),
        )
        return [DeadLetter(*row) for row in rows]

    def discard(self, sink: str) -> int:
        """Lets the dead letters of a sink go: these versions are not sent again. Returns how many."""
        number = self._number(sink)
        cursor = self._connection.execute(
            "UPDATE dead_letters SET discarded = 1 WHERE sink = ? AND NOT discarded", (number,)
        )
        self._connection.execute(
            "DELETE FROM deliveries WHERE sink = ? AND url IN (SELECT url FROM dead_letters "
            "WHERE sink = ? AND version = 0 AND discarded)",
            (number, number),
        )
        return cursor.rowcount

    def doubt(self) -> None:
        """Takes nothing that was delivered for certain any more: it is delivered again."""
        self._connection.execute("UPDATE deliveries SET version = 0")

    def all(self) -> list[tuple[str, str, list[tuple[str, int]]]]:
        """All sinks: name, identity, and the URL and number of units of each document that they may hold."""
        return [
            (name, identity, self.held(name))
            for _, name, identity in self._connection.execute("SELECT * FROM sinks").fetchall()
        ]

    def adopt(self, sinks: Iterable[tuple[str, str, list[tuple[str, int]]]]) -> None:
        """Takes over what another store knows of its sinks (`all`), whose place this one takes: all of it is
        delivered again, and what this store does not have is deleted there.
        """
        for name, identity, held in sinks:
            self.begin_index(name, identity, (Delivered(url, UNSURE, units) for url, units in held))

    def _number(self, sink: str) -> int:
        row = self._connection.execute("SELECT sink FROM sinks WHERE name = ?", (sink,)).fetchone()
        return -1 if row is None else int(row[0])
