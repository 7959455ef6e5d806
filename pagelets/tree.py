"""The elements and texts of a page as arrays in document order: what is left of a tree that was read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from pagelets.compiled import chosen

Ids: TypeAlias = NDArray[np.int32]

ROOT: Final = 0
"""The node of a page's root element."""


def strings_at(strings: list[str], places: Ids) -> list[str]:
    """The strings at some places."""
    return [strings[place] for place in places.tolist()]


def distinct(strings: list[str], places: Ids) -> dict[str, int]:
    """The strings at some places, each with its place."""
    return {strings[place]: place for place in np.unique(places).tolist()}


def values_of(strings: list[str], starts: Ids, names: Ids, values: Ids, name: int) -> dict[int, str]:
    """The values of an attribute by the elements that have it.

    Takes the ``strings``, ``starts``, ``names`` and ``values`` of a `Tree`, and the place of the ``name``.
    """
    at = np.flatnonzero(names == name)
    owners = starts.searchsorted(at, "right") - 1
    return dict(zip(owners.tolist(), strings_at(strings, values[at]), strict=True))


_strings_at = chosen("pagelets.native_pages", strings_at)
_distinct = chosen("pagelets.native_pages", distinct)
_values_of = chosen("pagelets.native_pages", values_of)


@dataclass(eq=False)
class Tree:
    """n elements, m attributes and t texts of a page, in document order; an element is known by its place.

    ``strings`` are the distinct tags, names and values of attributes. ``tag`` int32[n] is the place of an
    element's tag in them; ``parent`` int32[n] the element around it, -1 for the first; ``last`` int32[n] the
    last element inside it, or itself. The attributes of element i are ``[starts[i], starts[i + 1])`` of
    ``name`` and ``value`` (int32[m], places in ``strings``), without event handlers; ``starts`` is
    int32[n + 1]. ``texts`` are the texts between tags, without those of scripts and styles (but of JSON-LD);
    ``holder`` int32[t] is the innermost element of each, ``before`` int32[t] the number of elements that
    begin before it.
    """

    strings: list[str]
    tag: Ids
    parent: Ids
    last: Ids
    starts: Ids
    name: Ids
    value: Ids
    texts: list[str]
    holder: Ids
    before: Ids

    def __len__(self) -> int:
        return len(self.tag)

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each element."""
        return _strings_at(self.strings, self.tag)

    @cached_property
    def parents(self) -> list[int]:
        """``parent`` as numbers that are quick to look up one by one."""
        return cast("list[int]", self.parent.tolist())

    @cached_property
    def tag_places(self) -> dict[str, int]:
        """The tags of the page's elements, each with its place in ``strings``."""
        return _distinct(self.strings, self.tag)

    @cached_property
    def _name_places(self) -> dict[str, int]:
        return _distinct(self.strings, self.name)

    @cached_property
    def _attributes(self) -> dict[str, dict[int, str]]:
        return {}

    @cached_property
    def _of_tag(self) -> dict[str, list[int]]:
        return {}

    def attribute(self, name: str) -> Mapping[int, str]:
        """The values of an attribute by the elements that have it, in document order."""
        texts = self._attributes.get(name)
        if texts is None:
            place = self._name_places.get(name)
            of_all = (self.strings, self.starts, self.name, self.value)
            texts = self._attributes[name] = {} if place is None else _values_of(*of_all, place)
        return texts

    def name_places(self, names: Iterable[str]) -> list[int]:
        """The places in ``strings`` of the names of attributes, -1 of those that no element has."""
        return [self._name_places.get(name, -1) for name in names]

    def get(self, node: int, name: str) -> str | None:
        """The value of an element's attribute, None where it has none of that name."""
        return (self._attributes.get(name) or self.attribute(name)).get(node)

    def of_tag(self, tag: str) -> list[int]:
        """The elements with a tag, in document order."""
        nodes = self._of_tag.get(tag)
        if nodes is None:
            place = self.tag_places.get(tag)
            nodes = [] if place is None else (self.tag == place).nonzero()[0].tolist()
            self._of_tag[tag] = nodes
        return nodes

    def ancestors(self, node: int) -> Iterator[int]:
        """The elements around one, the innermost first."""
        parents = self.parents
        above = parents[node]
        while above >= 0:
            yield above
            above = parents[above]

    def inside(self, nodes: Iterable[int]) -> bytearray:
        """Marks the elements that lie in any of some, however deep; takes these in document order."""
        marks, end = bytearray(len(self)), 0
        for node in nodes:
            last = int(self.last[node])
            # What ends no later lies in one before.
            if last > end:
                marks[node + 1 : last + 1] = b"\1" * (last - node)
                end = last
        return marks

    def children(self, node: int) -> Iterator[int]:
        """The elements directly in one, in order."""
        child, end = node + 1, int(self.last[node])
        while child <= end:
            yield child
            child = int(self.last[child]) + 1

    def next_sibling(self, node: int) -> int | None:
        """The element that follows one directly in the same; None if it is the last."""
        following = int(self.last[node]) + 1
        is_beside = following < len(self) and self.parents[following] == self.parents[node]
        return following if is_beside else None

    def previous_siblings(self, node: int) -> Iterator[int]:
        """The elements before one that lie directly in the same, the nearest first."""
        parents = self.parents
        around = parents[node]
        if around < 0:
            return
        before = node - 1
        while before > around:
            while parents[before] != around:
                before = parents[before]
            yield before
            before -= 1

    def text(self, node: int) -> str:
        """What stands in an element before the first element in it."""
        return self._gap(node, node + 1)

    def tail(self, node: int) -> str:
        """What stands behind an element, before the next one and the end of the one around it."""
        return self._gap(self.parents[node], int(self.last[node]) + 1)

    def _gap(self, holder: int, before: int) -> str:
        start, stop = bisect_left(self.befores, before), bisect_left(self.befores, before + 1)
        return "".join(self.texts[place] for place in range(start, stop) if self.holders[place] == holder)

    def text_span(self, node: int) -> range:
        """The places in ``texts`` of what stands inside an element."""
        last = int(self.last[node])
        start, stop = bisect_left(self.befores, node + 1), bisect_left(self.befores, last + 2)
        while stop > start and not node <= self.holders[stop - 1] <= last:
            stop -= 1
        return range(start, stop)

    def put_around(self, node: int, before: str, behind: str = "") -> None:
        """Puts signs ``before`` and ``behind`` what stands inside a ``node``, if anything does."""
        if span := self.text_span(node):
            self.texts[span.start] = before + self.texts[span.start]
            self.texts[span.stop - 1] += behind

    @cached_property
    def befores(self) -> list[int]:
        """``before`` as numbers that are quick to look up one by one."""
        return cast("list[int]", self.before.tolist())

    @cached_property
    def holders(self) -> list[int]:
        """``holder`` as numbers that are quick to look up one by one."""
        return cast("list[int]", self.holder.tolist())
