"""Small sites for tests of the store: pages are lists of pagelets, a pagelet is a text and its links."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pagelets.block_keys import BLOCK_KEYS, block_fingerprint
from pagelets.sketch import Scheme, fingerprint
from store.bodies import Body
from store.frontier import Due, Target
from store.records import FetchedPage, FragmentLink, NewFragment
from store.schema import TABLES
from store.site import Store

SCHEME = Scheme(shingle_size=2)
HOST = "http://site.example"


class Pagelet(NamedTuple):
    text: str
    links: tuple[str, ...] = ()
    path: str = "html/body/div"


def in_memory() -> Store:
    """A store that leaves nothing on disk; it has no second reader."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(TABLES)
    return Store(Path("site.example"), connection)


def url(name: str) -> str:
    return name if "://" in name else f"{HOST}/{name}"


def add(store: Store, name: str, depth: int = 0, refusal: str | None = None) -> int:
    with store.transaction():
        return store.frontier.add(Target(url(name), refusal), depth)


def fetched(
    store: Store,
    name: str,
    pagelets: list[Pagelet],
    *,
    depth: int = 0,
    body: bytes = b"",
    limit: int = 100,
    follow: tuple[str, ...] = (),
    everything_new: bool = False,
) -> FetchedPage:
    """A page as the pipeline hands it to the store; links at ``limit`` are refused for their depth."""

    def target(link: str) -> Target:
        return Target(url(link), "depth" if depth >= limit else None)

    fingerprints = [fingerprint([p.text], [*map(url, p.links), str(place(p))]) for p in pagelets]
    unknown = set(fingerprints) if everything_new else store.pages.unknown(fingerprints)
    new = {
        fingerprint_: p
        for fingerprint_, p in zip(fingerprints, pagelets, strict=True)
        if fingerprint_ in unknown
    }
    sketches = SCHEME.sketches([([p.text], []) for p in new.values()])
    return FetchedPage(
        page=add(store, name, depth),
        depth=depth,
        status=200,
        fetched_at="2026-01-01T00:00:00+00:00",
        body=Body("utf-8", [("Content-Type", "text/html")], body),
        fingerprint=fingerprint([p.text for p in pagelets]),
        title=f"Title of {name}",
        flags="",
        fragments=fingerprints,
        tag_paths=[p.path for p in pagelets],
        new=[
            NewFragment(
                fingerprint=fingerprint_,
                sketch=sketch,
                chars=len(p.text),
                block_keys=block_keys(p),
                links=[FragmentLink(target(link), link, False) for link in p.links],
            )
            for (fingerprint_, p), sketch in zip(new.items(), sketches, strict=True)
        ],
        follow=[target(link) for link in follow],
    )


def place(pagelet: Pagelet) -> int:
    """The place of a pagelet's one block: the pagelet's."""
    return zlib.crc32(pagelet.path.encode())


def block_keys(pagelet: Pagelet) -> np.ndarray:
    """The keys of a pagelet's one block."""
    text, at = pagelet.text, place(pagelet)
    return np.array([(block_fingerprint(text), at, zlib.crc32(text.encode(), at))], BLOCK_KEYS)


def begin(store: Store) -> int:
    with store.transaction():
        return store.runs.begin({}, {})


def record(
    store: Store, name: str, pagelets: list[Pagelet], run: int = 1, *, depth: int = 0, body: bytes = b""
) -> int:
    page = fetched(store, name, pagelets, depth=depth, body=body)
    store.record(page, run)
    return page.page


def due(store: Store, limit: int = 100, passed: tuple[int, ...] = ()) -> list[Due]:
    return store.frontier.due(store.frontier.hosts_due(), limit, passed)


def rows(store: Store, query: str, *values: object) -> list[tuple]:
    return store.connection.execute(query, values).fetchall()


def count(store: Store, table: str) -> int:
    return rows(store, f"SELECT count(*) FROM {table}")[0][0]


def state(store: Store, name: str) -> tuple[str, str | None]:
    return rows(store, "SELECT state, reason FROM pages WHERE url = ?", url(name))[0]
