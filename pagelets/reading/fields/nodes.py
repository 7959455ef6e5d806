"""The elements of a page as sources of values: their texts, attributes and HTML."""

from __future__ import annotations

from functools import cached_property
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml.etree import _Element

    from pagelets.tree import Tree

MAX_STEPS: Final = 300_000
"""Texts and tags of a page that are passed for the texts of elements."""

_UNREAD: Final = ("template", "noscript")
_RAW: Final = frozenset({"script", "style"})
"""Elements whose texts the flat tree has not."""
_INLINE: Final = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup "
    "time tt u var wbr".split()
)


Place: TypeAlias = tuple[int, int, str]
"""A place in a page: how many elements begin before it, and what orders it among those of this number."""


class Node(NamedTuple):
    """An element of a page, by its place in the flat tree."""

    number: int


class Nodes:
    """The elements of a page.

    Args:
        root: the tree as it was parsed.
        tree: the same, flat.

    """

    def __init__(self, root: _Element, tree: Tree) -> None:
        self.root = root
        self.tree = tree
        self.steps_left = MAX_STEPS

    @cached_property
    def _elements(self) -> list[_Element]:
        return list(self.root.iter("*"))

    @cached_property
    def _numbers(self) -> dict[_Element, int]:
        return {element: number for number, element in enumerate(self._elements)}

    def numbers(self, elements: Iterable[_Element]) -> list[int]:
        """The places of elements in the flat tree."""
        return [self._numbers[element] for element in elements if element in self._numbers]

    def get(self, node: int, name: str) -> str | None:
        """The value of an element's attribute, None without such an attribute."""
        # The flat tree has no event handlers.
        return self._elements[node].get(name) if name.startswith("on") else self.tree.get(node, name)

    def texts(self, nodes: Sequence[int]) -> Iterator[tuple[Place, str]]:
        """The texts directly in elements, with their places in the page, in its order."""
        raw = [node for node in nodes if self.tree.tags[node] in _RAW]
        sources = (((node + 1, -node, ""), self._elements[node].text or "") for node in raw)
        return merge(self._texts(nodes), sources) if raw else self._texts(nodes)

    def _texts(self, nodes: Sequence[int]) -> Iterator[tuple[Place, str]]:
        tree, wanted, end = self.tree, set(nodes), -1

        def place(text: int) -> Place:
            # Of elements that end at one place the inner ones come first.
            return tree.befores[text], -tree.holders[text], ""

        for node in nodes:
            if node <= end:
                continue
            end = int(tree.last[node])
            for key, texts in groupby(tree.text_span(node), key=place):
                if -key[1] in wanted and tree.tags[-key[1]] not in _RAW:
                    yield key, "".join(tree.texts[text] for text in texts)

    def text(self, node: int, most: int) -> str:
        """The text of an element, with spaces where other elements than inline ones begin and end; little
        more than the characters that are asked for.
        """
        tree = self.tree
        if tree.tags[node] in _RAW:
            return self._elements[node].text or ""
        unread = [
            (inner, int(tree.last[inner])) for tag in _UNREAD for inner in tree.of_tag(tag) if inner > node
        ]
        parts: list[str] = []
        chars, holder, begun = 0, node, node + 1
        for place in tree.text_span(node):
            around, before = int(tree.holder[place]), int(tree.before[place])
            self.steps_left -= 1 + before - begun
            if chars > most or self.steps_left <= 0:
                break
            text = tree.texts[place]
            if any(first <= around <= last for first, last in unread):
                continue
            if self._parts(holder, around, begun, before):
                parts.append(" ")
            parts.append(text)
            chars += len(text)
            holder, begun = around, before
        return "".join(parts).strip()

    def html(self, node: int) -> str:
        """The source of an element."""
        return etree.tostring(self._elements[node], encoding="unicode", method="html", with_tail=False)

    def _parts(self, holder: int, around: int, begun: int, before: int) -> bool:
        """True if another element than an inline one ends or begins between two texts."""
        tags, last, parents = self.tree.tags, self.tree.last, self.tree.parents
        while holder >= 0 and not holder <= around <= last[holder]:
            if tags[holder] not in _INLINE:
                return True
            holder = parents[holder]
        return any(tags[each] not in _INLINE for each in range(begun, before))
