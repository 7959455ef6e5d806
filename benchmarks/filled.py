"""A store filled directly, as a crawl of a generated site would leave it: so many pages in minutes.

Each page has 10 pagelets, 23 blocks and 33 links: a menu that all pages share, what its section shares,
a teaser that three pages share, and three pagelets of its own. Every tenth page is nearly the same as the one
before it, one in fifty shows one text of the site. All documents were delivered; one sink has half of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import zstandard

from pagelets.block_keys import BLOCK_KEYS
from pagelets.duplicates import VALUES, bands
from store.site import Store

SINK: Final = "one"
HOST: Final = "http://million.example"
_SECTION: Final = 100
_AT_ONCE: Final = 20_000
_MENU: Final = (4, 4, 2)
_OF_SECTION: Final = (2, 4, 2)
_TEASER: Final = (1, 3, 2)
_OWN: Final = (3, 2, 3)
"""Pagelets a page, links a pagelet, blocks a pagelet."""
_MIX: Final = 0x9E3779B97F4A7C15


def url(page: int, pages: int) -> str:
    """The address of a page; a fifth of them differ in their query alone from others."""
    place = page * 7919 % pages
    return f"{HOST}/list?at={place}" if page % 5 == 0 else f"{HOST}/s{page // _SECTION}/article-{place}.html"


def fill(folder: Path, pages: int) -> None:
    """Makes a store of so many pages in a folder."""
    with Store.open(folder, create=True) as store:
        execute = store.connection.execute
        for pragma in ("synchronous = OFF", "cache_size = -1000000", "wal_autocheckpoint = 100000"):
            execute(f"PRAGMA {pragma}")
        tables: dict[str, Iterable[tuple[Any, ...]]] = {
            "hosts": [(1, HOST.partition("//")[2], pages)],
            "runs": [(1, "", "", "complete", "{}", "{}", "{}")],
            "tag_paths": [(path, 0, f"div.c{path}") for path in range(1, 1 + _pagelets_a_page())],
            "pages": _pages(pages),
            "bodies": _bodies(pages),
            "pagelets": _pagelets(pages),
            **_fragments(pages),
            "documents": (_document(page) for page in range(1, pages + 1)),
            "sinks": [(1, SINK, "index")],
            "deliveries": sorted((1, url(page, pages), page, 1) for page in range(1, pages + 1, 2)),
            "signatures": ((page, row.tobytes(), None) for page, row in _signatures(pages)),
        }
        for name, rows in tables.items():
            _insert(store, name, rows)
        keys = ((key, page) for page, row in _signatures(pages) for key in bands(row))
        execute("CREATE TEMP TABLE keyed (band INTEGER, page INTEGER)")
        store.connection.executemany("INSERT INTO keyed VALUES (?, ?)", keys)
        for statement in (
            "INSERT INTO signature_bands SELECT * FROM keyed ORDER BY 1, 2",
            "INSERT INTO fragment_index SELECT fingerprint, fragment FROM fragments ORDER BY 1",
            "INSERT INTO meta SELECT 'indexed_fragments', max(fragment) FROM fragments",
            "INSERT INTO meta VALUES ('derivation', '{}'), ('template_version', 'new'), ('site_text', '1')",
        ):
            execute(statement)


def _insert(store: Store, name: str, rows: Iterable[tuple[Any, ...]]) -> None:
    rows = iter(rows)
    first = next(rows)
    columns = _COLUMNS.get(name, "")
    statement = f"INSERT INTO {name} {columns} VALUES ({', '.join('?' * len(first))})"
    store.connection.execute(statement, first)
    while batch := list(islice(rows, _AT_ONCE)):
        with store.transaction():
            store.connection.executemany(statement, batch)


_COLUMNS: Final = {
    "pages": "(page, url, host, state, depth, run, fetched_run, status, fetched_at, fingerprint, title, "
    "seen_run, checked_at)",
    "documents": "(page, run, content_hash, template_version, mask, reasons, delivered, version, basis, "
    "keys)",
}


def _pages(pages: int) -> Iterator[tuple[Any, ...]]:
    for page in range(1, pages + 1):
        title = f"Article {page} of {page * 31 % 997} - Million"
        fingerprint = page * _MIX >> 2 & ((1 << 62) - 1)
        fetched = (1, 1, 200, "2026-01-01T00:00:00Z", fingerprint)
        yield (page, url(page, pages), 1, "delivered", page % 9, *fetched, title, 1, 1)


def _bodies(pages: int) -> Iterator[tuple[Any, ...]]:
    pack = zstandard.ZstdCompressor().compress
    body, headers = pack(b"<p>"), pack(b"[]")
    return ((page, "utf-8", headers, None, 3, body) for page in range(1, pages + 1))


def _document(page: int) -> tuple[Any, ...]:
    reasons = '{"blocks": 23, "kept_whole": 0, "pagelets": 10, "pagelets_template": 4}'
    return page, 1, f"{page:032x}", "old", b"abc", reasons, 1, page, bytes(16), bytes(46)


def _pagelets_a_page() -> int:
    return sum(kind[0] for kind in (_MENU, _OF_SECTION, _TEASER, _OWN))


def _starts(pages: int) -> tuple[int, int, int, int]:
    """The first fragment of each kind, and that behind the last."""
    section = 1 + _MENU[0]
    teaser = section + (pages // _SECTION + 1) * _OF_SECTION[0]
    unique = teaser + pages // 3 + 1
    return section, teaser, unique, unique + pages * _OWN[0]


def _pagelets(pages: int) -> Iterator[tuple[int, int, int, int]]:
    section, teaser, unique, _ = _starts(pages)
    for page in range(1, pages + 1):
        of_section = section + (page - 1) // _SECTION * _OF_SECTION[0]
        first = unique + (page - 1) * _OWN[0]
        held = [
            *range(1, 1 + _MENU[0]),
            *range(of_section, of_section + _OF_SECTION[0]),
            teaser + page % (pages // 3 + 1),
            *range(first, first + _OWN[0]),
        ]
        for position, fragment in enumerate(held):
            yield page, position, fragment, 1 + position


def _fragments(pages: int) -> dict[str, Iterable[tuple[Any, ...]]]:
    section, teaser, unique, end = _starts(pages)

    def kinds() -> Iterator[tuple[int, tuple[int, int, int], int]]:
        for start, stop, kind, path in (
            (1, section, _MENU, 1),
            (section, teaser, _OF_SECTION, 5),
            (teaser, unique, _TEASER, 7),
            (unique, end, _OWN, 8),
        ):
            for fragment in range(start, stop):
                yield fragment, kind, path + (fragment - start) % kind[0]

    def rows() -> Iterator[tuple[Any, ...]]:
        for fragment, (_, links, blocks), path in kinds():
            mixed = fragment * _MIX & ((1 << 63) - 1)
            keys = np.zeros(blocks, BLOCK_KEYS)
            keys["block"] = mixed + np.arange(1, blocks + 1)
            keys["tag_path"] = path * 10 + np.arange(blocks)
            keys["placed"] = (mixed + np.arange(blocks)) & 0xFFFFFFFF
            yield fragment, mixed, mixed, bytes(32), 30, 200, links, 1, keys.tobytes()

    def links() -> Iterator[tuple[Any, ...]]:
        for fragment, (_, count, _), _ in kinds():
            for position in range(count):
                near = fragment if fragment < unique else (fragment - unique) // _OWN[0]
                target = 1 + (near + position * (17 if fragment < unique else 1)) % pages
                yield fragment, position, target, "an anchor text", 0

    return {"fragments": rows(), "fragment_links": links()}


def _signatures(pages: int) -> Iterator[tuple[int, Any]]:
    random = np.random.default_rng(1)
    repeated = random.integers(0, 1 << 32, VALUES, dtype="<u4")
    before = repeated
    for page in range(1, pages + 1):
        if page % 50 == 0:
            row = repeated
        elif page % 10 == 0:
            row = before.copy()
            row[page % VALUES] ^= 1
        else:
            row = random.integers(0, 1 << 32, VALUES, dtype="<u4")
        yield page, row
        before = row
