"""The pages of a site as lists for people: by state, flag and share kept, some at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pagelets.block_keys import BLOCK_KEYS
from store.states import CURRENT
from store.table import Table

_OF_REASONS: Final = "(reasons ->> '$.{}')"
_CHARS, _KEPT = (_OF_REASONS.format(name) for name in ("chars", "chars_kept"))
_SHARE: Final = f"CAST({_KEPT} AS REAL) / nullif({_CHARS}, 0)"
_PAGES: Final = "pages LEFT JOIN documents ON documents.page = pages.page AND op = 'index'"
SORTS: Final = {"url": "url", "share": _SHARE, "size": _CHARS, "fetched": "fetched_at"}
"""Orders of a list, and what they compare."""
BARS: Final = 10
"""Parts of a histogram of shares."""


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
class KeptText:
    """Characters of all documents' pages, and how many of them are kept; ``shares`` counts documents that
    keep up to a tenth of their page's text, up to two tenths, and so on.
    """

    chars: int
    chars_kept: int
    shares: list[int]


@dataclass(slots=True, frozen=True)
class PageQuery:
    """Pages to list.

    ``state`` and ``flag`` are empty for any. ``words`` stand in URL or title; ``lacks`` names a field that
    pages with a document have no value of, empty for all pages. ``least`` and ``most`` bound
    the share kept, None for no bound. ``among`` are the ids of the pages to choose from, None for all.
    """

    state: str = ""
    flag: str = ""
    words: str = ""
    least: float | None = None
    most: float | None = None
    sort: str = "url"
    falling: bool = False
    lacks: str = ""
    among: Sequence[int] | None = None


class PageList(Table):
    """Reads lists of pages on a connection."""

    def rows(self, query: PageQuery, start: int, count: int) -> list[PageRow]:
        """Returns some of the pages that are asked for.

        Args:
            query: the pages, and their order.
            start: how many to pass over.
            count: how many to return at most.

        """
        where, values = _condition(query)
        way = "DESC" if query.falling else "ASC"
        # Sorted are numbers alone: whole rows take several times as long.
        numbers = self._pages(
            f"SELECT pages.page FROM {_PAGES} WHERE {where} "
            f"ORDER BY {SORTS[query.sort]} {way} NULLS LAST, pages.page LIMIT ? OFFSET ?",
            *(*values, count, start),
        )
        rows = self._each(
            PageRow,
            "SELECT url, coalesce(title, ''), state, pages.reason, flags, fetched_at, "
            f"{_CHARS}, {_KEPT}, {_SHARE} FROM json_each(?) AS wanted "
            f"CROSS JOIN {_PAGES} WHERE pages.page = wanted.value ORDER BY wanted.key",
            json.dumps([*numbers]),
        )
        return list(rows)

    def count(self, query: PageQuery) -> int:
        """Returns how many pages are asked for."""
        where, values = _condition(query)
        tables = _PAGES if query.least is not None or query.most is not None else "pages"
        return self._count(f"{tables} WHERE {where}", *values)

    def flags(self) -> dict[str, int]:
        """Returns on how many pages each flag is."""
        counts: Counter[str] = Counter()
        rows = self._execute("SELECT flags, count(*) FROM pages WHERE flags != '' GROUP BY flags")
        for flags, count in rows:
            counts.update(dict.fromkeys(flags.split(), count))
        return dict(sorted(counts.items()))

    def kept(self) -> KeptText:
        """Returns how much of their text the pages keep that have a document."""
        shares, chars, kept = [0] * BARS, 0, 0
        # Each JSON is read once: without MATERIALIZED, wherever one of its values is named.
        rows = self._execute(
            f"WITH own AS MATERIALIZED (SELECT {_CHARS} AS chars, {_KEPT} AS kept FROM pages "
            f"CROSS JOIN documents ON documents.page = pages.page AND op = 'index' WHERE {CURRENT}) "
            f"SELECT min(CAST(kept * {BARS} / nullif(chars, 0) AS INTEGER), {BARS - 1}) AS bar, count(*), "
            "sum(chars), sum(kept) FROM own GROUP BY bar"
        )
        for bar, count, bar_chars, own_kept in rows:
            chars, kept = chars + (bar_chars or 0), kept + (own_kept or 0)
            if bar is not None:
                shares[bar] = count
        return KeptText(chars, kept, shares)

    def with_block(self, block: int, count: int) -> list[str]:
        """Returns the URLs of some pages that have a block.

        Args:
            block: the fingerprint of its text (`pagelets.block_keys`).
            count: how many to return at most.

        """
        rows = self._execute(
            "SELECT fragment, block_keys FROM fragments WHERE instr(block_keys, ?)",
            (np.int64(block).tobytes(),),
        )
        fragments = [
            fragment for fragment, keys in rows if (np.frombuffer(keys, BLOCK_KEYS)["block"] == block).any()
        ]
        urls = self._each(
            str,
            "SELECT DISTINCT url FROM pagelets JOIN pages USING (page) WHERE fragment IN "
            f"(SELECT value FROM json_each(?)) AND {CURRENT} ORDER BY url LIMIT ?",
            *(json.dumps(fragments), count),
        )
        return list(urls)

    def around(self, page: int, count: int) -> list[int]:
        """Returns pages that have a document and are next to another in the order of URLs.

        Args:
            page: the other page.
            count: how many to return at most, on each side.

        """
        return [other for side in self._beside(page, count) for other, _ in side]

    def neighbours(self, page: int) -> tuple[str | None, str | None]:
        """Returns the URLs before and after that of a page, of the pages that have a document."""
        before, after = ([url for _, url in side] for side in self._beside(page, 1))
        return next(iter(before), None), next(iter(after), None)

    def _beside(self, page: int, count: int) -> list[list[tuple[int, str]]]:
        """The nearest pages with a document before and after a page, with their URLs."""
        select = f"SELECT page, url FROM pages WHERE {CURRENT} AND url"
        return [
            self._execute(
                f"{select} {than} (SELECT url FROM pages WHERE page = ?) ORDER BY url {order} LIMIT ?",
                (page, count),
            ).fetchall()
            for than, order in (("<", "DESC"), (">", "ASC"))
        ]


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
        # SQLite's own knows ASCII alone, and is faster.
        fold = "lower" if word.isascii() else "casefold"
        parts.append(f"(instr({fold}(url), {fold}(?)) OR instr({fold}(title), {fold}(?)))")
        values += [word, word]
    if query.lacks:
        found = "instr(' ' || found || ' ', ' ' || ? || ' ')"
        parts.append(f"{CURRENT} AND pages.page NOT IN (SELECT page FROM page_fields WHERE {found})")
        values.append(query.lacks)
    if query.among is not None:
        parts.append("pages.page IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(query.among))
    for bound, sign in ((query.least, ">="), (query.most, "<=")):
        if bound is not None:
            parts.append(f"{_SHARE} {sign} ?")
            values.append(bound)
    return " AND ".join(parts), values
