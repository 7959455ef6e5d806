"""Near-duplicates of a site's pages: the tables SIGNATURES and SIGNATURE_BANDS.

The representative of a page is the one with the smallest URL among the page itself and those that share a
band with it and are at least as similar as asked. Similar is not transitive, and neither is this: the
representative depends on the pages that are there, and not on the order in which they came.

Only pages count that have a document and whose last document was to be indexed. Where pages with another
representative are left out, they represent no page themselves: the order of URLs decides who is in.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from pagelets.duplicates import Signature, bands, similarity
from store.near_duplicates import StoredSignatures, first_alike
from store.states import CURRENT, LEFT_OUT
from store.table import Table

_COUNTED: Final = (
    f"{CURRENT} AND EXISTS (SELECT 1 FROM documents WHERE documents.page = pages.page AND op = 'index')"
)
"""Pages that can represent another, or be marked with one."""

_CROWD: Final = 64
"""Pages of a band beyond which they are kept in order of their URLs."""

_CROWDS: Final = (
    "CREATE TEMP TABLE IF NOT EXISTS crowds (band INTEGER NOT NULL, url TEXT NOT NULL, "
    "page INTEGER NOT NULL, PRIMARY KEY (band, url)) WITHOUT ROWID"
)
"""Bands of many pages, in order of URLs, for as long as the connection is open: where a whole site shows one
text, the first page of a band is found without reading all the others."""


class SignatureTable(Table):
    """Reads and writes SIGNATURES and SIGNATURE_BANDS; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        connection.execute(_CROWDS)

    def put(self, page: int, signature: Signature | None) -> None:
        """Keeps the signature of a page's text in place of the one before, and the page's mark as it is.

        None, for a text without words, is as `remove`.
        """
        if signature is None:
            self.remove(page)
            return
        packed = signature.astype("<u4").tobytes()
        if self._any("signatures WHERE page = ? AND signature = ?", page, packed):
            return
        self._forget_bands(page)
        self._execute(
            "INSERT INTO signatures (page, signature) VALUES (?, ?) "
            "ON CONFLICT (page) DO UPDATE SET signature = excluded.signature",
            (page, packed),
        )
        keys = [(key, page) for key in bands(signature)]
        self._executemany("INSERT INTO signature_bands (band, page) VALUES (?, ?)", keys)
        self._executemany(
            "INSERT INTO crowds SELECT :band, url, page FROM pages WHERE page = :page "
            "AND EXISTS (SELECT 1 FROM crowds WHERE band = :band)",
            [{"band": key, "page": page} for key, _ in keys],
        )

    def remove(self, page: int) -> None:
        """Forgets a page's signature and mark."""
        self._forget_bands(page)
        self._execute("DELETE FROM signatures WHERE page = ?", (page,))

    def representative(self, page: int, url: str, signature: Signature, threshold: float) -> int | None:
        """Returns the page that represents another; None where that represents itself.

        Args:
            page: the page; it need not have a signature or a document yet.
            url: its address.
            signature: its signature.
            threshold: the smallest similarity that counts, 0 to 1.

        """
        seen = {page}
        for _, other in heapq.merge(*[self._before(key, url) for key in bands(signature)]):
            if other in seen:
                continue
            seen.add(other)
            counted = f"signatures JOIN pages USING (page) WHERE page = ? AND {_COUNTED}"
            packed = self._first(bytes, f"SELECT signature FROM {counted}", other)
            if packed is not None and similarity(signature, np.frombuffer(packed, "<u4")) >= threshold:
                return other
        return None

    def mark(self, page: int, other: int | None) -> None:
        """Marks a page with its representative; None takes its mark away."""
        self._execute("UPDATE signatures SET stands_for = ? WHERE page = ?", (other, page))

    def marked(self, page: int) -> str | None:
        """The URL of the page that a page is marked with."""
        select = "SELECT url FROM signatures JOIN pages ON pages.page = stands_for WHERE signatures.page = ?"
        return self._first(str, select, page)

    def signed(self) -> Iterator[tuple[int, bytes | None]]:
        """The pages that can represent another, in order of their URLs, with their signatures: `VALUES`
        numbers of 32 bits, little-endian, or None.
        """
        return self._execute(
            "SELECT page, signature FROM pages LEFT JOIN signatures USING (page) "
            f"WHERE {_COUNTED} ORDER BY url"
        )

    def marks_changed(self, threshold: float, *, leave_out: bool = False) -> list[int]:
        """The pages whose mark is another than the stored one, in order of their URLs.

        With ``leave_out`` also those that were left out, and may have no representative any more.
        """
        left_out = f"OR ({LEFT_OUT})" if leave_out else ""
        rows = self._execute(
            "SELECT page, coalesce(stands_for, -1) FROM signatures JOIN pages USING (page) "
            f"WHERE ({_COUNTED}) {left_out} ORDER BY url"
        )
        page, mark = np.fromiter(rows, np.dtype((np.int64, 2))).T.copy()
        firsts = first_alike(StoredSignatures(self._connection, page), threshold, leave_out=leave_out)
        right = np.where(firsts == np.arange(len(page)), -1, page[firsts])
        changed: list[int] = page[mark != right].tolist()
        return changed

    def _before(self, band: int, url: str) -> Iterable[tuple[str, int]]:
        """The pages of a band whose URL is smaller, in order of their URLs."""
        if not self._crowded(band):
            rows = self._execute(
                "SELECT url, page FROM signature_bands JOIN pages USING (page) WHERE band = ?", (band,)
            )
            return sorted(row for row in rows if row[0] < url)
        return self._execute(
            "SELECT url, page FROM crowds WHERE band = ? AND url < ? ORDER BY url", (band, url)
        )

    def _crowded(self, band: int) -> bool:
        """Returns True if a band's pages are in CROWDS, where they are put once they are many."""
        if self._any("crowds WHERE band = ?", band):
            return True
        if not self._any("signature_bands WHERE band = ? LIMIT 1 OFFSET ?", band, _CROWD):
            return False
        self._execute(
            "INSERT INTO crowds SELECT band, url, page FROM signature_bands JOIN pages USING (page) "
            "WHERE band = ?",
            (band,),
        )
        return True

    def _forget_bands(self, page: int) -> None:
        row = self._execute(
            "SELECT signature, url FROM signatures JOIN pages USING (page) WHERE page = ?", (page,)
        ).fetchone()
        if row is None:
            return
        keys = bands(np.frombuffer(row[0], "<u4"))
        self._executemany(
            "DELETE FROM signature_bands WHERE band = ? AND page = ?", [(key, page) for key in keys]
        )
        self._executemany("DELETE FROM crowds WHERE band = ? AND url = ?", [(key, row[1]) for key in keys])
