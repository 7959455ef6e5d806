"""The published tables of many stores as one: what detection reads where sites share templates."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from pagelets.detection.sites import SITE_BITS
from store.errors import StoreUnusable
from store.evidence import COLUMNS, limited
from store.publish import TABLES

_KEY: Final = 1 << SITE_BITS
READ: Final = {
    "pages": ("page", "url", "host_name", "fingerprint"),
    **COLUMNS,
}
"""The tables that are read, and their columns. Of all sites they are the relations ``every_NAME``, with the
number of the site in the column ``site``.
"""
_IDS: Final = ("page", "fragment", "target")

# A page that two stores have, as their sites overlap, is one page: that of the first of them. A host that two
# sites have is one host.
PAGES: Final = f"""
WITH cut AS (
    SELECT site * {_KEY} + page AS page, host_name, url, fingerprint
    FROM every_pages
    WHERE fingerprint IS NOT NULL
        AND site * {_KEY} + page IN (SELECT site * {_KEY} + page FROM every_pagelets)
),
firsts AS (SELECT MIN(page) AS page FROM cut GROUP BY url),
hosts AS (SELECT host_name, MIN(page) AS host FROM cut GROUP BY host_name)
SELECT cut.page, hosts.host, cut.url, cut.fingerprint
FROM cut
JOIN firsts ON firsts.page = cut.page
JOIN hosts ON hosts.host_name = cut.host_name
"""
# A store knows the pages of a sister site as addresses out of its scope: links to these lead to the sister's.
ELSEWHERE: Final = f"""
SELECT every_pages.site * {_KEY} + every_pages.page AS target, pages.page AS page
FROM every_pages
JOIN pages ON pages.url = every_pages.url
WHERE pages.page <> every_pages.site * {_KEY} + every_pages.page
"""
VIEWS: Final = {
    "pagelets": (
        f"SELECT site * {_KEY} + page AS page, position, site * {_KEY} + fragment AS fragment "
        "FROM every_pagelets"
    ),
    "fragments": f"SELECT site * {_KEY} + fragment AS fragment, sketch FROM every_fragments",
    "fragment_links": (
        f"SELECT site * {_KEY} + fragment AS fragment, "
        f"COALESCE(elsewhere.page, site * {_KEY} + every_fragment_links.target) AS target "
        f"FROM every_fragment_links LEFT JOIN elsewhere "
        f"ON elsewhere.target = site * {_KEY} + every_fragment_links.target"
    ),
}
"""The relations of `pagelets.detection.relations` beside `PAGES`."""
_SITES_OF_SKETCHES: Final = f"""
SELECT fragments.sketch, pagelets.page >> {SITE_BITS} AS site, COUNT(DISTINCT pagelets.page) AS pages
FROM pagelets
JOIN fragments ON fragments.fragment = pagelets.fragment
WHERE fragments.sketch IN (SELECT UNNEST(?))
GROUP BY ALL
ORDER BY ALL
"""


@dataclass(slots=True, frozen=True)
class Published:
    """The folder of a store's published tables, and the name of its site."""

    site: str
    tables: Path

    @property
    def home(self) -> Path:
        """The folder of the store."""
        return self.tables.parent

    @property
    def mend(self) -> str:
        """The command that makes a table anew, for a message."""
        return f"scrapy publish {self.site} writes it anew"

    def file(self, name: str) -> Path:
        """The file of a table."""
        return self.tables / f"{name}.parquet"


def check(published: Sequence[Published]) -> None:
    """Looks at the columns of all tables that are read. Raises StoreUnusable, which names the file."""
    for publication in published:
        for name, columns in READ.items():
            path, mend = publication.file(name), publication.mend
            try:
                schema = pq.read_schema(path)
            except FileNotFoundError:
                raise StoreUnusable(f"{path}: there is no such table; {mend}") from None
            except (pa.ArrowException, OSError) as error:
                raise StoreUnusable(f"{path}: cannot be read ({_line(error)}); {mend}") from error
            for column in columns:
                kind = TABLES[name][1][column]
                if schema.get_field_index(column) < 0 or schema.field(column).type != kind:
                    raise StoreUnusable(
                        f"{path}: has no column {column!r} of type {kind}: it is of another version; {mend}"
                    )


