"""Pages whose documents have nearly the same text, over the stores of one or more sites."""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from inspection.pages import judged_pages
from pagelets.duplicates import signature
from store.filed_signatures import FiledSignatures
from store.near_duplicates import AT_ONCE, Ids, Places, first_alike, similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from inspection.pages import JudgeIn
    from store.site import Store

    Tell = Callable[[str, int, int], None]
    """Called with what is being done, how much of it is done, and how much there is."""
    Failed = Callable[[str, Exception], None]
    """Called with the address of a page that cannot be judged, and the error."""

Shares: TypeAlias = npt.NDArray[np.float32]

_EAST: Final = timedelta(hours=14)
_WEST: Final = timedelta(hours=12)
_DAY: Final = timedelta(days=1)


@dataclass(slots=True, frozen=True)
class DuplicatePage:
    """A page of a group of near-duplicates.

    ``group`` numbers the groups from 1; of the group are the numbers of its ``pages`` and ``sites``.
    ``similarity`` is that to an earlier page of the group, None for the first. ``published`` is the
    date that the page declares. ``original`` is True where the page was published before all others of the
    group; None where their dates leave it open, or were not asked for.
    """

    group: int
    pages: int
    sites: int
    similarity: float | None
    site: str
    url: str
    title: str
    published: str | None
    original: bool | None


@dataclass(slots=True, frozen=True)
class Sites:
    """The stores to compare: the sites' names, how a store is opened, and what judges its pages.

    ``failed`` is called where a page cannot be judged.
    """

    names: Sequence[str]
    open: Callable[[str], Store]
    judge_in: JudgeIn
    failed: Failed

    @contextlib.contextmanager
    def store(self, number: int) -> Iterator[Store]:
        """The store of a site, which is only read. Raises StoreError."""
        with self.open(self.names[number]) as store:
            store.only_read()
            yield store

    def field(self, store: Store, pages: Sequence[int], name: str) -> Iterator[tuple[int, str | None]]:
        """Yields a field of documents.

        Args:
            store: a store of these.
            pages: the pages; those without a document are left out.
            name: the field.

        """
        for page, judge in judged_pages(store, pages, self.judge_in):
            try:
                document = judge.document(page, (name,))
            except (OSError, sqlite3.Error):
                raise
            except Exception as error:
                self.failed(store.frontier.url(page), error)
            else:
                yield page, document[name]  # type: ignore[literal-required]


@dataclass(slots=True, frozen=True)
class DuplicateSearch:
    """Parameters of a comparison.

    ``threshold`` is the smallest similarity, 0.5 to 1. ``budgets`` are the MB of memory that DuckDB may take,
    one try after the other; ``folder`` holds what is not in memory meanwhile.
    """

    threshold: float
    budgets: Sequence[int]
    folder: Path


def find_duplicates(sites: Sites, how: DuplicateSearch, tell: Tell) -> DuplicateGroups:
    """Finds groups of pages that are nearly the same: on several sites, where several are named.

    Each page belongs with the first that it is similar to, in order of the sites and then of URLs; pages that
    belong with the same one, directly or not, are a group. The texts of the last released documents are
    compared. A store without signatures is judged anew for them.

    Args:
        sites: the stores.
        how: what counts as similar, and limits.
        tell: called while pages are judged.

    Returns:
        The groups. They are read from the stores again as they are listed.

    Raises:
        StoreError: a store cannot be used, or there is not enough memory.
        OSError: the folder cannot be written.

    """
    page, starts = array("q"), []
    with FiledSignatures(how.folder, how.threshold, how.budgets) as signatures:
        for number in range(len(sites.names)):
            starts.append(len(page))
            with sites.store(number) as store:
                _collect(store, sites, signatures, page, tell)
        firsts = first_alike(signatures, how.threshold)
        similarity = _similarities(signatures, firsts)
    return DuplicateGroups(sites, np.array(page, np.int64), np.array(starts), firsts, similarity)


def _collect(store: Store, sites: Sites, signatures: FiledSignatures, page: array[int], tell: Tell) -> None:
    """Adds the pages of a store, and their signatures."""
    unsigned, before = array("q"), len(page)
    with store.snapshot():
        rows = iter(store.duplicates.signed())
        while part := list(islice(rows, AT_ONCE)):
            signed = [(number, packed) for number, packed in part if packed is not None]
            signatures.add(b"".join(packed for _, packed in signed))
            page.extend(number for number, _ in signed)
            unsigned.extend(number for number, packed in part if packed is None)
    if len(page) > before:
        # Texts of the others have no word.
        return
    for done, (number, text) in enumerate(sites.field(store, unsigned, "text"), 1):
        values = signature(text or "")
        if values is not None:
            signatures.add(values.astype("<u4").tobytes())
            page.append(number)
        tell(f"pages of {store.name} judged", done, len(unsigned))


def _similarities(signatures: FiledSignatures, firsts: Places) -> Shares:
    """Returns the similarity of each page to its first, which may be the page itself: float32[n]."""
    shares = np.ones(len(firsts), np.float32)
    others = np.flatnonzero(firsts != np.arange(len(firsts))).astype(np.int32)
    shares[others] = similarities(signatures, others, firsts[others])
    return shares


