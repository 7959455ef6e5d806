"""The words of texts: for comparison of pagelets, and for scores against a reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets import loops
from pagelets.text.scripts import UNSPACED_BLOCKS, ranges

Kinds: TypeAlias = NDArray[np.uint8]

BETWEEN, PART, WHOLE = range(3)
"""What a character is to words: between them, part of one, one by itself."""

_SPACED: Final = 0x20000
"""Characters of scripts with spaces between words come before this one."""
_END: Final = 0x40000
"""No character from here on belongs to a word: the last one serves them all."""
_RUN: Final = re.compile(r"\w+")
_ASCII: Final = re.compile(r"[a-z0-9]+")


@cache
def character_kinds() -> Kinds:
    """Returns the role of each character in words."""
    kinds = np.full(_END + 1, BETWEEN, np.uint8)
    kinds[:_SPACED][np.strings.isalnum(np.arange(_SPACED, dtype=np.uint32).view("U1"))] = PART
    for characters in ranges(UNSPACED_BLOCKS):
        kinds[characters] = WHOLE
    return kinds


def words(text: str) -> list[str]:
    """The words of a text for comparison: case folded, without punctuation.

    In scripts that write no spaces between words (Han, Kana, Thai, ...) each character counts as a word.
    """
    folded = text.casefold()
    if folded.isascii():
        return _ASCII.findall(folded)
    kinds = character_kinds().take(codes_of([folded]), mode="clip")
    starts = np.flatnonzero(begins(kinds))
    ends = np.flatnonzero(begins(kinds[::-1])[::-1]) + 1
    return [folded[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """Counts the words, as `words` splits them, of each of n texts: float64[n]."""
    tally = loops.tally(texts, character_kinds(), WHOLE + 1, PART, PART)
    return tally.begins + tally.kinds[:, WHOLE]


def unspaced_words(texts: Sequence[str]) -> NDArray[np.float64]:
    """The words that scripts without spaces between words make in each of n texts, two characters a word:
    float64[n].
    """
    found = np.zeros(len(texts))
    # Such characters are beyond ASCII.
    places = [place for place, text in enumerate(texts) if not text.isascii()]
    others = [texts[place] for place in places]
    found[places] = loops.tally(others, character_kinds(), WHOLE + 1, PART, PART).kinds[:, WHOLE] / 2
    return found


def codes_of(texts: Iterable[str]) -> NDArray[np.uint32]:
    """The code points of texts in a row, a line end after each."""
    content = "\n".join(chain(texts, ("",)))
    return np.frombuffer(bytearray(content.encode("utf-32-le", "surrogatepass")), np.uint32)


def begins(kinds: Kinds) -> NDArray[np.bool_]:
    """Marks the beginnings of words, given the role of each character."""
    begins: NDArray[np.bool_] = kinds == PART
    begins[1:] &= kinds[:-1] != PART
    begins |= kinds == WHOLE
    return begins


def tokens(text: str) -> list[str]:
    r"""The words of a text, in order, as scores count them: maximal runs of ``\w``, in lower case."""
    return _RUN.findall(text.lower())
