"""The pages of a site as lists for people: by state, flag and share kept, some at a time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from store.states import CURRENT

if TYPE_CHECKING:
    import sqlite3

SORTS: Final = {
    "url": "url",
    "share": "share IS NULL, share",
    "size": "chars IS NULL, chars",
    "fetched": "fetched_at IS NULL, fetched_at",
}
"""Orders of a list, and what they compare."""
BARS: Final = 10
"""Parts of a histogram of shares."""
_MEASURED: Final = (
    "SELECT pages.page, url, coalesce(title, '') AS title, state, pages.reason AS reason, flags, fetched_at, "
    "json_extract(reasons, '$.chars') AS chars, json_extract(reasons, '$.chars_kept') AS kept, "
    "CAST(json_extract(reasons, '$.chars_kept') AS REAL) / nullif(json_extract(reasons, '$.chars'), 0) "
    "AS share FROM pages LEFT JOIN documents ON documents.page = pages.page AND op = 'index'"
)


@dataclass(slots=True, frozen=True)
class PageRow:
    """A page of a list: characters, how many of them its last document kept, and their share."""

    url: str
    title: str
    state: str
    reason: str | None
    flags: str
    fetched_at: str | None
    chars: int | None
    kept: int | None
    share: float | None


@dataclass(slots=True, frozen=True)
class PageQuery:
    """Pages to list.

    ``state`` and ``flag`` are empty for any. ``words`` stand in URL or title. ``least`` and ``most`` bound
    the share kept, None for no bound.
    """

    state: str = ""
    flag: str = ""
    words: str = ""
    least: float | None = None
    most: float | None = None
    sort: str = "url"
    falling: bool = False


class PageList:
    """Reads lists of pages on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: PageQuery, start: int, count: int) -> list[PageRow]:
        """Returns some of the pages that are asked for.

        Args:
            query: the pages, and their order.
            start: how many to pass over.
            count: how many to return at most.

        """
        order = " ".join(
            f"{part}{' DESC' if query.falling and 'NULL' not in part else ''},"
            for part in SORTS[query.sort].split(", ")
        )
        where, values = _condition(query)
        rows = self._connection.execute(
            f"SELECT url, title, state, reason, flags, fetched_at, chars, kept, share FROM ({_MEASURED}) "
            f"WHERE {where} ORDER BY {order} url LIMIT ? OFFSET ?",
            (*values, count, start),
        )
        return [PageRow(*row) for row in rows]

    def count(self, query: PageQuery) -> int:
        """Returns how many pages are asked for."""
        where, values = _condition(query)
        row = self._connection.execute(f"SELECT count(*) FROM ({_MEASURED}) WHERE {where}", values).fetchone()
        return int(row[0])

    def states(self) -> dict[str, int]:
        """Returns how many URLs are in each state."""
        return dict(
            self._connection.execute("SELECT state, count(*) FROM pages GROUP BY state ORDER BY state")
        )

    def flags(self) -> dict[str, int]:
        """Returns on how many pages each flag is."""
        found: dict[str, int] = {}
        rows = self._connection.execute("SELECT flags, count(*) FROM pages WHERE flags != '' GROUP BY flags")
        for flags, count in rows:
            for flag in flags.split():
                found[flag] = found.get(flag, 0) + count
        return dict(sorted(found.items()))

    def histogram(self) -> list[int]:
        """Returns how many documents keep up to a tenth of their page's text, up to two tenths, and so on."""
        bars = [0] * BARS
        rows = self._connection.execute(
            f"SELECT min(CAST(share * {BARS} AS INTEGER), {BARS - 1}) AS bar, count(*) FROM ({_MEASURED} "
            f"WHERE {CURRENT}) WHERE share IS NOT NULL GROUP BY bar"
        )
        for bar, count in rows:
            bars[bar] = count
        return bars

    def characters(self) -> tuple[int, int]:
        """Returns the characters of all pages that have a document, and how many of them are kept."""
        row = self._connection.execute(
            f"SELECT coalesce(sum(chars), 0), coalesce(sum(kept), 0) FROM ({_MEASURED} WHERE {CURRENT})"
        ).fetchone()
        return row[0], row[1]

    def with_block(self, block: int, count: int) -> list[str]:
        """Returns the URLs of some pages that have a block.

        Args:
            block: the fingerprint of its text (`pagelets.block_keys`).
            count: how many to return at most.

        """
        rows = self._connection.execute(
            "SELECT fragment, block_keys FROM fragments WHERE instr(block_keys, ?)",
            (np.int64(block).tobytes(),),
        )
        fragments = [
            fragment for fragment, keys in rows if (np.frombuffer(keys, BLOCK_KEYS)["block"] == block).any()
        ]
        found = self._connection.execute(
            "SELECT DISTINCT url FROM pagelets JOIN pages USING (page) WHERE fragment IN "
            f"(SELECT value FROM json_each(?)) AND {CURRENT} ORDER BY url LIMIT ?",
            (json.dumps(fragments), count),
        )
        return [url for (url,) in found]

    def neighbours(self, page: int) -> tuple[str | None, str | None]:
        """Returns the URLs before and after that of a page, of the pages that have a document."""
        select, url = f"SELECT url FROM pages WHERE {CURRENT} AND url", "SELECT url FROM pages WHERE page = ?"
        before, after = (
            self._connection.execute(
                f"{select} {than} ({url}) ORDER BY url {order} LIMIT 1", (page,)
            ).fetchone()
            for than, order in (("<", "DESC"), (">", "ASC"))
        )
        return before and before[0], after and after[0]


def _condition(query: PageQuery) -> tuple[str, list[str | float]]:
    """The condition on rows, and the values that are bound in it."""
    parts, values = ["1"], list[str | float]()
    if query.state:
        parts.append("state = ?")
        values.append(query.state)
    if query.flag:
        parts.append("instr(' ' || flags || ' ', ' ' || ? || ' ')")
        values.append(query.flag)
    for word in query.words.split():
        parts.append("(instr(lower(url), lower(?)) OR instr(lower(title), lower(?)))")
        values += [word, word]
    for bound, sign in ((query.least, ">="), (query.most, "<=")):
        if bound is not None:
            parts.append(f"share {sign} ?")
            values.append(bound)
    return " AND ".join(parts), values
