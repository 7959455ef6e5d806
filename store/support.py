"""Repeated blocks of the site: the tables BLOCKS, PLACED_BLOCKS and TAG_PATH_SUPPORT.

Counts hold still while they hardly move. A page more or less changes the shares of all that a site repeats a
little, and with them what every page is judged by. So a stored count stays until it has moved past a margin:
a page is judged again where something has moved that it depends on, and a block near the threshold does not
change sides for nothing. A count that drifts on is taken when it is past the margin, so that it is never
further off than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from pagelets.judging.naming import support_name
from pagelets.judging.support import CountTable, SupportTables
from store.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pagelets.detection.blocks import RepeatedBlocks, Support

    Values: TypeAlias = NDArray[np.float32]
    Repeated: TypeAlias = NDArray[np.bool_]

_TABLES: Final = {
    "blocks": ("fingerprint", "pages", "share"),
    "placed_blocks": ("fingerprint", "pages", "share"),
    "tag_path_support": ("tag_path_key", "pages", "share", "singleton_share", "document_frequency"),
}
MARGIN: Final = 0.05
"""Of the greater of two counts or shares. docs/benchmarks.md has its gain and its cost."""
FEWEST: Final = 100
"""Pages of a site: of fewer each one moves shares by a lot, and all are judged in no time."""


def steady(old: NDArray[Any], new: NDArray[Any], size: int) -> NDArray[np.bool_]:
    """Marks counts or shares of a site of ``size`` pages that stay as they are, from ``old`` to ``new``; a
    negative one is unknown.
    """
    margin = MARGIN if size >= FEWEST else 0.0
    stays: NDArray[np.bool_] = np.abs(old - new) <= margin * np.maximum(old, new)
    return stays


class StoredSupport(Table):
    """Reads and writes what detection counted; writes belong to the caller's transaction."""

    def replace(
        self, detected: RepeatedBlocks, repeated: Callable[[Values, Values], Repeated] | None = None
    ) -> None:
        """Stores the result of a detection in place of the one before.

        Values that have hardly moved stay (`steady`), unless a new one changes whether a block is
        ``repeated``, a function of pages and shares.
        """
        size = int(detected.host_pages.sum())
        supports: dict[str, tuple[Support, tuple[NDArray[np.float64], ...]]] = {
            "blocks": (detected.blocks, ()),
            "placed_blocks": (detected.placed, ()),
            "tag_path_support": (detected.tag_paths, (detected.singleton_share, detected.document_frequency)),
        }
        for name, (support, others) in supports.items():
            values: list[NDArray[Any]] = [support.pages, support.share, *others]
            before = self._columns(name)
            old, new = before.find(support.key), np.array(values, np.float32)
            stays = steady(old, new, size).all(axis=0) & (old[0] > 0)
            if repeated is not None and name == "blocks":
                stays &= repeated(old[0], old[1]) == repeated(new[0], new[1])
            gone = np.setdiff1d(before.keys, support.key, assume_unique=True)
            self._write(name, gone, support.key[~stays], [column[~stays] for column in values])
        now = dict(zip(detected.hosts.tolist(), detected.host_pages.tolist(), strict=True))
        moved = [
            (now.get(host, 0), host)
            for host, pages in self.host_pages().items()
            if not steady(np.array(pages), np.array(now.get(host, 0)), size)
        ]
        self._executemany("UPDATE hosts SET pages = ? WHERE host = ?", moved)

    def _write(
        self, name: str, gone: NDArray[np.int64], keys: NDArray[np.int64], values: Sequence[NDArray[Any]]
    ) -> None:
        executemany, key = self._executemany, _TABLES[name][0]
        executemany(f"DELETE FROM {name} WHERE {key} = ?", ((gone_key,) for gone_key in gone.tolist()))
        marks = ", ".join("?" * len(_TABLES[name]))
        # One by one: as Python's objects a large site's rows are ten times as large.
        columns = (np.ascontiguousarray(column).data for column in (keys, *values))
        executemany(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", zip(*columns, strict=True))

    def tables(self) -> SupportTables:
        """The tables as they stand."""
        return SupportTables(*map(self._columns, _TABLES))

    def host_pages(self) -> dict[int, int]:
        """The number of pages that each host is known by, duplicates left out."""
        return dict(self._execute("SELECT host, pages FROM hosts"))

    def digest(self) -> bytes:
        """Names the counts: equal counts have equal names."""
        sizes = self._execute("SELECT name, pages FROM hosts WHERE pages ORDER BY name")
        return support_name(map(self._columns, _TABLES), sizes.fetchall())

    def _columns(self, name: str) -> CountTable:
        key, *others = columns = _TABLES[name]
        rows = self._execute(f"SELECT {', '.join(columns)} FROM {name} ORDER BY {key}")
        table = np.fromiter(rows, np.dtype([(key, np.int64), *((other, np.float32) for other in others)]))
        return CountTable(table[key].copy(), np.array([table[other] for other in others]))
