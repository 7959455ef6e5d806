"""What the embedded indexes take for the words of a text.

A text is made one of lower-case words with a space between them, so that an index has but to part it at
spaces, and a text and a query give the same words in every index. In scripts that put no spaces between words
each character is a word of its own, and what is looked for in one is a phrase of characters: any part of the
text is found, without a dictionary of each language.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from pagelets.text.scripts import UNSPACED_LETTERS

VERSION: Final = 1
"""Other words for some text: another version, so that indexes are made anew."""

_ASCII: Final = bytes(
    code if code >= 0x80 or chr(code).isalnum() else ord(" ")
    for code in (ord(chr(byte).lower()) if byte < 0x80 else byte for byte in range(256))
)
"""For the bytes of UTF-8: letters lower-case, what is no letter and no digit a space."""

_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
"""Accents and vowel points, which people leave out; the vowel signs of Indic scripts are none."""

_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_DROPPED: Final = re.compile(f"[{_MARKS}{_INVISIBLE}]+")
_SIGNS_OF_WORDS: Final = (
    "\u0900-\u0963\u0970-\u0df3\u0e00-\u0e4e\u0e80-\u0eff\u0f00-\u0f03\u0f18-\u0fbc\u1000-\u109f"
    "\u1780-\u17d3\u3099\u309a\ua8e0-\ua8f1"
)
"""Blocks whose vowel signs and viramas, which Unicode counts as marks, are parts of words."""
_BETWEEN: Final = re.compile(rf"[^\w\x00-\x7f{_SIGNS_OF_WORDS}]+")

_PLAIN: Final = {
    "ø": "o", "œ": "oe", "æ": "ae", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŧ": "t",
}  # fmt: skip
"""Letters with a stroke or joined, which Unicode does not take apart."""
_LETTER: Final = re.compile(f"[{''.join(_PLAIN)}]")

_UNSPACED: Final = re.compile(f"([{UNSPACED_LETTERS}])")

RUN: Final = re.compile(
    rf"[{UNSPACED_LETTERS}]|(?:(?![{UNSPACED_LETTERS}])(?:[^\W_]|[{_MARKS}{_INVISIBLE}{_SIGNS_OF_WORDS}]))+"
)
"""Finds in a text what may hold words, with its place."""


def normalised(text: str, *, accents: bool = False) -> str:
    """The words of a text with spaces between them, without case and, unless ``accents``, without accents.

    Compatible forms are one (full-width, ligatures); characters of scripts without spaces are a word each.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC" if accents else "NFKD", text)
        text = text.lower() if accents else text.casefold()
        text = _DROPPED.sub("", text)
        if not accents:
            text = _LETTER.sub(lambda letter: _PLAIN[letter[0]], text)
        text = _BETWEEN.sub(" ", text)
        if not text.isascii():
            text = segmented(unicodedata.normalize("NFC", text))
    return text.encode("utf-8", "replace").translate(_ASCII).decode("utf-8")


def segmented(text: str) -> str:
    """Returns a text with a space around each character of a script without spaces; other texts unchanged."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def words(text: str) -> list[str]:
    """The words of a text as indexes have them."""
    return [text.lower()] if text.isascii() and text.isalnum() else normalised(text).split()
