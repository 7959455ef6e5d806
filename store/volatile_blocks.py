"""Blocks that change between two visits on page after page: the table CHANGING_BLOCKS.

A page that was fetched again is compared with its version before, block by block: those at the same tag
path with the same words and other digits have changed. A page that its server has confirmed has not.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.block_keys import BLOCK_KEYS, block_keys
from pagelets.containers import Containers
from pagelets.overrides import Selectors, rounds_until_volatile
from store.states import CURRENT
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pagelets.page import Page
    from store.documents import Documents
    from store.faults import Border
    from store.flat_pages import FlatPages
    from store.previous import PreviousVersions

FEWEST: Final = 3
"""Of a text at a tag path that fewer pages have nothing is learned."""
MOST_PAGES: Final = 0.8
"""The share of the pages that have a text at a tag path on which its digits have to change, and to stand
still to be forgotten; and of the blocks there that a page has."""
_STILL: Final = 2
"""So many rounds in a row in which the digits of a volatile block stand still make it a block like others."""
_NEVER: Final = 1 << 30
"""More rounds than there are."""
_SAMPLES: Final = 5
_FEW_LINES: Final = 3
"""A document in which more lines have changed was edited."""
_KEYS: Final = 1000
"""Of more texts that change at once the most frequent are learned."""
_CACHED: Final = 1 << 15
STEP: Final = "comparing"
"""The name of this step, of pages that fail in it."""


class ChangedLine(NamedTuple):
    """A line that has changed on ``pages`` of the site's documents: ``alone``, or with very few others.

    The first of the pages has it now at a ``tag_path`` with a text, whose keys (`BLOCK_KEYS`) these are.
    """

    pages: list[int]
    tag_path: int
    text: int
    alone: bool

    def block_of(self, page: Page) -> int | None:
        """Returns the line among the blocks of the first of the pages, None without it."""
        keys = block_keys(page, Containers.of(page))
        positions = np.flatnonzero((keys["tag_path"] == self.tag_path) & (keys["block"] == self.text))
        return int(positions[0]) if len(positions) else None


class _Line(NamedTuple):
    """A text at a tag path, by its keys."""

    tag_path: int
    placed: int
    text: int


@dataclass(slots=True)
class _Lines:
    """The pages on which a kept line has changed, with the text of each now; ``alone``: no other has."""

    pages: dict[int, int] = field(default_factory=dict)
    alone: bool = True


@dataclass(slots=True)
class Difference:
    """The difference of the pages of a round from their versions before.

    By the key of a text at its tag path, digits masked: the pages on which its digits ``changed``, and which
    have it ``newly``. ``lines`` are those in which pages have changed that have changed in few, by their tag
    paths, and where nothing but digits has changed by their keys as well, 0 otherwise. ``compared`` are all
    pages that were fetched again.
    """

    changed: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    newly: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    lines: dict[tuple[int, int], _Lines] = field(default_factory=lambda: defaultdict(_Lines))
    compared: set[int] = field(default_factory=set)


class ChangingBlocks(Table):
    """Learns which blocks are volatile, round by round; writes belong to the caller's transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        flat_pages: FlatPages,
        documents: Documents,
        previous: PreviousVersions,
        border: Border,
    ) -> None:
        super().__init__(connection)
        self._flat_pages = flat_pages
        self._documents = documents
        self._previous = previous
        self._border = border
        self._block_keys: dict[int, NDArray[np.void]] = {}

    def rounds(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """The keys of texts at tag paths whose digits change, sorted, and in how many rounds in a row."""
        rounds = dict(self._execute("SELECT placed, changed FROM changing_blocks ORDER BY placed"))
        return np.array([*rounds], np.int64), np.array([*rounds.values()], np.int8)

    def digest(self) -> bytes:
        """Names what is known: equal knowledge has equal names, none has an empty one."""
        return b"".join(part.tobytes() for part in self.rounds())

    def observe(self, round_after: int, selectors: Selectors) -> list[ChangedLine]:
        """Learns from a round that is good, the one that began after a run, before the previous versions of
        its pages are let go. The pages are recorded with these ``selectors``.

        Returns the lines in which most documents have changed, and little else of them; without those that
        are volatile.
        """
        difference = self._difference()
        self._block_keys.clear()
        self._learn(difference, round_after, selectors)
        seen = self._count(f"pages WHERE {CURRENT} AND seen_run > ?", round_after)
        return self._changed_lines(difference, max(FEWEST, seen / 2))

    def _changed_lines(self, difference: Difference, fewest: float) -> list[ChangedLine]:
        many = {place: change for place, change in difference.lines.items() if len(change.pages) > fewest}
        by_digits = {tag_path for tag_path, placed in many if placed}
        rows = self._execute("SELECT placed, changed, sample FROM changing_blocks")
        volatile = {placed for placed, rounds, sample in rows if rounds >= _needed(sample)}
        lines = [
            ChangedLine(list(change.pages), tag_path, next(iter(change.pages.values())), change.alone)
            for (tag_path, placed), change in many.items()
            if (placed and placed not in volatile) or not (placed or tag_path in by_digits)
        ]
        return sorted(lines, key=lambda line: (-len(line.pages), line.tag_path, line.text))

    # --- Comparing ---

    def _difference(self) -> Difference:
        difference = Difference()
        for page, before in self._previous.fragments():
            with self._border(page, STEP):
                now = self._each(int, "SELECT fragment FROM pagelets WHERE page = ? ORDER BY position", page)
                self._compare(page, before, list(now), difference)
        return difference

    def _compare(self, page: int, before: list[int], now: list[int], difference: Difference) -> None:
        difference.compared.add(page)
        if before == now:
            return
        common = set(before) & set(now)
        old = self._blocks([fragment for fragment in before if fragment not in common])
        new = self._blocks([fragment for fragment in now if fragment not in common])
        here, there = _by_placed(new), _by_placed(old)
        for placed, texts in here.items():
            if placed not in there:
                difference.newly[placed].add(page)
                continue
            kept = (texts & there[placed]).total()
            fewest = min(texts.total(), there[placed].total())
            if fewest - kept >= MOST_PAGES * fewest:
                difference.changed[placed].add(page)
        self._note_lines(page, before, common, new, difference)

    def _note_lines(
        self, page: int, before: list[int], common: set[int], new: NDArray[np.void], difference: Difference
    ) -> None:
        every = self._blocks(before)
        mask = self._documents.mask(page, len(every))
        if mask is None:
            return
        # With their types: those of a page without text are empty, and numpy takes empty lists for floats.
        sizes = np.array([len(self._blocks([fragment])) for fragment in before], np.int64)
        differing = np.repeat(np.array([fragment not in common for fragment in before], bool), sizes)
        here = _lines(new)
        lost, come = _lines(every[differing & np.array(mask, bool)]) - here, here - _lines(every[differing])
        if lost.total() > _FEW_LINES:
            return
        pairs = [(line, now) for line in lost.elements() if (now := _nearest(line, come))]
        for line, now in pairs if len(pairs) == lost.total() else ():
            for placed in {0, line.placed if line.placed == now.placed else 0}:
                noted = difference.lines[line.tag_path, placed]
                noted.pages[page] = now.text
                noted.alone &= len(pairs) == 1

    def _blocks(self, fragments: list[int]) -> NDArray[np.void]:
        missing = [fragment for fragment in fragments if fragment not in self._block_keys]
        if len(self._block_keys) > _CACHED:
            self._block_keys.clear()
            missing = fragments
        if missing:
            rows = self._execute(
                "SELECT fragment, block_keys FROM fragments "
                "WHERE fragment IN (SELECT value FROM json_each(?))",
                (json.dumps(missing),),
            )
            self._block_keys.update(
                (fragment, np.frombuffer(packed, BLOCK_KEYS)) for fragment, packed in rows
            )
        none = np.zeros(0, BLOCK_KEYS)
        return np.concatenate([none, *(self._block_keys.get(fragment, none) for fragment in fragments)])

    # --- Learning ---

    def _learn(self, difference: Difference, round_after: int, selectors: Selectors) -> None:
        rows = self._execute("SELECT placed, changed, still, sample FROM changing_blocks")
        known = {placed: (changed, still, sample) for placed, changed, still, sample in rows}
        often = sorted(
            (placed for placed, pages in difference.changed.items() if len(pages) >= FEWEST),
            key=lambda placed: (-len(difference.changed[placed]), placed),
        )[:_KEYS]
        wanted = {*often, *known}
        if not wanted:
            return
        holders = self._holders(wanted, difference.compared, round_after)
        read = cache(partial(self._read, selectors))
        for placed in sorted(wanted):
            changed, holding = difference.changed.get(placed, set()), holders.get(placed, set())
            if not holding:
                self._forget(placed)
                continue
            same = holding - changed - difference.newly.get(placed, set())
            pages = len(changed) + len(same)
            if pages < FEWEST:
                continue
            rounds, still, before = known.get(placed, (0, 0, ""))
            if len(changed) >= MOST_PAGES * pages:
                read_pages = [read(page) for page in sorted(changed)[:_SAMPLES]]
                sample = _sample(text for keys, texts in read_pages for text in texts[keys == placed])
                if sample is None:
                    self._forget(placed)
                else:
                    rounds = max(rounds, min(rounds + 1, _needed(sample)))
                    self._execute(
                        "INSERT OR REPLACE INTO changing_blocks VALUES (?, ?, 0, ?, ?)",
                        (placed, rounds, len(changed), sample),
                    )
            elif rounds < _needed(before):
                self._forget(placed)
            else:
                # Of those that were transferred: a server that confirms a page does not look at its counter.
                same &= difference.compared
                stands = len(same) >= max(FEWEST, MOST_PAGES * (len(same) + len(changed)))
                self._stand(placed, still + 1 if stands else 0)

    def _holders(self, wanted: set[int], compared: set[int], round_after: int) -> dict[int, set[int]]:
        """The pages that have these texts at their tag paths, of those that were compared or confirmed."""
        keys = np.array(sorted(wanted), np.int64)
        holding: dict[int, list[int]] = {}
        for fragment, packed in self._execute("SELECT fragment, block_keys FROM fragments"):
            placed = np.frombuffer(packed, BLOCK_KEYS)["placed"].astype(np.int64)
            held = placed[np.isin(placed, keys)]
            if len(held):
                holding[fragment] = np.unique(held).tolist()
        rows = self._execute(
            "SELECT page, fragment, fetched_run FROM pagelets JOIN pages USING (page) "
            f"WHERE {CURRENT} AND seen_run > ? AND fragment IN (SELECT value FROM json_each(?))",
            (round_after, json.dumps(list(holding))),
        )
        holders: dict[int, set[int]] = defaultdict(set)
        for page, fragment, fetched_run in rows:
            if page in compared or fetched_run <= round_after:
                for key in holding[fragment]:
                    holders[key].add(page)
        return holders

    def _read(self, selectors: Selectors, page: int) -> tuple[NDArray[np.int64], NDArray[np.object_]]:
        """The keys of a page's texts at their tag paths, and the texts; none where it cannot be read."""
        texts: list[str] = []
        keys = np.zeros(0, np.int64)
        with self._border(page, STEP):
            parsed = self._flat_pages.read(page, selectors)
            keys = block_keys(parsed, Containers.of(parsed))["placed"].astype(np.int64)
            texts = [block.text for block in parsed.blocks]
        return keys, np.array(texts, object)

    def _stand(self, placed: int, still: int) -> None:
        if still >= _STILL:
            self._forget(placed)
        else:
            self._execute("UPDATE changing_blocks SET still = ? WHERE placed = ?", (still, placed))

    def _forget(self, placed: int) -> None:
        self._execute("DELETE FROM changing_blocks WHERE placed = ?", (placed,))


def _sample(texts: Iterable[str]) -> str | None:
    """The text that takes most rounds to be volatile; None where one of them never is."""
    known = list(texts)
    if any(rounds_until_volatile(text) is None for text in known):
        return None
    return max(known, key=_needed, default=None)


def _needed(sample: str) -> int:
    return rounds_until_volatile(sample) or _NEVER


def _by_placed(blocks: NDArray[np.void]) -> dict[int, Counter[int]]:
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for placed, text in zip(blocks["placed"].tolist(), blocks["block"].tolist(), strict=True):
        if text:
            counts[placed][text] += 1
    return counts


def _lines(blocks: NDArray[np.void]) -> Counter[_Line]:
    columns = (blocks[name].tolist() for name in ("tag_path", "placed", "block"))
    return Counter(line for line in map(_Line._make, zip(*columns, strict=True)) if line.text)


def _nearest(line: _Line, others: Iterable[_Line]) -> _Line | None:
    """Returns another line at the tag path of a line, preferably with the same words and other digits."""
    there = [other for other in others if other.tag_path == line.tag_path]
    return next((other for other in there if other.placed == line.placed), there[0] if there else None)
