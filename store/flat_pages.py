"""The pages of a round of crawling as they were read: what was fetched is judged without being parsed again.

Those of a small site wait in memory. Others lie in a file of their own beside the store, which goes when the
round ends. All of it can be had from the stored bodies again: nothing that goes wrong with either is more
than time lost.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

import zstandard

from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.page_bytes import BrokenPage, from_bytes, to_bytes
from pagelets.reading import read, version
from store.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from pagelets.page import Page
    from store.bodies import Bodies

FILE: Final = "round.sqlite"
LEVEL: Final = 1
MAX_SIZE: Final = 64 * 1024 * 1024
"""Bytes of a page before compression: a larger one, which is a hostile one, is read from its body again."""
MEMORY: Final = 64 * 1024 * 1024
"""Bytes of pages that wait in memory, about; others go to the file."""
_ELEMENT, _BLOCK, _CHARACTER, _PAGELET = 250, 500, 2, 300
"""Bytes that an element, a block, a character of its text and a pagelet take in memory, about."""
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS flat_pages (
    page INTEGER PRIMARY KEY, fetched_run INTEGER, fetched_at TEXT, packed BLOB NOT NULL
)
"""

logger = logging.getLogger(__name__)


class _Fetch(NamedTuple):
    """The identity of a page's stored response."""

    url: str
    run: int | None
    at: str | None


