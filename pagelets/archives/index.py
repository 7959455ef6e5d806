"""The pages of an archive and their places: a million pages take less than 100 MB."""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
"""The date of a record without a date."""

_MICROSECOND: Final = timedelta(microseconds=1)
_AT_ONCE: Final = 256
"""URLs that are packed together."""


class PageIndex:
    """The places of pages by their URLs: of those added with `add`, once `seal` was called.

    A URL is known by its hash: two equal ones among a million are less likely than a broken disk, and whoever
    reads a page sees its URL.
    """

    def __init__(self) -> None:
        self._keys, self._dates = array("q"), array("q")
        self._sources, self._offsets = array("l"), array("q")
        self._packed: list[bytes] = []
        self._last: list[str] = []
        self._at: tuple[int, list[str]] = (-1, [])
        # Of each URL, in the order of its hashes: the record that counts, and the first one.
        self._sorted, self._records = array("q"), array("q")
        self._is_first: NDArray[np.bool_] = np.zeros(0, bool)

    def add(self, url: str, date: datetime, source: int, offset: int) -> None:
        """Adds a record of a page: the latest of a URL counts, among equally old ones the last.

        Args:
            url: the page's address.
            date: when it was recorded.
            source: the number of its file.
            offset: where the record begins in the file.

        """
        self._keys.append(hash(url))
        self._dates.append((date - LONG_AGO) // _MICROSECOND)
        self._sources.append(source)
        self._offsets.append(offset)
        self._last.append(url)
        if len(self._last) == _AT_ONCE:
            self._packed.append(_packed(self._last))
            self._last = []

    def seal(self) -> None:
        """Finds the record of each URL; nothing is added after that."""
        keys = np.frombuffer(self._keys, np.int64)
        # Among equally old ones it keeps the order in which they came.
        order = np.lexsort((np.frombuffer(self._dates, np.int64), keys))
        keys = keys[order]
        bounds = np.flatnonzero(np.concatenate([keys[:1] == keys[:1], keys[1:] != keys[:-1]]))
        last = np.append(bounds[1:], len(order))[: len(bounds)] - 1
        self._sorted = array("q", keys[last].tobytes())
        self._records = array("q", order[last].tobytes())
        self._is_first = np.zeros(len(order), bool)
        if len(order):
            self._is_first[np.minimum.reduceat(order, bounds)] = True

    def find(self, url: str) -> int | None:
        """Returns the number of the record of a URL, or None."""
        return _found(self._sorted, self._records, hash(url))

    def date(self, record: int) -> datetime:
        """The date of a record."""
        return LONG_AGO + self._dates[record] * _MICROSECOND

    def place(self, record: int) -> tuple[int, int]:
        """The source of a record, and its offset there."""
        return self._sources[record], self._offsets[record]

    def urls(self) -> Iterator[str]:
        """Each URL, in order of first appearance."""
        for number, urls in self._parts():
            firsts = self._is_first[number * _AT_ONCE : number * _AT_ONCE + len(urls)]
            yield from (url for url, first in zip(urls, firsts.tolist(), strict=True) if first)

    def __len__(self) -> int:
        """The number of URLs."""
        return len(self._sorted)

    def url(self, record: int) -> str:
        """The URL of a record."""
        number, position = divmod(record, _AT_ONCE)
        if self._at[0] != number:
            last = number == len(self._packed)
            self._at = number, self._last if last else _unpacked(self._packed[number])
        return self._at[1][position]

    def by(self, name: Callable[[str], str]) -> Callable[[str], int | None]:
        """Finds the first URL that has another name than itself, by that name: a function from names to the
        numbers of records.
        """
        keys, records = array("q"), array("q")
        for number, urls in self._parts():
            for position, url in enumerate(urls):
                if (other := name(url)) != url:
                    keys.append(hash(other))
                    records.append(number * _AT_ONCE + position)
        hashes, first = np.unique(np.frombuffer(keys, np.int64), return_index=True)
        in_order = array("q", hashes.tobytes())
        firsts = array("q", np.frombuffer(records, np.int64)[first].tobytes())
        return lambda other: _found(in_order, firsts, hash(other))

    def _parts(self) -> Iterator[tuple[int, list[str]]]:
        yield from enumerate(map(_unpacked, self._packed))
        yield len(self._packed), self._last


def _found(keys: array[int], values: array[int], key: int) -> int | None:
    at = bisect_left(keys, key)
    return values[at] if at < len(keys) and keys[at] == key else None


def _packed(urls: list[str]) -> bytes:
    return zlib.compress("\n".join(urls).encode("utf-8", "surrogatepass"), 1)


def _unpacked(packed: bytes) -> list[str]:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass").split("\n")
