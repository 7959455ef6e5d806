"""A vector for each frequent word, from a model of language that others have trained.

Words that training never met are near to those that it did. `training.meanings` makes the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

WORDS: Final = "meanings.words"
TABLE: Final = "meanings.table"
_STORED: Final = np.dtype("<f2")


class Meanings(NamedTuple):
    """The ``rows`` of words in a ``table`` float32[1 + words, w]; its first row, of zeros, is of no word."""

    rows: dict[str, int]
    table: NDArray[np.float32]

    @classmethod
    def from_bytes(cls, contents: Mapping[str, bytes]) -> Meanings:
        """Reads the contents of the files `WORDS` and `TABLE`. Raises ValueError where they do not fit."""
        rows = {word: row for row, word in enumerate(contents[WORDS].decode().splitlines(), 1)}
        vectors = np.frombuffer(contents[TABLE], _STORED).reshape(len(rows), -1)
        return cls(rows, np.pad(vectors.astype(np.float32), ((1, 0), (0, 0))))

    def to_bytes(self) -> dict[str, bytes]:
        """Returns the contents of the files, with 16 bits for each number."""
        words = "".join(f"{word}\n" for word in self.rows)
        return {WORDS: words.encode(), TABLE: self.table[1:].astype(_STORED).tobytes()}
