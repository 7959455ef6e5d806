"""Words of blocks, and of the names of the elements around them, as numbers that a network looks up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from pagelets import loops
from pagelets.methods.judged.names import LONGEST, places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.containers import Containers

_BITS: Final = 13
BUCKETS: Final = 1 << _BITS
"""Words are known by their hash: no language needs a list of words."""
_LOWER: Final = BUCKETS - 1
NONE: Final = 0
"""The number of a word that is not there."""
_FIRST, _LAST = 16, 4
"""So many words of a block's beginning and end."""
_NAMES: Final = 6
"""So many words of the names of one element."""
_NEAR, _FAR = 2, 3
"""The element of a block and the one around it, and so many further out."""
_BEGINNING, _END = 400, 100
"""Characters that are read of a longer text."""
_REMEMBERED: Final = 1 << 16


@dataclass(slots=True, frozen=True, eq=False)
class Tokens:
    """Numbers of words from 1 to before `BUCKETS`, or `NONE`.

    ``words`` int32[b, w] number the words of each of b blocks, ``meanings`` int32[b, w] the same words by
    their rows in a table (`pagelets.methods.judged.model.meanings`); ``near`` int32[b, n] number the words of
    the names of its element and the next one around it, ``far`` int32[b, m] the same of elements further out.
    """

    words: NDArray[np.int32]
    meanings: NDArray[np.int32]
    near: NDArray[np.int32]
    far: NDArray[np.int32]

    @classmethod
    def none(cls, blocks: int) -> Tokens:
        """Returns those of blocks without words."""
        widths = _FIRST + _LAST, _FIRST + _LAST, _NEAR * _NAMES, _FAR * _NAMES
        return cls(*(np.zeros((blocks, width), np.int32) for width in widths))


class Numbers(dict[str, int]):
    """The number of each word that was met, and its row in a table of meanings times `BUCKETS`.

    Args:
        rows: those of words in the table.

    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, word: str) -> int:
        if len(self) == _REMEMBERED:
            self.clear()
        # Of a number its digits alone count.
        bucket = _bucket(f"d{min(len(word), 4)}" if word.isdigit() else word)
        number = self[word] = self._rows.get(word, NONE) * BUCKETS + bucket
        return number


def tokens(texts: Sequence[str], containers: Containers, numbers: Numbers) -> Tokens:
    """Returns the tokens of a page's blocks.

    Args:
        texts: the texts of its b blocks.
        containers: the elements around them.
        numbers: those of words.

    """
    found = loops.ends(texts, numbers, (_FIRST, _LAST), (_BEGINNING, _END))
    strings, names = containers.tree.strings, places(containers.tree, containers.nodes)
    kind = loops.alike(*names)
    # Most elements are named as others are. Kinds are numbered in the order they come.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(kind), prepend=-1))
    named = (loops.name_numbers(strings, names[:, first], numbers, "n:", _NAMES, LONGEST) & _LOWER)[kind]
    around, at = [], containers.of_block
    for _ in range(_NEAR + _FAR):
        around.append(named[at])
        at = containers.parent[at]
    return Tokens(
        found & _LOWER, found >> _BITS, np.concatenate(around[:_NEAR], 1), np.concatenate(around[_NEAR:], 1)
    )


def _bucket(word: str) -> int:
    return 1 + crc32(word.encode("utf-8", "surrogatepass")) % (BUCKETS - 1)
