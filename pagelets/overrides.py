"""What overrides a method: what selectors, the page itself and people's decisions say of its blocks.

What wins, from the strongest: keep selectors, drop selectors, ``data-nosnippet``, volatile blocks, pinned and
rejected templates, bylines, the method. Whatever lies in what: a drop selector inside of a kept element drops
nothing. An element that a selector or ``data-nosnippet`` overrides begins and ends a block also where it is
inline, so that a block lies in it or does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np
from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from pagelets.page import Override
from pagelets.quantities import states_offer, states_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from pagelets.judging.page_facts import PageFacts
    from pagelets.page import Block, Page
    from pagelets.partition import Pagelet
    from pagelets.tree import Tree

_VOLATILE: Final = 2
"""So many rounds in a row in which the digits of a block have changed make it volatile."""
_VOLATILE_QUANTITY: Final = 3
"""The same of a block that states a quantity."""

KEPT: Final = Override(True, "kept by selector")
DROPPED: Final = Override(False, "dropped by selector")
NOSNIPPET: Final = Override(False, "nosnippet")
PINNED: Final = Override(False, "pinned template")
REJECTED: Final = Override(True, "rejected template")
BYLINE_DROPPED: Final = Override(False, "byline dropped")
AUTO: Final = "auto"
"""The choice that leaves bylines to the method."""
BYLINES: Final = {"keep": Override(True, "byline kept"), "drop": BYLINE_DROPPED, AUTO: None}
"""What may become of bylines (`pagelets.bylines`), by the choice."""
REMOVED_BEFORE: Final = Override(False, "removed before")
"""What was removed when the page was last seen: the site has changed since, and the page perhaps with it."""

VOLATILE_BLOCK: Final = Override(False, "volatile")
"""A number that changes all over the site between two visits, and is no offer."""

_RELEASED: Final = (REMOVED_BEFORE, BYLINE_DROPPED, VOLATILE_BLOCK, PINNED, DROPPED, NOSNIPPET)
"""What a page that would be empty takes back, in this order: what the page itself asks for comes last."""

_STRONGEST_LAST: Final = (NOSNIPPET, DROPPED, KEPT)

_SHOWN: Final = 200
"""Characters of a wrong selector that an error shows."""


class WrongSelector(ValueError):
    """A text is no CSS selector of elements; the message names it and says what is wrong."""


_Path: TypeAlias = tuple[str, Override, etree.XPath]


@dataclass(slots=True, frozen=True)
class Selectors:
    """CSS selectors of what is always kept, and of what is always dropped, of every page of a site.

    What one of ``keep`` matches is kept with all that is in it, whatever one of ``drop`` matches. Raises
    WrongSelector.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    _paths: tuple[_Path, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Sorted: selectors in another order are the same selectors.
        keep, drop = (tuple(sorted(set(selectors))) for selectors in (self.keep, self.drop))
        sides = ((DROPPED, drop), (KEPT, keep))
        paths = tuple((text, override, _compiled(text)) for override, texts in sides for text in texts)
        for name, value in (("keep", keep), ("drop", drop), ("_paths", paths)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Selectors], tuple[tuple[str, ...], tuple[str, ...]]]:
        """Their texts go to another process, and are compiled there."""
        return Selectors, (self.keep, self.drop)

    def matched(self, root: _Element) -> Iterator[tuple[str, Override, list[_Element]]]:
        """What each selector matches in a page: its text, its override, and elements; the strongest last."""
        for selector, override, path in self._paths:
            yield selector, override, cast("list[_Element]", path(root))


NO_SELECTORS: Final = Selectors()


