"""What the text of blocks is made of: characters counted by kind, in any script."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

KINDS: Final = (
    "space", "lower", "upper", "letter", "ideograph", "digit", "stop", "comma", "colon", "quote", "bracket",
    "currency", "mark", "copyright", "dash", "other",
)  # fmt: skip
"""Kinds of characters. ``letter`` is without case, ``stop`` ends a sentence, ``mark`` parts items of a list.
"""

_BY_CATEGORY: Final = {
    "Ll": "lower", "Lu": "upper", "Lt": "upper", "Lm": "letter", "Lo": "letter", "Mn": "letter",
    "Mc": "letter",
    "Nd": "digit", "Nl": "digit", "No": "digit", "Zs": "space", "Zl": "space", "Zp": "space", "Cc": "space",
    "Pi": "quote", "Pf": "quote", "Ps": "bracket", "Pe": "bracket", "Pd": "dash", "Sc": "currency",
}  # fmt: skip
_BY_CHARACTER: Final = {
    "stop": ".!?…。！？｡؟۔।॥։።",
    "comma": ",、，;；،؛",
    "colon": ":：",
    "quote": "\"'",
    "mark": "|/\\•·»«›‹→←↑↓▸▶►◀✓★☆#@*+=<>~^",
    "copyright": "©®™",
}
_CODES: Final = 0x30000
"""No character from here on is told from another."""


@cache
def _kinds() -> NDArray[np.uint8]:
    number = {kind: place for place, kind in enumerate(KINDS)}
    categories = map(unicodedata.category, map(chr, range(_CODES)))
    kinds = np.array([number[_BY_CATEGORY.get(name, "other")] for name in categories], np.uint8)
    for kind, characters in _BY_CHARACTER.items():
        kinds[list(map(ord, characters))] = number[kind]
    for first, last in ((0x3005, 0x3007), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)):
        kinds[first : last + 1] = number["ideograph"]
    kinds[0x20000:] = number["ideograph"]
    return kinds


@dataclass(slots=True, frozen=True, eq=False)
class Texts:
    """What was counted of n texts: ``kinds`` float64[n, len(KINDS)] characters of each kind; ``words``
    float64[n], where an ideograph is half a word; ``first`` and ``last`` uint8[n] the kinds of the first
    and last character, a space for none; ``lines`` float64[n] the line ends; ``cut`` bool[n] whether the text
    ends in an ellipsis.
    """

    kinds: NDArray[np.float64]
    words: NDArray[np.float64]
    first: NDArray[np.uint8]
    last: NDArray[np.uint8]
    lines: NDArray[np.float64]
    cut: NDArray[np.bool_]


def count(texts: Sequence[str]) -> Texts:
    """Counts the characters of texts by kind, and their words."""
    content = "\n".join([*texts, ""])
    codes = np.frombuffer(content.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds().take(codes, mode="clip")
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    ends = np.cumsum(sizes)
    starts = ends - sizes
    owners = np.repeat(np.arange(len(texts)), sizes)
    width = len(KINDS)
    counts = np.bincount(owners * width + kinds, minlength=len(texts) * width).reshape(-1, width)
    # The line end that parts a text from the next.
    counts[:, 0] -= 1
    inside = (kinds >= _FIRST_LETTER) & (kinds <= _LAST_LETTER)
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    words = np.bincount(owners, begins, minlength=len(texts)) + 0.5 * counts[:, KINDS.index("ideograph")]
    # Of an empty text both are the line end, a space.
    last = np.maximum(ends - 2, starts)
    dotted = codes == _DOT
    dots = (sizes > 3) & dotted[last] & dotted[np.maximum(last - 1, 0)] & dotted[np.maximum(last - 2, 0)]
    lines = np.bincount(owners, codes == _LINE_END, minlength=len(texts)).astype(np.float64) - 1
    cut = dots | (codes[last] == _ELLIPSIS)
    return Texts(counts.astype(np.float64), words, kinds[starts], kinds[last], lines, cut)


def words(texts: Sequence[str]) -> NDArray[np.float64]:
    r"""The words of texts as `pagelets.scoring` counts them, maximal runs of ``\w``: float64[n]."""
    content = "\n".join([*texts, ""])
    inside = _is_word().take(
        np.frombuffer(content.encode("utf-32-le", "surrogatepass"), np.uint32), mode="clip"
    )
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    total = np.concatenate(([0], np.cumsum(begins)))[ends]
    return np.diff(total, prepend=0).astype(np.float64)


@cache
def _is_word() -> NDArray[np.bool_]:
    characters = "".join(map(chr, range(_CODES)))
    found = np.zeros(_CODES, bool)
    for run in re.finditer(r"\w+", characters):
        found[run.start() : run.end()] = True
    return found


_DOT, _ELLIPSIS, _LINE_END = ord("."), ord("…"), ord("\n")
_FIRST_LETTER: Final = KINDS.index("lower")
_LAST_LETTER: Final = KINDS.index("letter")
