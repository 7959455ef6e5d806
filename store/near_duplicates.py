"""Near-duplicates among all pages of one or more sites, in arrays: a million pages fit into memory."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterator
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pagelets.duplicates import VALUES
from store.table import Table

Ids: TypeAlias = npt.NDArray[np.int64]
Places: TypeAlias = npt.NDArray[np.int32]
Values: TypeAlias = npt.NDArray[np.uint32]

AT_ONCE: Final = 10_000
"""Rows that are Python's objects at once."""


class Signatures(Protocol):
    """The signatures of n pages, each of which is named by its place in an order, 0 to n - 1."""

    def __len__(self) -> int:
        """The number of pages."""

    def sharing(self) -> Ids:
        """Returns which pages share bands with others: sorted numbers, that of a band from 0 in the upper
        half of each, the place of a page in the lower half.
        """

    def of(self, places: Places) -> Values:
        """Returns the signatures of some pages, in their order: uint32[n, VALUES]."""


def first_alike(signatures: Signatures, threshold: float, *, leave_out: bool = False) -> Places:
    """Finds for each of n pages the first that shares a band with it and is similar enough: maybe itself.

    Args:
        signatures: those of the pages.
        threshold: the smallest similarity that counts, 0 to 1.
        leave_out: skips pages that have another before them.

    Returns:
        The places of the first ones, int32[n].

    """
    firsts = np.arange(len(signatures), dtype=np.int32)
    pairs = signatures.sharing()
    groups = _Groups(pairs if leave_out else _by_heads(signatures, pairs, threshold, firsts))
    at = groups.places
    low = _low_bytes(signatures, at)
    for first, shared in groups.of_places():
        if leave_out and firsts[first] != first:
            continue
        for group in shared:
            members = groups.members(group)
            # Pages are taken in order: whoever has one has the first.
            others = members[(members > first) & (firsts[members] > first)]
            groups.keep(group, others)
            if len(others):
                same = low[at.searchsorted(others)] == low[at.searchsorted(first)]
                near = others[same.sum(axis=1) / VALUES >= threshold]
                alike = similarities(signatures, near, np.full_like(near, first)) >= threshold
                firsts[near[alike]] = first
    return firsts


def _by_heads(signatures: Signatures, pairs: Ids, threshold: float, firsts: Places) -> Ids:
    """Compares each page with the first of each of its groups, many at once, and notes in ``firsts`` those
    that are similar enough. Returns the pairs of the groups in which a page may have another first still.
    """
    starts = np.flatnonzero(np.diff(pairs >> 32, prepend=-1))
    sizes = np.diff(starts, append=len(pairs))
    place = (pairs & 0xFFFFFFFF).astype(np.int32)
    head = place[starts].repeat(sizes)
    for start in range(0, len(pairs), AT_ONCE):
        first, other = head[start : start + AT_ONCE], place[start : start + AT_ONCE]
        wanted = firsts[other] > first
        first, other = first[wanted], other[wanted]
        near = similarities(signatures, first, other) >= threshold
        np.minimum.at(firsts, other[near], first[near])
    left = np.logical_or.reduceat(firsts[place] > head, starts) if len(starts) else np.zeros(0, bool)
    return pairs[left.repeat(sizes)]


class StoredSignatures(Table):
    """The signatures of pages of a store, which bands of `pagelets.duplicates` bring together.

    Takes the ids of the pages, int64[n], all of them in SIGNATURES.
    """

    def __init__(self, connection: sqlite3.Connection, page: Ids) -> None:
        super().__init__(connection)
        self._page = page

    def __len__(self) -> int:
        return len(self._page)

    def sharing(self) -> Ids:
        """As `Signatures.sharing`."""
        largest = int(self._page.max(initial=0))
        place = np.full(largest + 1, -1, np.int32)
        place[self._page] = np.arange(len(self._page), dtype=np.int32)
        cursor = self._execute(
            "SELECT band, page FROM (SELECT band FROM signature_bands GROUP BY band HAVING count(*) > 1) "
            "CROSS JOIN signature_bands USING (band)"
        )
        packed, number, last = array("q"), -1, -1
        while rows := cursor.fetchmany(AT_ONCE):
            band, held = np.array(rows, np.int64).T
            numbers = number + np.cumsum(np.diff(band, prepend=last) != 0)
            number, last = int(numbers[-1]), int(band[-1])
            at = np.where(held <= largest, place[held.clip(max=largest)], -1)
            packed.frombytes(((numbers << 32) | at)[at >= 0].tobytes())
        pairs = np.frombuffer(packed, np.int64)
        pairs.sort()
        return pairs

    def of(self, places: Places) -> Values:
        """As `Signatures.of`."""
        pages = self._page[places]
        rows = self._execute(
            "SELECT page, signature FROM signatures WHERE page IN (SELECT value FROM json_each(?))",
            (json.dumps(pages.tolist()),),
        ).fetchall()
        known = np.array([page for page, _ in rows], np.int64)
        table = np.frombuffer(b"".join(packed for _, packed in rows), "<u4").reshape(-1, VALUES)
        order = known.argsort()
        return table[order[known[order].searchsorted(pages)]]


def _low_bytes(signatures: Signatures, places: Places) -> npt.NDArray[np.uint8]:
    """The lowest byte of each value of the signatures of pages: uint8[n, VALUES]. Where values are equal they
    are; of all values of a large site there is no room for more.
    """
    lowest = np.empty((len(places), VALUES), np.uint8)
    for start in range(0, len(places), AT_ONCE):
        lowest[start : start + AT_ONCE] = signatures.of(places[start : start + AT_ONCE])
    return lowest


def similarities(signatures: Signatures, ones: Places, others: Places) -> npt.NDArray[np.float64]:
    """Returns the similarity of each of some pages to another one: float64[n].

    Args:
        signatures: those of the pages.
        ones: the pages.
        others: what each of them is compared with.

    """
    shares = np.empty(len(ones))
    for start in range(0, len(ones), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        same = signatures.of(ones[part]) == signatures.of(others[part])
        shares[part] = same.sum(axis=1) / VALUES
    return shares


class _Groups:
    """Groups of two or more places, each place in one or several of them. Takes them as `Signatures.sharing`
    returns them.

    ``places`` are the places in some group, in ascending order: int32[n].
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
