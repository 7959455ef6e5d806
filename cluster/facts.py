"""Findings of detection for a site, from rows of `cluster.schemas.KNOWN`."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, pairwise, repeat, starmap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from cluster.keys import unkeyed
from cluster.schemas import BLOCK, DECIDED, HOST, KNOWN, LINK, MEMBER, PLACED, TAG_PATH, TEMPLATE, TITLE
from pagelets.judging.found import FoundSite, FoundTemplate, Host
from pagelets.judging.support import CountTable, SupportTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_COLUMNS: Final[dict[int, tuple[str, ...]]] = {
    HOST: ("key", "pages"),
    BLOCK: ("key", "pages", "share"),
    PLACED: ("key", "pages", "share"),
    TAG_PATH: ("key", "pages", "share", "singletons", "frequency"),
    TEMPLATE: ("key", "pages", "share", "first", "page_set", "component"),
    MEMBER: ("key", "page_set", "component"),
    TITLE: ("pages",),
    LINK: ("key", "page_set"),
    DECIDED: ("key", "pages", "share"),
}
"""The columns of each kind that say something."""
_KEYED: Final = frozenset({HOST, BLOCK, PLACED, TAG_PATH, TEMPLATE, MEMBER, LINK})


class SiteRows:
    """Takes rows of one site, kind after kind; gives what detection has found of it."""

    def __init__(self, site: int) -> None:
        self._site = site
        self._rows: dict[int, list[pa.RecordBatch]] = defaultdict(list)

    def add(self, kind: int, rows: pa.RecordBatch) -> None:
        """Takes rows of a kind."""
        self._rows[kind].append(rows.select([*_COLUMNS[kind], "name"]))

    def _column(self, kind: int, name: str) -> pa.ChunkedArray:
        return pa.chunked_array([rows.column(name) for rows in self._rows[kind]], KNOWN.field(name).type)

    def _of(self, kind: int, name: str) -> NDArray[Any]:
        # A local detection has no sets of pages.
        numbers = self._column(kind, name).fill_null(0).to_numpy()
        return unkeyed(numbers, self._site) if name == "key" and kind in _KEYED else numbers

    def _names(self, kind: int) -> list[str]:
        names = self._column(kind, "name").to_pylist()
        return [name.decode("utf-8", "surrogatepass") for name in names]

    def links(self) -> list[tuple[int, int]]:
        """The links between pages, by the fingerprints of their addresses."""
        targets = unkeyed(self._of(LINK, "page_set"), self._site)
        return list(zip(self._of(LINK, "key").tolist(), targets.tolist(), strict=True))

    def found(self) -> FoundSite:
        """The findings of detection; pages are numbered by the fingerprints of their addresses."""
        templates, sets = self._templates()
        decided = zip(*(self._of(DECIDED, name).tolist() for name in _COLUMNS[DECIDED]), strict=True)
        sizes = zip(self._names(HOST), self._of(HOST, "pages").tolist(), strict=True)
        counts = zip(self._names(TITLE), self._of(TITLE, "pages").tolist(), strict=True)
        return FoundSite(
            templates,
            sets,
            sets,
            SupportTables(*self._tables()),
            dict(zip(self._of(HOST, "key").tolist(), starmap(Host, sizes), strict=True)),
            list(chain.from_iterable(repeat(*count) for count in counts)),
            {sketch: (pages, share) for sketch, pages, share in decided},
        )

    def _tables(self) -> list[CountTable]:
        tables = []
        for kind in (BLOCK, PLACED, TAG_PATH):
            keys = self._of(kind, "key")
            order = np.argsort(keys)
            values = [self._of(kind, name)[order] for name in _COLUMNS[kind][1:]]
            tables.append(CountTable(keys[order], np.array(values, np.float32)))
        return tables

    def _templates(self) -> tuple[list[FoundTemplate], list[NDArray[np.int64]]]:
        """The templates in the order of sketches and of the first of their pages, and the sets of pages that
        they are on.
        """
        columns = [self._of(TEMPLATE, name) for name in _COLUMNS[TEMPLATE]]
        order = np.lexsort((columns[3], columns[0]))
        rows = zip(*(column[order].tolist() for column in columns), strict=True)
        sets = self._page_sets()
        numbers = {name: number for number, name in enumerate(sets)}
        templates = [
            FoundTemplate(sketch, pages, share, numbers.get((page_set, component)))
            for sketch, pages, share, _, page_set, component in rows
        ]
        return templates, list(sets.values())

    def _page_sets(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        pages, *names = (self._of(MEMBER, name) for name in _COLUMNS[MEMBER])
        order = np.lexsort((pages, *reversed(names)))
        sets = np.rec.fromarrays([column[order] for column in names])
        return {sets[begin].item(): pages[order[begin:stop]] for begin, stop in runs_of(sets)}


def runs_of(values: Sequence[Any] | NDArray[Any]) -> list[tuple[int, int]]:
    """Returns the runs of equal values: (begin, stop) of each."""
    column = np.asarray(values)
    bounds = [0, *(np.flatnonzero(column[1:] != column[:-1]) + 1).tolist(), len(column)]
    return [(begin, stop) for begin, stop in pairwise(bounds) if stop > begin]
