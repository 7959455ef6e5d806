"""The composition of texts: characters counted by kind, in any script."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.loops.contexts import Texts
from pagelets.text.scripts import IDEOGRAPHS, ranges
from pagelets.text.words import unspaced_words

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
"""All characters from here on count as one kind."""


@cache
def _kinds() -> NDArray[np.uint8]:
    number = {kind: place for place, kind in enumerate(KINDS)}
    characters = _characters()
    # Most characters are letters without case. What a category tells is asked of the others alone.
    cased = np.strings.islower(characters) | np.strings.isupper(characters) | np.strings.istitle(characters)
    kinds = np.full(_CODES, number["letter"], np.uint8)
    others = np.flatnonzero(cased | ~np.strings.isalpha(characters)).tolist()
    categories = "".join(map(unicodedata.category, map(chr, others))).encode()
    by_category = np.full(1 << 16, number["other"], np.uint8)
    for name, kind in _BY_CATEGORY.items():
        by_category[np.frombuffer(name.encode(), np.uint16)] = number[kind]
    kinds[others] = by_category[np.frombuffer(categories, np.uint16)]
    for kind, single in _BY_CHARACTER.items():
        kinds[list(map(ord, single))] = number[kind]
    for block in ranges(IDEOGRAPHS):
        kinds[block] = number["ideograph"]
    return kinds


def count(texts: Sequence[str]) -> Texts:
    """Counts the characters of texts by kind, and their words."""
    tally = loops.tally(texts, _kinds(), len(KINDS), _FIRST_LETTER, _LAST_LETTER)
    words = tally.begins + 0.5 * tally.kinds[:, _IDEOGRAPH]
    return Texts(tally.kinds, words, tally.first, tally.last, tally.lines, tally.cut)


def words(texts: Sequence[str]) -> NDArray[np.float64]:
    r"""The words of texts as `pagelets.text.words.tokens` finds them, maximal runs of ``\w``: float64[n]."""
    return loops.runs(texts, _is_word())


def spoken_words(texts: Sequence[str]) -> NDArray[np.float64]:
    """The words of texts as readers count them: float64[n]. Of scripts that put no spaces between words,
    `words` finds one from sign to sign.
    """
    return words(texts) + unspaced_words(texts)


@cache
def _is_word() -> NDArray[np.bool_]:
    is_word: NDArray[np.bool_] = np.strings.isalnum(_characters())
    is_word[ord("_")] = True
    return is_word


def _characters() -> NDArray[np.str_]:
    return np.arange(_CODES, dtype=np.uint32).view("U1")


_FIRST_LETTER: Final = KINDS.index("lower")
_LAST_LETTER: Final = KINDS.index("letter")
_IDEOGRAPH: Final = KINDS.index("ideograph")
