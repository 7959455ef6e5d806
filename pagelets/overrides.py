"""What overrides a method: what selectors, the page itself and people's decisions say of its blocks.

What wins, from the strongest: keep and drop selectors, ``data-nosnippet``, volatile blocks, pinned and
rejected templates, kinds of blocks such as bylines, the method. Of elements that keep and drop selectors
match, one inside the other, the innermost decides; of selectors that match the same element, keep does.
``data-nosnippet`` decides inside of neither.
An element that a selector or ``data-nosnippet`` overrides begins and ends a block also where it is inline, so
that a block lies in it or does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias, cast

import numpy as np
from lxml import etree

from pagelets.judging.by_url import KINDS, SELECTORS, UrlOverrides
from pagelets.page import Block, Override, Page
from pagelets.quantities import states_offer, states_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from pagelets.judging.page_facts import PageFacts
    from pagelets.partition import Pagelet
    from pagelets.patterns import Pattern
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
AUTO: Final = "auto"
"""The choice that leaves a kind of blocks to the method."""
CHOICES: Final = ("keep", "drop", AUTO)
"""What may become of a kind of blocks (`pagelets.kinds`)."""
KIND_OVERRIDES: Final = {
    name: {"keep": Override(True, f"{kind} kept"), "drop": Override(False, f"{kind} dropped"), AUTO: None}
    for name, kind in KINDS.items()
}
"""The override of each kind, by the choice."""
KINDS_DROPPED: Final = frozenset(overrides["drop"] for overrides in KIND_OVERRIDES.values())
REMOVED_BEFORE: Final = Override(False, "removed before")
"""What was removed when the page was last seen: the site has changed since, and the page perhaps with it."""

VOLATILE_BLOCK: Final = Override(False, "volatile")
"""A number that changes all over the site between two visits, and is no offer."""

_RELEASED: Final = (REMOVED_BEFORE, VOLATILE_BLOCK, PINNED, DROPPED, NOSNIPPET)
"""What a page that would be empty takes back, in this order: what the page itself asks for comes last."""

_SHOWN: Final = 200
"""Characters of a wrong selector that an error shows."""


class WrongSelector(ValueError):
    """A text is no CSS selector of elements; the message names it and says what is wrong."""


_Path: TypeAlias = tuple[str, Override, etree.XPath]


class UrlSelectors(NamedTuple):
    """The selectors of an override by URL; None where it leaves a key to others."""

    type: str
    pattern: str
    priority: int
    keep: tuple[str, ...] | None
    drop: tuple[str, ...] | None

    @classmethod
    def of(cls, override: Mapping[str, Any]) -> Self:
        """Returns those of an override in its normal form."""
        keep, drop = (
            None if override.get(key) is None else tuple(sorted(set(override[key]))) for key in SELECTORS
        )
        return cls(override["type"], override["pattern"], override.get("priority", 0), keep, drop)

    def override(self) -> dict[str, Any]:
        """Returns them as an override."""
        return {key: value for key, value in self._asdict().items() if value is not None}


@dataclass(slots=True, frozen=True)
class Selectors:
    """CSS selectors of what is always kept, and of what is always dropped, of the pages of a site.

    What they match is kept or dropped with all that is in it, but for what others match inside. Raises
    WrongSelector, and PatternError for a wrong override.

    Args:
        keep: selectors of what is kept.
        drop: selectors of what is dropped.
        overrides: those of some pages, by URL: `of` puts them in the place of ``keep`` and ``drop``.

    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    overrides: tuple[UrlSelectors, ...] = ()
    _paths: tuple[_Path, ...] = field(default=(), init=False, repr=False, compare=False)
    _by_url: UrlOverrides = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Sorted: selectors in another order are the same selectors.
        keep, drop = (tuple(sorted(set(selectors))) for selectors in (self.keep, self.drop))
        sides = ((DROPPED, drop), (KEPT, keep))
        paths = tuple((text, override, _compiled(text)) for override, texts in sides for text in texts)
        by_url = UrlOverrides(entry.override() for entry in self.overrides)
        for name, value in (("keep", keep), ("drop", drop), ("_paths", paths), ("_by_url", by_url)):
            object.__setattr__(self, name, value)
        for entry in self.overrides:
            Selectors(entry.keep or (), entry.drop or ())

    @classmethod
    def with_overrides(
        cls, keep: Iterable[str], drop: Iterable[str], overrides: Iterable[Mapping[str, Any]]
    ) -> Self:
        """Returns the selectors of a site.

        Args:
            keep: selectors of what is kept.
            drop: selectors of what is dropped.
            overrides: overrides by URL in their normal form; those without selectors are left out.

        Raises:
            WrongSelector: a text is no selector.
            PatternError: an override is wrong.

        """
        having = (entry for entry in overrides if any(entry.get(key) is not None for key in SELECTORS))
        return cls(tuple(keep), tuple(drop), tuple(sorted(map(UrlSelectors.of, having), key=repr)))

    def __reduce__(self) -> tuple[type[Selectors], tuple[Any, ...]]:
        """Their texts go to another process, and are compiled there."""
        return Selectors, (self.keep, self.drop, self.overrides)

    @property
    def sides(self) -> tuple[frozenset[str], frozenset[str]]:
        """All texts of ``keep`` and all of ``drop``, those of overrides included."""
        return (
            frozenset(self.keep).union(*(entry.keep or () for entry in self.overrides)),
            frozenset(self.drop).union(*(entry.drop or () for entry in self.overrides)),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The texts as JSON has them, of which `from_parameters` makes the same selectors."""
        texts: dict[str, Any] = {"keep": self.keep, "drop": self.drop}
        return texts | (
            {"selectors": [entry.override() for entry in self.overrides]} if self.overrides else {}
        )

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Returns the selectors of `parameters`, among others."""
        return cls.with_overrides(parameters["keep"], parameters["drop"], parameters.get("selectors", ()))

    def of(self, url: str) -> Selectors:
        """Returns the selectors of the page at a URL."""
        if not self.overrides:
            return self
        values = self._by_url.of(url)
        return _selectors(tuple(values.get("keep", self.keep)), tuple(values.get("drop", self.drop)))

    def decides(self, url: str, *, keep: bool) -> Pattern | None:
        """Returns the pattern of the override that ``keep`` or else ``drop`` of a URL comes from; None if it
        is the site's own.
        """
        return self._by_url.decides(url, "keep" if keep else "drop")

    def matched(self, root: _Element) -> Iterator[tuple[str, Override, list[_Element]]]:
        """What each selector matches in a page: its text, its override, and elements; the strongest last."""
        for selector, override, path in self._paths:
            yield selector, override, cast("list[_Element]", path(root))


@lru_cache(maxsize=256)
def _selectors(keep: tuple[str, ...], drop: tuple[str, ...]) -> Selectors:
    return Selectors(keep, drop)


NO_SELECTORS: Final = Selectors()


def inner(around: Override | None, override: Override | None) -> Override | None:
    """Returns which decides of the override around an element and its own: its own, but ``data-nosnippet``
    nowhere inside another.
    """
    return around if override is None or (override == NOSNIPPET and around is not None) else override


def _compiled(selector: str) -> etree.XPath:
    # Loaded for those who have selectors.
    from cssselect import HTMLTranslator, SelectorError

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
    overrides: list[Override | None] = [None] * len(page.blocks)
    for position, override in weakest.items():
        overrides[position] = override
    for pagelet, decided in zip(pagelets, evidence.decided or [None] * len(pagelets), strict=True):
        if decided is not None:
            override = REJECTED if decided.rejected else PINNED
            overrides[pagelet.start : pagelet.stop] = [override] * (pagelet.stop - pagelet.start)
    for position in volatile(page, evidence):
        overrides[position] = VOLATILE_BLOCK
    around_nodes = {node: kind for node, kind in page.overrides.items() if nosnippet or kind != NOSNIPPET}
    if around_nodes:
        around = _Around(page.tree, around_nodes)
        for position, block in enumerate(page.blocks):
            overrides[position] = around.block(block) or overrides[position]
    return overrides if any(overrides) else []


def is_dropped_in_kept(page: Page) -> bool:
    """Returns true if a drop selector decides on a block that lies in a kept element."""
    overrides = page.overrides
    if not {KEPT, DROPPED} <= set(overrides.values()):
        return False
    around = _Around(page.tree, overrides)
    return any(
        block.text
        and around.block(block) == DROPPED
        and any(overrides.get(ancestor) == KEPT for ancestor in page.tree.ancestors(block.runs[0][1]))
        for block in page.blocks
    )


def rounds_until_volatile(text: str) -> int | None:
    """In how many rounds in a row the digits of a text have to change to make it volatile; None where they
    never do: it states what something costs, or how many there are to be had.
    """
    if states_offer(text):
        return None
    return _VOLATILE_QUANTITY if states_quantity(text) else _VOLATILE


def volatile(page: Page, evidence: PageFacts, rounds: int = 0) -> list[int]:
    """The blocks of a page that are volatile by the site's ``evidence``, or are after so many ``rounds`` more
    in which they change.
    """
    return [
        position
        for position in np.flatnonzero(evidence.changed).tolist()
        if (needed := rounds_until_volatile(page.blocks[position].text)) is not None
        and evidence.changed[position] + rounds >= needed
    ]


def whole(page: Page, overrides: Sequence[Override | None]) -> list[bool]:
    """The mask of a page of which nothing would be left: everything, but for what overrides drop.

    Where that is nothing either, as much of it stays as has to: first what was removed before, then what is
    volatile, then pinned templates, then what drop selectors match, then ``data-nosnippet``.
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
        overrides = {self.node(holder) for text, holder in block.runs if not text.isspace()}
        overrides = overrides or {self.node(block.node)}
        return overrides.pop() if len(overrides) == 1 else None

    def node(self, node: int) -> Override | None:
        """The override that decides of those on an element and around it."""
        decided, climbed, parents = self._found, [], self._parents
        while node >= 0 and node not in decided:
            climbed.append(node)
            node = parents[node]
        override = None if node < 0 else decided[node]
        for below in reversed(climbed):
            decided[below] = override = inner(override, self._overrides.get(below))
        return override
