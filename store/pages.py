"""Recording pages: the tables BODIES, PAGELETS, CONTENTS and CONTENT_LINKS, a page in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from pagelets.sketch import Sketch
    from store.bodies import Bodies, Body
    from store.frontier import Frontier, Target

_KNOWN_CONTENTS: Final = 1 << 16


@dataclass(slots=True, frozen=True)
class ContentLink:
    """A link of a content: where it leads, its anchor text, whether it asks not to be followed."""

    target: Target
    anchor: str
    nofollow: bool


@dataclass(slots=True, frozen=True)
class NewContent:
    """A content that the store does not have: its sketch, the fingerprints of its blocks, its links."""

    fingerprint: int
    sketch: Sketch
    chars: int
    blocks: list[int]
    links: list[ContentLink]


@dataclass(slots=True, frozen=True)
class FetchedPage:
    """A page to record. ``contents`` and ``paths`` are aligned with its pagelets, contents by fingerprint;
    ``new`` holds those contents that `Pages.unknown` named.
    """

    page: int
    depth: int
    status: int
    fetched_at: str
    body: Body
    fingerprint: int
    title: str
    flags: str
    contents: Sequence[int]
    paths: Sequence[str]
    new: Sequence[NewContent]
    follow: Sequence[Target] = field(default=())


class Pages:
    """Writes fetched pages; each write belongs to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, frontier: Frontier, bodies: Bodies) -> None:
        self._connection = connection
        self._frontier = frontier
        self._bodies = bodies
        # Fingerprint -> (id, depth of the nearest page that holds it).
        self._contents: dict[int, tuple[int, int]] = {}
        self._paths: dict[str, int] = {}

    def forget(self) -> None:
        """Drops what is remembered of the tables: a transaction was rolled back."""
        self._contents.clear()
        self._paths.clear()

    def unknown(self, fingerprints: Sequence[int]) -> set[int]:
        """Those of the given contents that the store does not have."""
        return {print_ for print_ in set(fingerprints) if self._content(print_) is None}

    def record(self, fetched: FetchedPage, run: int | None) -> None:
        """Stores a page with its pagelets and links, and makes its links known; it is *held* from then on.

        With ``run`` None the page is derived again from its stored body: its state stays as it is.
        """
        links_depth = fetched.depth + 1
        for content in fetched.new:
            self._add(content, fetched.depth)
        numbers = [self._known_content(print_, fetched.depth) for print_ in fetched.contents]
        execute = self._connection.execute
        execute("DELETE FROM pagelets WHERE page = ?", (fetched.page,))
        self._connection.executemany(
            "INSERT INTO pagelets VALUES (?, ?, ?, ?)",
            [
                (fetched.page, position, number, self._path(path))
                for position, (number, path) in enumerate(zip(numbers, fetched.paths, strict=True))
            ],
        )
        if run is None:
            return
        for target in fetched.follow:
            self._frontier.add(target, links_depth)
        self._bodies.put(fetched.page, fetched.body)
        execute(
            "UPDATE pages SET state = 'held', reason = NULL, due = 0, run = ?, fetched_run = ?, status = ?, "
            "fetched_at = ?, fingerprint = ?, title = ?, flags = ?, target = NULL, attempts = 0 "
            "WHERE page = ?",
            (
                run,
                run,
                fetched.status,
                fetched.fetched_at,
                fetched.fingerprint,
                fetched.title,
                fetched.flags,
                fetched.page,
            ),
        )

    def clear_derived(self) -> None:
        """Removes pagelets and contents, which can be derived again from the bodies."""
        for table in ("pagelets", "content_links", "contents", "paths"):
            self._connection.execute(f"DELETE FROM {table}")
        self.forget()

    def clear_unused(self) -> None:
        """Removes contents that no page holds any more."""
        unused = "SELECT content FROM contents WHERE content NOT IN (SELECT content FROM pagelets)"
        self._connection.execute(f"DELETE FROM content_links WHERE content IN ({unused})")
        self._connection.execute(f"DELETE FROM contents WHERE content IN ({unused})")
        self._contents.clear()

    def sketches(self, page: int) -> list[int]:
        """The sketch keys of a page's pagelets, in order."""
        rows = self._connection.execute(
            "SELECT contents.sketch FROM pagelets JOIN contents USING (content) "
            "WHERE page = ? ORDER BY position",
            (page,),
        )
        return [sketch for (sketch,) in rows]

    def _content(self, fingerprint: int) -> tuple[int, int] | None:
        known = self._contents.get(fingerprint)
        if known is None:
            row = self._connection.execute(
                "SELECT content, depth FROM contents WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()
            if row is None:
                return None
            known = (row[0], row[1])
            self._remember(fingerprint, known)
        return known

    def _remember(self, fingerprint: int, known: tuple[int, int]) -> None:
        if len(self._contents) >= _KNOWN_CONTENTS:
            self._contents.clear()
        self._contents[fingerprint] = known

    def _add(self, content: NewContent, depth: int) -> None:
        cursor = self._connection.execute(
            "INSERT INTO contents (fingerprint, sketch, sketch_values, words, chars, links, depth, blocks) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                content.fingerprint,
                content.sketch.key,
                content.sketch.values,
                content.sketch.words,
                content.chars,
                len(content.links),
                depth,
                np.array(content.blocks, dtype="<i8").tobytes(),
            ),
        )
        number = cursor.lastrowid
        assert number is not None
        self._remember(content.fingerprint, (number, depth))
        self._connection.executemany(
            "INSERT INTO content_links VALUES (?, ?, ?, ?, ?)",
            [
                (number, position, self._frontier.add(link.target, depth + 1), link.anchor, link.nofollow)
                for position, link in enumerate(content.links)
            ],
        )

    def _known_content(self, fingerprint: int, depth: int) -> int:
        known = self._content(fingerprint)
        if known is None:
            raise KeyError(f"content {fingerprint} is neither stored nor given as new")
        number, least = known
        if depth < least:
            # Its links lie nearer to the start than was thought.
            self._connection.execute("UPDATE contents SET depth = ? WHERE content = ?", (depth, number))
            self._connection.execute(
                "UPDATE pages SET depth = min(depth, ?), "
                "state = iif(state = 'refused' AND reason = 'depth', 'known', state), "
                "due = iif(state = 'refused' AND reason = 'depth', 1, due), "
                "reason = iif(state = 'refused' AND reason = 'depth', NULL, reason) "
                "WHERE page IN (SELECT target FROM content_links WHERE content = ? AND NOT nofollow)",
                (depth + 1, number),
            )
            self._frontier.forget()
            self._remember(fingerprint, (number, depth))
        return number

    def _path(self, name: str) -> int:
        path = self._paths.get(name)
        if path is None:
            self._connection.execute("INSERT OR IGNORE INTO paths (name) VALUES (?)", (name,))
            row = self._connection.execute("SELECT path FROM paths WHERE name = ?", (name,)).fetchone()
            path = self._paths[name] = int(row[0])
        return path
