"""Items that wait on disk, beside the pages that they came from."""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
import struct
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pagelets.reading.source import MAX_SIZE

_LEVEL: Final = 1
_HEAD: Final = struct.Struct("<qq")
"""The number of bytes of a record, and its key."""


class FetchedPage(NamedTuple):
    """A response with HTML. A body of more than `MAX_SIZE` bytes is cut, one byte behind that."""

    url: str
    status: int
    headers: dict[bytes, list[bytes]]
    body: bytes
    encoding: str
    fetched_at: str
    flags: list[str]
    method: str
    """The method of its request."""


class Records:
    """Records in a file, one after the other, each with a key. They are numbered from 0 on.

    A record that a crash has cut off is left out. Raises OSError where the file cannot be read or written, or
    is in use.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            if isinstance(error, BlockingIOError):
                # The system calls it a resource that is temporarily unavailable.
                raise BlockingIOError("another crawl uses it") from error
            raise
        self._starts = array("q")
        self.keys = array("q")
        self._end = 0
        size = os.fstat(self._file.fileno()).st_size
        while self._end + _HEAD.size <= size:
            length, key = _HEAD.unpack(os.pread(self._file.fileno(), _HEAD.size, self._end))
            if length < 0 or self._end + _HEAD.size + length > size:
                break
            self._note(length, key)
        self._file.truncate(self._end)

    def _note(self, length: int, key: int) -> None:
        self._starts.append(self._end)
        self.keys.append(key)
        self._end += _HEAD.size + length

    def __len__(self) -> int:
        return len(self._starts)

    def append(self, key: int, content: bytes = b"") -> int:
        """Writes a record; returns its number."""
        written = memoryview(_HEAD.pack(len(content), key) + content)
        try:
            while written:
                written = written[self._file.write(written) :]
        except OSError:
            self._file.truncate(self._end)
            raise
        self._note(len(content), key)
        return len(self) - 1

    def __getitem__(self, number: int) -> bytes:
        start = self._starts[number]
        length, _ = _HEAD.unpack(os.pread(self._file.fileno(), _HEAD.size, start))
        return os.pread(self._file.fileno(), length, start + _HEAD.size)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class Waiting:
    """Items that wait in a folder, and pages.

    What a crawl that was killed has left there is there again. Raises OSError where the folder cannot be
    used, or another crawl uses it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._pages = Records(folder / "pages")
        self._items = Records(folder / "items")
        self._released = Records(folder / "released")
        self._done = bytearray(len(self._items))
        self._given_up: set[int] = set()
        for number in self._released.keys:
            self._done[number] = True

    def __len__(self) -> int:
        """Returns the number of items that wait to be released."""
        return self._done.count(0) - len(self._given_up)

    def pending(self) -> Iterator[tuple[int, int]]:
        """Yields the numbers of the items that wait, each with that of its page."""
        for number, done in enumerate(self._done):
            if not done and number not in self._given_up:
                yield number, self._items.keys[number]

    @property
    def sites(self) -> array[int]:
        """The site of each page, as `put_page` was given it."""
        return self._pages.keys

    def put_page(self, site: int, page: FetchedPage) -> int:
        """Writes a page; returns its number."""
        page = page._replace(body=page.body[: MAX_SIZE + 1])
        return self._pages.append(site, zlib.compress(pickle.dumps(tuple(page)), _LEVEL))

    def put_item(self, page: int, item: Any) -> None:
        """Writes an item of a page. Raises what `pickle` raises of an item that cannot be written or read."""
        pickled = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
        # An exception whose class takes several arguments, for one, can be written alone.
        pickle.loads(pickled)  # noqa: S301 - our own
        self._items.append(page, pickled)
        self._done.append(False)

    def page(self, number: int) -> FetchedPage:
        """Returns a page."""
        return FetchedPage(*pickle.loads(zlib.decompress(self._pages[number])))  # noqa: S301 - our own

    def item(self, number: int) -> Any:
        """Returns an item. Raises what `pickle` raises where its class is no more."""
        return pickle.loads(self._items[number])  # noqa: S301 - our own

    def release(self, number: int) -> None:
        """Notes that an item has gone on."""
        self._done[number] = True
        self._released.append(number)

    def give_up(self, number: int | None = None) -> None:
        """Lets an item wait on, or all of them."""
        left = [one for one, _ in self.pending()] if number is None else [number]
        self._given_up.update(left)

    def stop(self) -> None:
        """Closes the files, and leaves all as it is."""
        for records in (self._pages, self._items, self._released):
            records.close()

    def close(self, *, keeps_pages: bool) -> None:
        """Closes the files. Those of items go if none waits, and the folder with the pages unless these are
        kept.
        """
        self.stop()
        if self._done.count(0):
            return
        if not keeps_pages:
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):
                self.folder.parent.rmdir()
            return
        for name in ("items", "released"):
            (self.folder / name).unlink(missing_ok=True)
