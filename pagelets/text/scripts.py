"""Characters of scripts, each table as the inside of a character class of a regular expression.

Each is part of how some results come about, which stay as they are: sketches and models in stores, words in
indexes. So they stand here side by side, and are not made one.
"""

from __future__ import annotations

from typing import Final

UNSPACED_BLOCKS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Han, Hiragana, Katakana
)
"""Scripts that put no spaces between words: whole blocks of Unicode, with their digits and punctuation."""

UNSPACED_LETTERS: Final = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # marks and numerals among Han characters
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul: words carry particles
    "\ua000-\ua48c"  # Yi
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece"  # Thai, Lao
    "\u1000-\u103f\u1780-\u17d3"  # Burmese, Khmer
)
"""The same scripts, letters and their signs alone."""

IDEOGRAPHS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0002ffff"
)
"""Han, Hiragana and Katakana, and what else parts no words (Thai, Lao, Burmese, Khmer), as features of blocks
count them.
"""

NOT_LATIN: Final = "\u0370-\u1dff\u2c80-\ua71f\ua800-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts other than the Latin one, as a text is asked for its language."""


def ranges(characters: str) -> list[slice]:
    """The ranges of a table, as slices of code points."""
    return [slice(ord(first), ord(last) + 1) for first, _, last in zip(*[iter(characters)] * 3, strict=True)]
