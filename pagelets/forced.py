"""Verdicts on blocks that no method is asked for: what selectors, the page and people's decisions say.

What wins, from the strongest: keep selectors, drop selectors, ``data-nosnippet``, volatile blocks, pinned and
rejected templates, the method. Whatever lies in what: a drop selector inside of a kept element drops nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.marks import DROPPED, NOSNIPPET, Forced, stronger
from pagelets.methods.base import Verdict
from pagelets.quantities import states_quantity
from pagelets.site.evidence import VOLATILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pagelets.methods.base import Reason
    from pagelets.page import Block, Page
    from pagelets.partition import Pagelet
    from pagelets.site.evidence import Evidence
    from pagelets.tree import Tree

PINNED: Final = Forced(False, "pinned template")
REJECTED: Final = Forced(True, "rejected template")
EARLIER: Final = Forced(False, "removed before")
"""What was removed when the page was last seen: the site has changed since, and the page perhaps with it."""

VOLATILE_BLOCK: Final = Forced(False, "volatile")
"""A number that changes all over the site between two visits, and says nothing of the world."""

_RELEASED: Final = (EARLIER, VOLATILE_BLOCK, PINNED, DROPPED, NOSNIPPET)
"""What a page that would be empty takes back, in this order: what the page itself asks for comes last."""


def forced(
    page: Page,
    pagelets: Sequence[Pagelet],
    evidence: Evidence,
    *,
    nosnippet: bool = True,
) -> list[Forced | None]:
    """The forced verdicts on a page's blocks, aligned with them, None where the method decides.

    Takes the page's pagelets and its evidence. What the page's ``verdicts`` mark inside of a block that they
    do not mark whole is left to the method. Without ``nosnippet`` that mark says nothing. An empty list
    stands for no forced verdict at all.
    """
    found: list[Forced | None] = [None] * len(page.blocks)
    for pagelet, decided in zip(pagelets, evidence.decided or [None] * len(pagelets), strict=True):
        if decided is not None:
            verdict = REJECTED if decided.rejected else PINNED
            found[pagelet.start : pagelet.stop] = [verdict] * (pagelet.stop - pagelet.start)
    for position in changing(page, evidence, VOLATILE):
        found[position] = VOLATILE_BLOCK
    marks = {node: mark for node, mark in page.verdicts.items() if nosnippet or mark != NOSNIPPET}
    if marks:
        around = _Around(page.tree, marks)
        for position, block in enumerate(page.blocks):
            found[position] = around.block(block) or found[position]
    return found if any(found) else []


def changing(page: Page, evidence: Evidence, rounds: int) -> list[int]:
    """The blocks of a page whose digits have changed in so many rounds or more, and state no quantity."""
    return [
        position
        for position in np.flatnonzero(evidence.changed >= rounds).tolist()
        if not states_quantity(page.blocks[position].text)
    ]


def line_by_line(page: Page, verdict: Verdict, verdicts: Sequence[Forced | None]) -> Verdict:
    """A method's verdict on a page, the same for all blocks of a line that marks have parted.

    The longest of those that are not forced decides for them: the full stop after a reference that goes is
    part of its sentence, however many pages have full stops.
    """
    leaders = list(range(len(page.blocks)))
    for line in _lines(page):
        free = [position for position in line if not verdicts or verdicts[position] is None]
        if len(free) > 1:
            leader = max(free, key=lambda position: len(page.blocks[position].text))
            for position in free:
                leaders[position] = leader

    def reasons() -> list[Reason]:
        found = verdict.reasons()
        return [found[leader] for leader in leaders]

    return Verdict(verdict.mask[leaders], verdict.scores[leaders], reasons)


def _lines(page: Page) -> Iterator[range]:
    """The lines of several blocks, as positions."""
    start = 0
    for position in range(len(page.blocks)):
        if position not in page.parted:
            if position > start:
                yield range(start, position + 1)
            start = position + 1
    if len(page.blocks) - start > 1:
        yield range(start, len(page.blocks))


def whole(page: Page, verdicts: Sequence[Forced | None]) -> list[bool]:
    """The mask of a page of which nothing would be left: everything, but for what is forced to go.

    Where that is nothing either, as much of it stays as has to: first what was removed before, then what is
    volatile, then pinned templates, then what drop selectors match, then ``data-nosnippet``.
    """
    dropped = [verdict if verdict is not None and not verdict.keep else None for verdict in verdicts]
    for released in (None, *_RELEASED):
        if released is not None:
            dropped = [None if verdict is released else verdict for verdict in dropped]
        if any(verdict is None and block.text for verdict, block in zip(dropped, page.blocks, strict=True)):
            break
    return [verdict is None for verdict in dropped]


class _Around:
    """The mark around each element that is asked for, by climbing; remembers what it has climbed."""

    def __init__(self, tree: Tree, marks: Mapping[int, Forced]) -> None:
        self._parents = tree.parents
        self._marks = marks
        self._found: dict[int, Forced | None] = {}

    def block(self, block: Block) -> Forced | None:
        """The mark that all of a block lies in, None where a part of it lies in none."""
        found = {self.node(holder) for text, holder in block.runs if not text.isspace()}
        found = found or {self.node(block.node)}
        return found.pop() if len(found) == 1 else None

    def node(self, node: int) -> Forced | None:
        """The strongest mark on an element and those around it."""
        found, climbed, parents = self._found, [], self._parents
        while node >= 0 and node not in found:
            climbed.append(node)
            node = parents[node]
        mark = None if node < 0 else found[node]
        for below in reversed(climbed):
            found[below] = mark = stronger(mark, self._marks.get(below))
        return mark