@contextlib.contextmanager
def unchanged(published: Sequence[Published]) -> Iterator[None]:
    """Raises StoreUnusable, which names the file, where a table is replaced inside, as the end of a crawl
    does: what was read would be of two moments.
    """
    before = {path: _stamp(path) for publication in published for path in map(publication.file, READ)}
    try:
        yield
    finally:
        for path, stamp in before.items():
            if _stamp(path) != stamp:
                raise StoreUnusable(f"{path}: was published anew meanwhile; run the command again")


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


@contextlib.contextmanager
def united(
    published: Sequence[Published], *, memory: int, threads: int, spill: Path
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens DuckDB over the published tables of many stores, in this order, with the relations of
    `pagelets.detection.relations`, whose ids carry their site (`pagelets.detection.sites`).

    Args:
        published: the tables of each store.
        memory: the MB of memory that DuckDB may use.
        threads: the threads that it may use.
        spill: a folder for data beyond its memory.

    Raises:
        StoreUnusable: a table cannot be read; the text names the file.
        duckdb.OutOfMemoryException: the memory is not enough.

    """
    with unchanged(published), limited(spill, memory=memory, threads=threads) as con:
        check(published)
        for name, columns in READ.items():
            _show(con, published, name, columns)
        con.execute(f"CREATE TABLE pages AS {PAGES}")
        con.execute(f"CREATE TABLE elsewhere AS {ELSEWHERE}")
        for name, select in VIEWS.items():
            con.execute(f"CREATE VIEW {name} AS {select}")
        yield con


def pages_of_sites(con: duckdb.DuckDBPyConnection, sketches: Collection[int]) -> dict[int, dict[int, int]]:
    """Sketch -> number of each site on whose pages it stands -> on how many, of the relations of `united`."""
    by_sketch: dict[int, dict[int, int]] = {}
    for sketch, site, pages in con.execute(_SITES_OF_SKETCHES, [list(sketches)]).fetchall():
        by_sketch.setdefault(sketch, {})[site] = pages
    return by_sketch


def wrong(columns: Sequence[str]) -> str:
    """Returns the condition for a row that no store would write."""
    return " OR ".join(
        f"{column} IS NULL" + (f" OR {column} NOT BETWEEN 0 AND {_KEY - 1}" if column in _IDS else "")
        for column in columns
        # A page that was never fetched lacks it.
        if column != "fingerprint"
    )


def wrong_row(file: str) -> StoreUnusable:
    """The error of a file in which a row is `wrong`."""
    return StoreUnusable(
        f"{file}: a row has no value, or an id that no store gives; publish the site's tables anew"
    )


def _show(
    con: duckdb.DuckDBPyConnection, published: Sequence[Published], name: str, columns: Sequence[str]
) -> None:
    """Shows a table of all sites, once no row of it is wrong. Raises StoreUnusable."""
    files = [_quoted(publication.file(name)) for publication in published]
    source = f"read_parquet([{', '.join(files)}], filename = true)"
    try:
        wrong_rows = con.execute(f"SELECT filename FROM {source} WHERE {wrong(columns)} LIMIT 1").fetchall()
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise _culprit(con, published, name) or StoreUnusable(f"{name}.parquet: {_line(error)}") from error
    if wrong_rows:
        raise wrong_row(wrong_rows[0][0])
    con.execute(
        f"CREATE TABLE sites_of_{name} AS SELECT UNNEST([{', '.join(files)}]) AS filename, "
        f"UNNEST(range({len(files)})) AS site"
    )
    con.execute(
        f"CREATE VIEW every_{name} AS SELECT site, {', '.join(columns)} FROM {source} "
        f"JOIN sites_of_{name} USING (filename)"
    )


def _culprit(
    con: duckdb.DuckDBPyConnection, published: Sequence[Published], name: str
) -> StoreUnusable | None:
    """The first file that cannot be read by itself."""
    for publication in published:
        path = publication.file(name)
        try:
            con.execute(f"SELECT COUNT(COLUMNS(*)) FROM read_parquet({_quoted(path)})").fetchall()
        except duckdb.Error as error:
            return StoreUnusable(f"{path}: cannot be read ({_line(error)}); {publication.mend}")
    return None


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
