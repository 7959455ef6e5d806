"""The elements and texts of a page as arrays in document order: what is left of a tree that was read."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Ids: TypeAlias = NDArray[np.int32]

ROOT: Final = 0
"""The node of a page's root element."""


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
        strings = self.strings
        return [strings[place] for place in self.tag.tolist()]

    @cached_property
    def parents(self) -> list[int]:
        """``parent`` as numbers that are quick to look up one by one."""
        parents: list[int] = self.parent.tolist()
        return parents

    @cached_property
    def _tag_places(self) -> dict[str, int]:
        return {self.strings[place]: place for place in np.unique(self.tag).tolist()}

    @cached_property
    def _name_places(self) -> dict[str, int]:
        return {self.strings[place]: place for place in np.unique(self.name).tolist()}

    @cached_property
    def _owner(self) -> Ids:
        """The element of each attribute."""
        return np.repeat(np.arange(len(self.tag), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def _attributes(self) -> dict[str, dict[int, str]]:
        return {}

    @cached_property
    def _of_tag(self) -> dict[str, list[int]]:
        return {}

    def attribute(self, name: str) -> Mapping[int, str]:
        """The values of an attribute by the elements that have it, in document order."""
        found = self._attributes.get(name)
        if found is None:
            place = self._name_places.get(name)
            if place is None:
                found = {}
            else:
                at = np.flatnonzero(self.name == place)
                strings = self.strings
                values = [strings[value] for value in self.value[at].tolist()]
                found = dict(zip(self._owner[at].tolist(), values, strict=True))
            self._attributes[name] = found
        return found

    def get(self, node: int, name: str) -> str | None:
        """The value of an element's attribute, None where it has none of that name."""
        return self.attribute(name).get(node)

    def of_tag(self, tag: str) -> list[int]:
        """The elements with a tag, in document order."""
        found = self._of_tag.get(tag)
        if found is None:
            place = self._tag_places.get(tag)
            found = [] if place is None else np.flatnonzero(self.tag == place).tolist()
            self._of_tag[tag] = found
        return found

    def ancestors(self, node: int) -> Iterator[int]:
        """The elements around one, the innermost first."""
        parents = self.parents
        above = parents[node]
        while above >= 0:
            yield above
            above = parents[above]

    def children(self, node: int) -> Iterator[int]:
        """The elements directly in one, in order."""
        child, end = node + 1, int(self.last[node])
        while child <= end:
            yield child
            child = int(self.last[child]) + 1

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
        start, stop = bisect_left(self._before, before), bisect_left(self._before, before + 1)
        return "".join(self.texts[place] for place in range(start, stop) if self._holders[place] == holder)

    def text_span(self, node: int) -> range:
        """The places in ``texts`` of what stands inside an element."""
        stop = self._after(int(self.last[node]))
        start = bisect_left(self._before, node + 1)
        while stop > start and not node <= self._holders[stop - 1] <= int(self.last[node]):
            stop -= 1
        return range(start, stop)

    def _after(self, node: int) -> int:
        return bisect_left(self._before, node + 2)

    @cached_property
    def _before(self) -> list[int]:
        before: list[int] = self.before.tolist()
        return before

    @cached_property
    def _holders(self) -> list[int]:
        holders: list[int] = self.holder.tolist()
        return holders