class PagePacker:
    """Makes compressed bytes of pages, and pages of them."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        self._decompressor = zstandard.ZstdDecompressor()

    def packed(self, page: Page) -> bytes | None:
        """A page as bytes; None for one of more than `MAX_SIZE`."""
        flat = to_bytes(page)
        return None if len(flat) > MAX_SIZE else self._compressor.compress(flat)

    def unpacked(self, packed: bytes, read_by: bytes | None = None) -> Page:
        """The page of these bytes. Takes what it has to be read by (`pagelets.reading.version`), where that
        matters. Raises BrokenPage.
        """
        try:
            if not 0 <= zstandard.frame_content_size(packed) <= MAX_SIZE:
                raise BrokenPage("altered")
            flat = self._decompressor.decompress(packed)
        except (zstandard.ZstdError, TypeError) as error:
            raise BrokenPage("altered") from error
        return from_bytes(flat, read_by)


class FlatPages(Table):
    """Pages as they were read: out of the round's file, or else of their bodies.

    Takes the store's connection and folder. The log names the first page that cannot be kept, or that is kept
    and cannot be used (of another program, cut short, altered). Not safe for use by several threads at once;
    other processes may read while one writes.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path, bodies: Bodies) -> None:
        super().__init__(connection)
        self._bodies = bodies
        self._path = folder / FILE
        self._file: sqlite3.Connection | None = None
        self._is_given_up = self._has_told = self._writes = False
        self._waiting: dict[int, tuple[_Fetch, Page]] = {}
        self._room = MEMORY
        self._packer = PagePacker()

    def read(self, page: int, selectors: Selectors = NO_SELECTORS, deciding: Selectors | None = None) -> Page:
        """Returns a ``page`` of the store as `pagelets.reading.read` makes it with these ``selectors`` and
        ``deciding`` ones. Raises KeyError without a body.
        """
        fetch = self._fetch(page)
        read_by = version(selectors.of(fetch.url), deciding and deciding.of(fetch.url))
        kept = self._waits(page, fetch, read_by) or self._kept(page, fetch, read_by)
        if kept is not None:
            return kept
        return read(self._bodies.get(page).source(), fetch.url, selectors, deciding)

    def keep(self, page: int, read_page: Page, packed: bytes | None = None) -> None:
        """Keeps a page for the round.

        Args:
            page: its id in the store.
            read_page: what was read from its body.
            packed: its bytes (`PagePacker`), where it was read by another process.
        """
        if page in self._waiting:
            self._room += _size(self._waiting.pop(page)[1])
        fetch = self._fetch(page)
        if packed is None and (size := _size(read_page)) <= self._room:
            self._waiting[page] = fetch, read_page
            self._room -= size
        else:
            self._write(page, fetch, packed or self._packed(read_page))

    def write(self) -> None:
        """Writes the pages that wait in memory to the file, for other processes."""
        for page, (fetch, read_page) in self._waiting.items():
            try:
                self._write(page, fetch, self._packed(read_page))
            except Exception as error:
                logger.warning("%s: %s; it is read from the stored body again", fetch.url, error)
        self._waiting.clear()
        self._room = MEMORY

    def _packed(self, page: Page) -> bytes | None:
        return None if self._is_given_up else self._packer.packed(page)

    def _write(self, page: int, fetch: _Fetch, packed: bytes | None) -> None:
        if self._is_given_up or packed is None:
            return
        row = (page, *fetch[1:], packed)
        try:
            self._opened_to_write().execute("INSERT OR REPLACE INTO flat_pages VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            # What it holds makes room for the store itself.
            self._give_up()
            self._remove()
            logger.warning(
                "%s: %s; nothing is lost, but the pages of this run are read from their bodies again when "
                "they are judged; see that the folder is writable and the disk has room",
                self._path,
                error,
            )

    def clear(self) -> None:
        """Forgets all pages: the round has ended. The log names a file that cannot be removed."""
        self._waiting.clear()
        self._room = MEMORY
        self._remove()

    def _remove(self) -> None:
        self._close_file()
        try:
            for end in ("", "-wal", "-shm"):
                self._path.with_name(FILE + end).unlink(missing_ok=True)
        except OSError as error:
            logger.warning("%s; it holds nothing that is needed: remove it", error)

    def close(self) -> None:
        """Closes the file, which stays, with the pages that waited in memory."""
        self.write()
        self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._writes = False

    def _fetch(self, page: int) -> _Fetch:
        return self._get(_Fetch, "SELECT url, fetched_run, fetched_at FROM pages WHERE page = ?", page)

    def _waits(self, page: int, fetch: _Fetch, read_by: bytes) -> Page | None:
        """Returns a page that waits in memory; None if it does not."""
        kept, found = self._waiting.get(page, (None, None))
        return None if kept != fetch or found is None or found.read_by != read_by else found

    def _kept(self, page: int, fetch: _Fetch, read_by: bytes) -> Page | None:
        """Returns a page of the file; None if it has to be read from its body."""
        try:
            file = self._opened_to_read()
            if file is None:
                return None
            row = file.execute(
                "SELECT fetched_run, fetched_at, packed FROM flat_pages WHERE page = ?", (page,)
            ).fetchone()
            return None if row is None else self._unpacked(row, fetch, read_by)
        except BrokenPage as error:
            self._tell(f"what it keeps of {fetch.url} is {error}")
        except sqlite3.Error as error:
            self._give_up()
            self._tell(str(error))
        return None

    def _unpacked(self, row: tuple[Any, ...], fetch: _Fetch, read_by: bytes) -> Page:
        *kept, packed = row
        if tuple(kept) != fetch[1:]:
            raise BrokenPage("of another fetch")
        page = self._packer.unpacked(packed, read_by)
        if page.url != fetch.url:
            raise BrokenPage("another page")
        return page

    def _opened_to_read(self) -> sqlite3.Connection | None:
        if self._file is None and not self._is_given_up and self._path.exists():
            # Who reads alone never removes files of SQLite's beside this one, which may be another's by then.
            self._file = self._connected("ro")
        return self._file

    def _opened_to_write(self) -> sqlite3.Connection:
        if not self._writes:
            self._close_file()
            self._file = self._connected("rwc")
            self._file.execute("PRAGMA journal_mode = WAL")
            # The remains of a power cut can be told from good data by their checks, and made again.
            self._file.execute("PRAGMA synchronous = OFF")
            self._file.execute(_TABLE)
            self._writes = True
        assert self._file is not None
        return self._file

    def _connected(self, mode: str) -> sqlite3.Connection:
        uri = f"file:{quote(str(self._path))}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=30, check_same_thread=False)
        try:
            connection.execute("PRAGMA cache_size = -2048")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _give_up(self) -> None:
        self._close_file()
        self._is_given_up = True

    def _tell(self, why: str) -> None:
        """Says once why pages are read from their bodies again."""
        if not self._has_told:
            self._has_told = True
            logger.warning(
                "%s: %s; it is read from the stored body again, as all such pages are", self._path, why
            )


def _size(page: Page) -> int:
    """The bytes that a page takes in memory, about: more than most pages do."""
    chars = sum(map(len, page.tree.texts)) + sum(map(len, page.tree.strings))
    pagelets = 0 if page.cut is None else len(page.cut[1])
    return _ELEMENT * len(page.tree) + _BLOCK * len(page.blocks) + _CHARACTER * chars + _PAGELET * pagelets
