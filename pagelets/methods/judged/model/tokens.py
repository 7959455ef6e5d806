"""Words of blocks, and of the names of the elements around them, as numbers that a network looks up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from pagelets.methods.judged.names import Key, keys
from pagelets.methods.judged.names import words as words_of_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pagelets.containers import Containers

BUCKETS: Final = 1 << 13
"""Words are known by their hash: no language needs a list of words."""
NONE: Final = 0
"""The number of a word that is not there."""
_FIRST, _LAST = 16, 4
"""So many words of a block's beginning and end."""
_NAMES: Final = 6
"""So many words of the names of one element."""
_NEAR, _FAR = 2, 3
"""The element of a block and the one around it, and so many further out."""
_LONGEST: Final = 4_000
_WORD: Final = re.compile(r"\w+")
_REMEMBERED: Final = 1 << 16


@dataclass(slots=True, frozen=True, eq=False)
class Tokens:
    """Numbers of words from 1 to before `BUCKETS`, or `NONE`.

    ``words`` int32[b, w] number the words of each of b blocks; ``near`` int32[b, n] the words of the names of
    its element and the next one around it, ``far`` int32[b, m] the same of elements further out.
    """

    words: NDArray[np.int32]
    near: NDArray[np.int32]
    far: NDArray[np.int32]

    @classmethod
    def none(cls, blocks: int) -> Tokens:
        """Returns those of blocks without words."""
        widths = _FIRST + _LAST, _NEAR * _NAMES, _FAR * _NAMES
        return cls(*(np.zeros((blocks, width), np.int32) for width in widths))


def tokens(texts: Sequence[str], containers: Containers) -> Tokens:
    """Returns the tokens of a page's blocks.

    Args:
        texts: the texts of its b blocks.
        containers: the elements around them.

    """
    words = []
    for text in texts:
        found = _WORD.findall(text[:_LONGEST].lower())
        if len(found) > _FIRST + _LAST:
            del found[_FIRST:-_LAST]
        words.append([*map(_word, found)])
    named = _filled([*map(_named, keys(containers.tree, containers.nodes.tolist()))], _NAMES)
    around, at = [], containers.of_block
    for _ in range(_NEAR + _FAR):
        around.append(named[at])
        at = containers.parent[at]
    return Tokens(_filled(words, _FIRST + _LAST), np.hstack(around[:_NEAR]), np.hstack(around[_NEAR:]))


def _filled(numbers: Sequence[Sequence[int]], width: int) -> NDArray[np.int32]:
    """Returns rows of numbers, filled up with `NONE`: int32[n, width]."""
    sizes = np.fromiter(map(len, numbers), np.int64, len(numbers))
    rows = np.full((len(numbers), width), NONE, np.int32)
    rows[np.arange(width) < sizes[:, None]] = [*chain.from_iterable(numbers)]
    return rows


def _bucket(word: str) -> int:
    return 1 + crc32(word.encode("utf-8", "surrogatepass")) % (BUCKETS - 1)


@lru_cache(_REMEMBERED)
def _word(word: str) -> int:
    """The number of a word of a text; of a number its digits alone count."""
    return _bucket(f"d{min(len(word), 4)}" if word.isdigit() else word)


@lru_cache(_REMEMBERED)
def _named(key: Key) -> list[int]:
    """The numbers of the first words, by the alphabet, of what names an element."""
    return [_bucket(f"n:{word}") for word in sorted(words_of_names(key))[:_NAMES]]
