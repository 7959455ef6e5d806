"""What the site repeats: the tables TEMPLATES, PAGE_SETS and BLOCKS."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pagelets.detection import Templates as FoundTemplates
    from pagelets.detection.blocks import RepeatedBlocks

FOUND: Final = "found"


@dataclass(slots=True, frozen=True)
class Template:
    """A template as stored: ``page_set`` is None where it is wherever its sketch occurs."""

    template: int
    sketch: int
    page_set: int | None
    algorithm: str
    pages: int
    share: float
    sample_page: int
    sample_position: int
    state: str
    first_run: int
    last_run: int


class Templates:
    """Reads and writes what detection found; writes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replace(
        self,
        found: FoundTemplates,
        blocks: RepeatedBlocks,
        *,
        algorithm: str,
        min_pages: int,
        min_share: float,
        run: int,
    ) -> None:
        """Stores the result of a detection in place of the one before.

        A template takes the id of the earlier one with the same sketch and the largest overlap of pages, else
        a new one.
        """
        execute = self._connection.execute
        earlier: dict[int, list[tuple[int, int | None, int]]] = defaultdict(list)
        known = execute("SELECT template, sketch, page_set, first_run FROM templates ORDER BY template")
        for template, sketch, page_set, first_run in known:
            earlier[sketch].append((template, page_set, first_run))
        earlier_sets = dict(self._page_sets())
        execute("DELETE FROM page_sets")
        self._connection.executemany(
            "INSERT INTO page_sets VALUES (?, ?)",
            ((number, pages.astype("<i4").tobytes()) for number, pages in enumerate(found.groups)),
        )
        rows: list[tuple[Any, ...]] = []
        for row in range(len(found)):
            sketch, group = int(found.sketch[row]), int(found.group[row])
            pages = None if group < 0 else found.groups[group]
            template, first_run = _take_earlier(earlier.get(sketch, []), pages, earlier_sets, run)
            rows.append(
                (
                    template,
                    sketch,
                    None if group < 0 else group,
                    algorithm,
                    min_pages,
                    min_share,
                    int(found.pages[row]),
                    float(found.share[row]),
                    int(found.sample_page[row]),
                    int(found.sample_position[row]),
                    FOUND,
                    first_run,
                    run,
                )
            )
        execute("DELETE FROM templates")
        # Those that keep their id first: a new id may not take one of theirs.
        rows.sort(key=lambda row: row[0] is None)
        self._connection.executemany(
            "INSERT INTO templates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
        )
        execute("DELETE FROM blocks")
        self._connection.executemany(
            "INSERT INTO blocks VALUES (?, ?, ?)",
            zip(blocks.fingerprint.tolist(), blocks.pages.tolist(), blocks.share.tolist(), strict=True),
        )

    def all(self) -> Iterator[Template]:
        """The templates, those on most pages first."""
        rows = self._connection.execute(
            "SELECT template, sketch, page_set, algorithm, pages, share, sample_page, sample_position, "
            "state, first_run, last_run FROM templates ORDER BY pages DESC, template"
        )
        return (Template(*row) for row in rows)

    def count(self) -> int:
        """How many templates there are."""
        return int(self._connection.execute("SELECT count(*) FROM templates").fetchone()[0])

    def page_set(self, number: int) -> NDArray[np.int32]:
        """The pages of a set, as sorted ids."""
        row = self._connection.execute("SELECT pages FROM page_sets WHERE page_set = ?", (number,)).fetchone()
        return np.frombuffer(row[0], "<i4")

    def repeated_blocks(self, min_pages: int, min_share: float) -> dict[int, tuple[int, float]]:
        """Block fingerprint -> (pages, share) of the blocks on so many pages and this share of them."""
        rows = self._connection.execute(
            "SELECT fingerprint, pages, share FROM blocks WHERE pages >= ? AND share >= ?",
            (min_pages, min_share),
        )
        return {fingerprint: (pages, share) for fingerprint, pages, share in rows}

    def version(self, min_pages: int, block_share: float) -> str:
        """Names the set of templates, and of the blocks that `repeated_blocks` gives: equal sets have equal
        names, whatever ids their pages and templates bear.
        """
        digest = hashlib.blake2b(digest_size=8)
        rows = self._connection.execute(
            "SELECT sketch, page_set IS NOT NULL, iif(page_set IS NULL, '', url) FROM templates "
            "LEFT JOIN pages ON pages.page = sample_page ORDER BY 1, 2, 3"
        )
        for row in rows:
            digest.update(repr(row).encode())
        rows = self._connection.execute(
            "SELECT fingerprint FROM blocks WHERE pages >= ? AND share >= ? ORDER BY 1",
            (min_pages, block_share),
        )
        for row in rows:
            digest.update(repr(row).encode())
        return digest.hexdigest()

    def _page_sets(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        for number, pages in self._connection.execute("SELECT page_set, pages FROM page_sets"):
            yield number, np.frombuffer(pages, "<i4")


def _take_earlier(
    known: list[tuple[int, int | None, int]],
    pages: NDArray[np.int32] | None,
    sets: dict[int, NDArray[np.int32]],
    run: int,
) -> tuple[int | None, int]:
    """The id and first run of the earlier template that this one continues; takes it off the list."""
    best, best_overlap = None, -1
    for index, (_, page_set, _) in enumerate(known):
        if pages is None or page_set is None:
            # One of the two is everywhere: it overlaps with all of the other.
            overlap = len(sets[page_set]) if page_set is not None else 1 << 31
        else:
            overlap = len(np.intersect1d(pages, sets[page_set], assume_unique=True))
        if overlap > best_overlap and (overlap > 0 or pages is None):
            best, best_overlap = index, overlap
    if best is None:
        return None, run
    template, _, first_run = known.pop(best)
    return template, first_run
