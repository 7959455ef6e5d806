"""Texts in scripts that put no spaces between words, made ready for a tokenizer that parts at spaces.

Each character is a word of its own, and what is looked for in such a script is a phrase of characters: any
part of the text is found, without a dictionary of each language.
"""

from __future__ import annotations

import re
from typing import Final

UNSPACED: Final = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # marks and numerals among Han characters
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul: words carry particles
    "\ua000-\ua48c"  # Yi
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece"  # Thai, Lao
    "\u1000-\u103f\u1780-\u17d3"  # Burmese, Khmer
)
"""These scripts, as the inside of a character class of a regular expression."""

_CHARACTER: Final = re.compile(f"([{UNSPACED}])")


def segmented(text: str) -> str:
    """A text with a space around each character of a script that has none; any other text as it is."""
    if text.isascii() or not _CHARACTER.search(text):
        return text
    return _CHARACTER.sub(r" \1 ", text)