class DuplicateGroups:
    """Groups of pages that are nearly the same, those on most sites first, then those of most pages."""

    def __init__(self, sites: Sites, page: Ids, starts: Ids, firsts: Places, similarity: Shares) -> None:
        """Makes groups of pages.

        Args:
            sites: the stores.
            page: the id of each page in its store.
            starts: the place at which the pages of each site begin.
            firsts: the place of the first page that each is similar to.
            similarity: to that page.

        """
        self._sites, self._page, self._starts = sites, page, starts
        self._firsts, self._similarity = firsts, similarity
        roots = firsts
        while not np.array_equal(further := roots[roots], roots):
            roots = further
        self._places = roots.argsort(kind="stable").astype(np.int32)
        begins = np.flatnonzero(np.diff(roots[self._places], prepend=-1))
        sizes = np.diff(begins, append=len(roots))
        site = self._site_of(self._places)
        new = np.diff(site, prepend=-1) != 0
        new[begins] = True
        counts = np.add.reduceat(new, begins, dtype=np.int64) if len(begins) else sizes
        order = np.lexsort((begins, -sizes, -counts))
        order = order[(sizes[order] > 1) & (counts[order] >= min(2, len(sites.names)))]
        self._begins, self._sizes, self._counts = begins[order], sizes[order], counts[order]

    def __len__(self) -> int:
        """The number of groups."""
        return len(self._begins)

    def pages(self, most: int = 0, each: int = 0, *, published: bool = False) -> Iterator[DuplicatePage]:
        """Yields the pages of groups, group by group, in order of the sites and then of URLs.

        Args:
            most: the number of groups, 0 for all.
            each: the number of pages of a group on each site, 0 for all.
            published: reads from the pages when they were published.

        """
        parts: list[tuple[int, Places]] = []
        for group in range(len(self))[: most or None]:
            begin = int(self._begins[group])
            places = self._first_of_sites(self._places[begin : begin + int(self._sizes[group])], each)
            for start in range(0, len(places), AT_ONCE):
                parts.append((group, places[start : start + AT_ONCE]))
                if sum(len(part) for _, part in parts) >= AT_ONCE:
                    yield from self._read(parts, published=published)
                    parts = []
        yield from self._read(parts, published=published)

    def _first_of_sites(self, places: Places, each: int) -> Places:
        """Keeps ``each`` of some places on each site, 0 for all."""
        if not each:
            return places
        _, starts, counts = np.unique(self._site_of(places), return_index=True, return_counts=True)
        return places[np.arange(len(places)) - starts.repeat(counts) < each]

    def _read(self, parts: Sequence[tuple[int, Places]], *, published: bool) -> Iterator[DuplicatePage]:
        named, date_of = self._named([place for _, places in parts for place in places.tolist()], published)
        for group, places in parts:
            size, count = int(self._sizes[group]), int(self._counts[group])
            dates = [date_of.get(place) for place in places.tolist()]
            original = _earliest(dates) if len(places) == size else None
            for number, place in enumerate(places.tolist()):
                is_first = self._firsts[place] == place
                similarity = None if is_first else float(self._similarity[place])
                is_original = None if original is None else number == original
                yield DuplicatePage(
                    group + 1, size, count, similarity, *named[place], dates[number], is_original
                )

    def _named(
        self, places: Sequence[int], published: bool
    ) -> tuple[dict[int, tuple[str, str, str]], dict[int, str | None]]:
        """The site, URL and title of pages, and when they were published, by place."""
        named: dict[int, tuple[str, str, str]] = {}
        date_of: dict[int, str | None] = {}
        ordered = np.array(sorted(places), np.int32)
        site = self._site_of(ordered)
        for number in np.unique(site).tolist():
            place_of = {int(self._page[place]): place for place in ordered[site == number].tolist()}
            with self._sites.store(number) as store:
                named |= {
                    place: (self._sites.names[number], *store.pages.named(page))
                    for page, place in place_of.items()
                }
                if published:
                    dates = self._sites.field(store, list(place_of), "published")
                    date_of |= {place_of[page]: date for page, date in dates}
        return named, date_of

    def _site_of(self, places: Places) -> Ids:
        return self._starts.searchsorted(places, "right") - 1


def _earliest(dates: Sequence[str | None]) -> int | None:
    """The place of the date that is before all others; None where one is missing, or they may be the same."""
    spans = [_span(date) for date in dates if date]
    if len(spans) < len(dates):
        return None
    first = min(range(len(spans)), key=lambda place: spans[place][1])
    others: Iterable[datetime] = (span[0] for place, span in enumerate(spans) if place != first)
    return first if all(spans[first][1] < other for other in others) else None


def _span(date: str) -> tuple[datetime, datetime]:
    """Returns the first and the last moment that an ISO 8601 date or date-time may mean, without a zone."""
    moment = datetime.fromisoformat(date)
    if moment.tzinfo is not None:
        return moment, moment
    moment = moment.replace(tzinfo=UTC)
    return moment - _EAST, moment + _WEST + (_DAY if len(date) <= len("2026-01-01") else timedelta())
