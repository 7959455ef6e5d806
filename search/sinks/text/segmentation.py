"""Texts in scripts that put no spaces between words, made ready for a tokenizer that parts at spaces.

Each character is a word of its own, and what is looked for in such a script is a phrase of characters: any
part of the text is found, without a dictionary of each language.
"""

from __future__ import annotations

import re
from typing import Final

from pagelets.text.scripts import UNSPACED_LETTERS

_CHARACTER: Final = re.compile(f"([{UNSPACED_LETTERS}])")


def segmented(text: str) -> str:
    """Returns a text with a space around each character of a script without spaces; other texts unchanged."""
    if text.isascii() or not _CHARACTER.search(text):
        return text
    return _CHARACTER.sub(r" \1 ", text)
