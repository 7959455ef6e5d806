"""What a page's authors call its parts: words of tags, classes, ids, roles and microdata."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from pagelets.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from pagelets.page import Page
    from pagelets.tree import Tree

Key: TypeAlias = tuple[str | None, ...]
"""An element's tag and those of its attributes that name it."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_TYPE: Final = re.compile(r'"@type"\s*:\s*\[?\s*"([A-Za-z]{3,40})"')
_LONGEST: Final = 200
"""Characters of an attribute that are read. A hostile page has names of megabytes."""
_LONGEST_DATA: Final = 50_000
SOURCES: Final = ("url", "body", "og", "ld")
_REMEMBERED: Final = 1 << 14


def keys(tree: Tree, nodes: Iterable[int]) -> list[Key]:
    """What names each of some elements."""
    tags = tree.tags
    named = [tree.attribute(name).get for name in ("class", "id", "role", "itemprop")]
    return [(tags[node], *(of(node) for of in named)) for node in nodes]


def words(named: Key) -> set[str]:
    """The words of what names an element: ``<tag>``, and the attributes' words, lower-cased, camel case
    parted.
    """
    tag, *values = named
    return {f"<{tag}>"}.union(*(_words(value) for value in values if value))


def _words(value: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(value[:_LONGEST])}


def page_words(page: Page, sources: Collection[str] = SOURCES) -> set[str]:
    """What a page says of itself as a whole, each word with its source: words of its address (``url``) and of
    its body's names (``body``), its type in Open Graph (``og``), the types in its JSON-LD (``ld``).
    """
    found: set[str] = set()
    if "url" in sources:
        path = page.url.split("://", 1)[-1].partition("/")[2].partition("?")[0]
        found.update(f"url:{word.lower()}" for word in _WORD.findall(path[:_LONGEST]))
    if "body" in sources:
        bodies = [node for node in page.tree.of_tag("body") if page.tree.parents[node] == ROOT]
        for named in keys(page.tree, bodies):
            found.update(f"body:{word}" for word in words(named))
    if "og" in sources:
        for node, name in page.tree.attribute("property").items():
            if name == "og:type" and page.tree.tags[node] == "meta":
                found.add(f"og:{(page.tree.get(node, 'content') or '')[:40].strip().lower()}")
    if "ld" in sources:
        for node in page.tree.of_tag("script"):
            if (page.tree.get(node, "type") or "").strip().lower() == "application/ld+json":
                found.update(f"ld:{name}" for name in _TYPE.findall(page.tree.text(node)[:_LONGEST_DATA]))
    return found


class Vocabulary:
    """Words that features tell apart, in a fixed order; ``sources`` are those of words that name pages."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.sources = frozenset(word.partition(":")[0] for word in words) & frozenset(SOURCES)
        self._bits = {word: 1 << place for place, word in enumerate(self.words)}
        self._bytes = (len(self.words) + 7) // 8
        self._names: dict[str, list[str]] = {}
        self._masks: dict[Key, int] = {}
        self._values: dict[str, int] = {}

    def mask(self, named: Key) -> int:
        """The vocabulary's words that name an element, as bits of a number."""
        mask = self._masks.get(named)
        if mask is None:
            mask, size = self._bits.get(f"<{named[0]}>", 0), 0
            for value in named[1:]:
                if value:
                    size += len(value)
                    # Ids tell elements apart that have all else in common.
                    found = self._values.get(value)
                    mask |= self._learn(value) if found is None else found
            if len(self._masks) >= _REMEMBERED:
                self._masks.clear()
            if size <= _LONGEST:
                self._masks[named] = mask
        return mask

    def _learn(self, value: str) -> int:
        mask, bits = 0, self._bits
        for word in _WORD.findall(value[:_LONGEST]):
            mask |= bits.get(word.lower(), 0)
        if len(self._values) >= _REMEMBERED:
            self._values.clear()
        if len(value) <= _LONGEST:
            self._values[value] = mask
        return mask

    def bits(self, found: set[str]) -> int:
        """Those words that the vocabulary has, as bits of a number."""
        bits = self._bits
        return sum(bits[word] for word in found if word in bits)

    def names(self, prefix: str) -> list[str]:
        """The words with a prefix, as names of features."""
        names = self._names.get(prefix)
        if names is None:
            names = self._names[prefix] = [f"{prefix}_{word}" for word in self.words]
        return names

    def columns(self, masks: Iterable[int]) -> NDArray[np.uint8]:
        """One row of zeros and ones for each mask: uint8[n, number of words]."""
        packed = [mask.to_bytes(self._bytes, "little") for mask in masks]
        rows = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), self._bytes)
        return np.unpackbits(rows, axis=1, count=len(self.words), bitorder="little")