def stronger(one: Override | None, other: Override | None) -> Override | None:
    """Of two around a block that which decides: keep selectors, drop selectors, ``data-nosnippet``."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=_STRONGEST_LAST.index)


def _compiled(selector: str) -> etree.XPath:
    try:
        path = etree.XPath(HTMLTranslator().css_to_xpath(selector))
        path(etree.Element("html"))
    except (SelectorError, etree.XPathError, ValueError, RecursionError) as error:
        shown = repr(selector[:_SHOWN])
        raise WrongSelector(f"{shown} is no CSS selector of elements: {str(error)[:_SHOWN]}") from error
    return path


def overrides_of(
    page: Page,
    pagelets: Sequence[Pagelet],
    evidence: PageFacts,
    *,
    nosnippet: bool = True,
    weakest: Mapping[int, Override] = MappingProxyType({}),
) -> list[Override | None]:
    """The overrides of a page's blocks, aligned with them, None where the method decides.

    What the page's ``overrides`` cover inside of a block that they do not cover whole is left to the method.

    Args:
        page: the page.
        pagelets: its pagelets.
        evidence: what the site knows of it.
        nosnippet: whether ``data-nosnippet`` is heeded.
        weakest: overrides by the positions of blocks; all others win over them.

    Returns:
        The overrides; an empty list if there are none.

    """
    found: list[Override | None] = [None] * len(page.blocks)
    for position, override in weakest.items():
        found[position] = override
    for pagelet, decided in zip(pagelets, evidence.decided or [None] * len(pagelets), strict=True):
        if decided is not None:
            override = REJECTED if decided.rejected else PINNED
            found[pagelet.start : pagelet.stop] = [override] * (pagelet.stop - pagelet.start)
    for position in volatile(page, evidence):
        found[position] = VOLATILE_BLOCK
    around_nodes = {node: one for node, one in page.overrides.items() if nosnippet or one != NOSNIPPET}
    if around_nodes:
        around = _Around(page.tree, around_nodes)
        for position, block in enumerate(page.blocks):
            found[position] = around.block(block) or found[position]
    return found if any(found) else []


def rounds_until_volatile(text: str) -> int | None:
    """In how many rounds in a row the digits of a text have to change to make it volatile; None where they
    never do: it states what something costs, or how many there are to be had.
    """
    if states_offer(text):
        return None
    return _VOLATILE_QUANTITY if states_quantity(text) else _VOLATILE


def volatile(page: Page, evidence: PageFacts, rounds: int = 0) -> list[int]:
    """The blocks of a page that are volatile, or are after so many ``rounds`` more in which they change."""
    return [
        position
        for position in np.flatnonzero(evidence.changed).tolist()
        if (needed := rounds_until_volatile(page.blocks[position].text)) is not None
        and evidence.changed[position] + rounds >= needed
    ]


def whole(page: Page, overrides: Sequence[Override | None]) -> list[bool]:
    """The mask of a page of which nothing would be left: everything, but for what overrides drop.

    Where that is nothing either, as much of it stays as has to: first what was removed before, then a byline,
    then what is volatile, then pinned templates, then what drop selectors match, then ``data-nosnippet``.
    """
    dropped = [override if override is not None and not override.keep else None for override in overrides]
    for released in (None, *_RELEASED):
        if released is not None:
            dropped = [None if override is released else override for override in dropped]
        if any(override is None and block.text for override, block in zip(dropped, page.blocks, strict=True)):
            break
    return [override is None for override in dropped]


class _Around:
    """The override around each element that is asked for, by climbing; remembers what it has climbed."""

    def __init__(self, tree: Tree, overrides: Mapping[int, Override]) -> None:
        self._parents = tree.parents
        self._overrides = overrides
        self._found: dict[int, Override | None] = {}

    def block(self, block: Block) -> Override | None:
        """The override that all of a block lies in, None where a part of it lies in none."""
        found = {self.node(holder) for text, holder in block.runs if not text.isspace()}
        found = found or {self.node(block.node)}
        return found.pop() if len(found) == 1 else None

    def node(self, node: int) -> Override | None:
        """The strongest override on an element and those around it."""
        found, climbed, parents = self._found, [], self._parents
        while node >= 0 and node not in found:
            climbed.append(node)
            node = parents[node]
        override = None if node < 0 else found[node]
        for below in reversed(climbed):
            found[below] = override = stronger(override, self._overrides.get(below))
        return override
