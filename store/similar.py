"""Which pages of a whole site are nearly the same, in arrays: a million of them fit into memory."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pagelets.duplicates import VALUES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

Ids: TypeAlias = npt.NDArray[np.int64]
Places: TypeAlias = npt.NDArray[np.int32]

_ROWS: Final = 10_000
"""Rows that are Python's objects at once."""


def first_alike(
    connection: sqlite3.Connection, page: Ids, threshold: float, *, leave_out: bool = False
) -> Places:
    """For each of n pages the place of the first that shares a band with it and is similar enough: maybe its
    own. Takes their ids, int64[n], all of them in SIGNATURES; returns int32[n].

    With ``leave_out`` the first of those that have none before them.
    """
    firsts = np.arange(len(page), dtype=np.int32)
    groups = _Groups(_sharing(connection, page))
    at = groups.places
    low = _low_bytes(connection, page[at])
    for first, shared in groups.of_places():
        if leave_out and firsts[first] != first:
            continue
        for group in shared:
            members = groups.members(group)
            # Pages are taken in order: whoever has one has the first.
            others = members[(members > first) & (firsts[members] == members)]
            groups.keep(group, others)
            if len(others):
                same = low[at.searchsorted(others)] == low[at.searchsorted(first)]
                near = others[same.sum(axis=1) / VALUES >= threshold]
                firsts[near[_alike(connection, int(page[first]), page[near], threshold)]] = first
    return firsts


def _sharing(connection: sqlite3.Connection, page: Ids) -> Ids:
    """Where pages share bands with others: sorted numbers, that of a band from 0 in the upper half of each,
    the place of a page in the lower half.
    """
    largest = int(page.max(initial=0))
    place = np.full(largest + 1, -1, np.int32)
    place[page] = np.arange(len(page), dtype=np.int32)
    cursor = connection.execute(
        "SELECT band, page FROM (SELECT band FROM signature_bands GROUP BY band HAVING count(*) > 1) "
        "CROSS JOIN signature_bands USING (band)"
    )
    found, number, last = array("q"), -1, -1
    while rows := cursor.fetchmany(_ROWS):
        band, held = np.array(rows, np.int64).T
        numbers = number + np.cumsum(np.diff(band, prepend=last) != 0)
        number, last = int(numbers[-1]), int(band[-1])
        at = np.where(held <= largest, place[held.clip(max=largest)], -1)
        found.frombytes(((numbers << 32) | at)[at >= 0].tobytes())
    pairs = np.frombuffer(found, np.int64)
    pairs.sort()
    return pairs


def _signatures(connection: sqlite3.Connection, pages: Ids) -> npt.NDArray[np.uint32]:
    """The signatures of some pages, in their order: uint32[n, VALUES]."""
    rows = connection.execute(
        "SELECT page, signature FROM signatures WHERE page IN (SELECT value FROM json_each(?))",
        (json.dumps(pages.tolist()),),
    ).fetchall()
    known = np.array([page for page, _ in rows], np.int64)
    table = np.frombuffer(b"".join(packed for _, packed in rows), "<u4").reshape(-1, VALUES)
    order = known.argsort()
    return table[order[known[order].searchsorted(pages)]]


def _low_bytes(connection: sqlite3.Connection, pages: Ids) -> npt.NDArray[np.uint8]:
    """The lowest byte of each value of the signatures of pages: uint8[n, VALUES]. Where values are equal they
    are; of all values of a large site there is no room for more.
    """
    found = np.empty((len(pages), VALUES), np.uint8)
    for start in range(0, len(pages), _ROWS):
        found[start : start + _ROWS] = _signatures(connection, pages[start : start + _ROWS])
    return found


def _alike(connection: sqlite3.Connection, page: int, others: Ids, threshold: float) -> npt.NDArray[np.bool_]:
    """Which of some pages are similar enough to one: bool[n]."""
    own = _signatures(connection, np.array([page], np.int64))
    found = np.zeros(len(others), bool)
    for start in range(0, len(others), _ROWS):
        part = _signatures(connection, others[start : start + _ROWS])
        found[start : start + _ROWS] = (part == own).sum(axis=1) / VALUES >= threshold
    return found


class _Groups:
    """Groups of two or more places, each place in one or several of them; takes them as of `_sharing`.

    ``places`` are those that are in some group, in ascending order: int32[n].
    """

    def __init__(self, pairs: Ids) -> None:
        starts = np.flatnonzero(np.diff(pairs >> 32, prepend=-1))
        sizes = np.diff(starts, append=len(pairs))
        self._members = (pairs[np.repeat(sizes > 1, sizes)] & 0xFFFFFFFF).astype(np.int32)
        sizes = sizes[sizes > 1]
        self._stop = sizes.cumsum()
        self._start = self._stop - sizes
        by_place = self._members.astype(np.int64) << 32
        by_place |= np.repeat(np.arange(len(sizes)), sizes)
        by_place.sort()
        self._groups = (by_place & 0xFFFFFFFF).astype(np.int32)
        place = (by_place >> 32).astype(np.int32)
        self._bounds = np.flatnonzero(np.diff(place, prepend=-1, append=-1))
        self.places = place[self._bounds[:-1]]

    def of_places(self) -> Iterator[tuple[int, list[int]]]:
        """Each place in ascending order, with its groups."""
        for number, place in enumerate(self.places):
            yield int(place), self._groups[self._bounds[number] : self._bounds[number + 1]].tolist()

    def members(self, group: int) -> Places:
        """The places in a group, in ascending order."""
        return self._members[self._start[group] : self._stop[group]]

    def keep(self, group: int, members: Places) -> None:
        """Leaves no more than these in a group."""
        self._stop[group] = self._start[group] + len(members)
        self._members[self._start[group] : self._stop[group]] = members
