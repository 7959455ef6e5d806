"""Names that a page's authors give its parts: words of tags, classes, ids, roles and microdata."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from pagelets import loops
from pagelets.loops.words import name_words
from pagelets.tree import ROOT, Ids, Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from pagelets.page import Page

Key: TypeAlias = tuple[str | None, ...]
"""An element's tag and those of its attributes that name it."""
Masks: TypeAlias = "NDArray[np.uint64]"

NAMING: Final = ("class", "id", "role", "itemprop")
"""The attributes that name an element."""

_TYPE: Final = re.compile(r'"@type"\s*:\s*+\[?\s*"([A-Za-z]{3,40})"')
LONGEST: Final = 200
"""Characters of an attribute that are read. A hostile page has names of megabytes."""
_LONGEST_DATA: Final = 50_000
SOURCES: Final = ("url", "body", "og", "ld")
_BITS: Final = np.dtype("<u8")


def places(tree: Tree, nodes: NDArray[np.int64]) -> Ids:
    """Returns the places of the strings that name each of n elements: its tag, and `NAMING`, -1 for a missing
    one: int32[1 + k, n].
    """
    named = np.empty((1 + len(NAMING), len(nodes)), np.int32)
    named[0] = tree.tag[nodes]
    named[1:] = loops.named(nodes, tree.starts, tree.name, tree.value, tree.name_places(NAMING))
    return named


def keys(tree: Tree, nodes: Iterable[int]) -> list[Key]:
    """Returns the names of each of some elements."""
    named, strings = places(tree, np.fromiter(nodes, np.int64)).T.tolist(), tree.strings
    return [tuple([strings[place] if place >= 0 else None for place in row]) for row in named]


def words(named: Key) -> set[str]:
    """The words of what names an element: ``<tag>``, and the attributes' words, lower-cased, camel case
    parted.
    """
    tag, *values = named
    return {f"<{tag}>"}.union(*(name_words(value, LONGEST) for value in values if value))


def page_words(page: Page, sources: Collection[str] = SOURCES) -> set[str]:
    """Returns the words that describe a page as a whole, each with its source: words of its address (``url``)
    and of its body's names (``body``), its type in Open Graph (``og``), the types in its JSON-LD (``ld``).
    """
    labels: set[str] = set()
    if "url" in sources:
        path = page.url.split("://", 1)[-1].partition("/")[2].partition("?")[0]
        labels.update(f"url:{word}" for word in name_words(path, LONGEST))
    if "body" in sources:
        bodies = [node for node in page.tree.of_tag("body") if page.tree.parent[node] == ROOT]
        for named in keys(page.tree, bodies):
            labels.update(f"body:{word}" for word in words(named))
    if "og" in sources:
        for node, name in page.tree.attribute("property").items():
            if name == "og:type" and page.tree.tags[node] == "meta":
                labels.add(f"og:{(page.tree.get(node, 'content') or '')[:40].strip().lower()}")
    if "ld" in sources:
        for node in page.tree.of_tag("script"):
            if (page.tree.get(node, "type") or "").strip().lower() == "application/ld+json":
                labels.update(f"ld:{name}" for name in _TYPE.findall(page.tree.text(node)[:_LONGEST_DATA]))
    return labels


class Vocabulary:
    """Words that features know, in a fixed order; ``sources`` are the sources of words that name pages."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.sources = frozenset(word.partition(":")[0] for word in words) & frozenset(SOURCES)
        self._places = {word: place for place, word in enumerate(self.words)}
        self._width = (len(self.words) + 63) // 64
        self._names: dict[str, tuple[str, ...]] = {}

    def masks(self, strings: list[str], tags: Ids, values: Ids) -> Masks:
        """Returns the vocabulary's words that name each of n elements, as bits: uint64[n, w].

        Args:
            strings: all tags and names.
            tags: the place of each element's tag among them, int32[n].
            values: the places of its names, int32[k, n], -1 for a missing one.

        """
        return loops.bits(strings, tags, values, self._places, LONGEST)

    def bits(self, given: AbstractSet[str]) -> int:
        """Returns the words of the vocabulary among some, as bits of a number."""
        return sum(1 << self._places[word] for word in given & self._places.keys())

    def rows(self, masks: Sequence[int]) -> Masks:
        """Numbers of m bits as rows of numbers of 64 bits: uint64[n, w]."""
        packed = b"".join(mask.to_bytes(8 * self._width, "little") for mask in masks)
        return np.frombuffer(packed, _BITS).reshape(len(masks), self._width)

    def names(self, prefix: str) -> tuple[str, ...]:
        """The words with a prefix, as names of features."""
        names = self._names.get(prefix)
        if names is None:
            names = self._names[prefix] = tuple(f"{prefix}_{word}" for word in self.words)
        return names
