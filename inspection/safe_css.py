"""Style sheets of strangers, without what loads or what leaves the page."""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 300_000
"""Characters of a page's style sheets that are shown; the rest is left out."""
_FUNCTIONS: Final = frozenset(
    """
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp var linear-gradient
    radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
    repeating-conic-gradient not is where nth-child nth-last-child nth-of-type nth-last-of-type lang dir
    translate translatex translatey translate3d scale scalex scaley rotate skew matrix cubic-bezier repeat
    minmax fit-content counter attr blur brightness contrast
    """.split()
)
_RULES: Final = frozenset({"media", "supports", "layer"})
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAME: Final = r"(?:[-\w]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])+"
_CALLED: Final = re.compile(rf"({_NAME})\(")
_AT: Final = re.compile(rf"@({_NAME})")
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"x-left-out\([^()]*\)")
_CONDITION: Final = re.compile(r"@x-left-out[^;{}]*")
_HOLDS_STILL: Final = re.compile(r"\b(?:fixed|sticky)\b", re.IGNORECASE)


def safe_css(text: str) -> str:
    """Returns a style sheet, or the value of a ``style`` attribute, that loads nothing.

    Functions and at-rules other than known harmless ones get names that no browser knows, so that it drops
    the declarations and rules that have them. Nothing in it ends the ``style`` element around it. What would
    stay in place when the page is scrolled lies in the page.
    """
    text = _COMMENT.sub(" ", text[:MOST].replace("\0", ""))
    text = _CALLED.sub(lambda match: match[0] if _plain(match[1]) in _FUNCTIONS else "x-left-out(", text)
    text = _AT.sub(lambda match: match[0] if _plain(match[1]) in _RULES else "@x-left-out", text)
    text = _CONDITION.sub("@x-left-out ", _ARGUMENTS.sub("x-left-out()", text))
    return _HOLDS_STILL.sub("absolute", text).replace("<", " ")


def _plain(name: str) -> str:
    """A name without escapes, in lower case."""

    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[2]
        code = int(match[1], 16)
        return chr(code) if code < 0x110000 else "�"

    return _ESCAPE.sub(character, name).lower()
