"""Reads the tokens of a source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXT, TAG, REMARK, RAW = range(4)
"""What a token is: text; a start or end tag; a comment, a declaration or the like; what stands in a
``script``, a ``style`` or another element whose content is no markup.
"""

_ATTRIBUTES: Final = r"""(?:[^>=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|=)*+>?"""
_TOKEN: Final = re.compile(
    # A tag, perhaps of an element whose content is no markup, or of one that holds nothing but text.
    r"<((?:(?ai:(script|style|xmp|iframe|noembed|noframes)|(title|textarea|plaintext))(?=[\s/>])|/?[a-zA-Z])"
    rf"{_ATTRIBUTES}"
    # A comment, or what is read as one.
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)|[!?/][^>]*+>?)"
    # All before the end tag of such an element.
    r"(?(2)((?:[^<]++|<(?!/(?ai:\2)[\s/>]))*+))"
    r"(?(3)((?:[^<]++|<(?!/(?ai:\3)(?<!plaintext)[\s/>]))*+))"
)
_PARTS: Final = 6
"""What splitting gives for each match: the text before it, and the groups of the pattern."""
_NO_TAG: Final = re.compile(r"[!?]|/[^a-zA-Z]|/\Z").match

_KINDS: Final = (TEXT, TAG, RAW, TEXT)
"""What each of them is but the names of elements, in the order in which they stand."""


class Scanned(NamedTuple):
    """The t tokens of a source, of which texts end with their line.

    ``start`` int32[t] is where each begins, ``kind`` int8[t] what it is, ``line`` int32[t] the line that it
    begins in; ``further`` bool[t] tells texts that go on with the one before, ``blank`` bool[t] those of
    white space alone.
    """

    start: NDArray[np.int32]
    kind: NDArray[np.int8]
    line: NDArray[np.int32]
    further: NDArray[np.bool_]
    blank: NDArray[np.bool_]


def scan(html: str) -> Scanned:
    """The tokens of a source; linear in its size, whatever it is."""
    parts = _TOKEN.split(html)
    markup = parts[1::_PARTS]
    # One more row, for the text after the last match.
    lengths = np.zeros((len(markup) + 1, len(_KINDS)), np.int64)
    kinds = np.tile(np.array(_KINDS, np.int8), (len(markup) + 1, 1))
    lengths[:, 0] = np.fromiter(map(len, parts[::_PARTS]), np.int64)
    lengths[:-1, 1] = np.fromiter(map(len, markup), np.int64) + 1
    kinds[[row for row, found in enumerate(markup) if _NO_TAG(found)], 1] = REMARK
    for column, contents in ((2, parts[4::_PARTS]), (3, parts[5::_PARTS])):
        rows = [row for row, content in enumerate(contents) if content]
        lengths[rows, column] = [len(contents[row]) for row in rows]
    there = lengths.ravel() > 0
    chars, kind = lengths.ravel()[there], kinds.ravel()[there]
    starts = np.cumsum(chars) - chars
    lines = np.cumsum([len(line) + 1 for line in html.split("\n")[:-1]], dtype=np.int64)
    owners = np.maximum(starts.searchsorted(lines, "right") - 1, 0)
    cut = (kind[owners] == TEXT) & (starts[owners] < lines) & (lines < len(html))
    owner = np.concatenate([np.arange(len(kind)), owners[cut]])
    starts = np.concatenate([starts, lines[cut]])
    order = np.argsort(starts, kind="stable")
    starts, kind = starts[order], kind[owner[order]]
    blank = kind == TEXT
    stops = np.append(starts[1:], len(html))[blank].tolist()
    found = zip(starts[blank].tolist(), stops, strict=True)
    blank[blank] = [html[start:stop].isspace() for start, stop in found]
    line = lines.searchsorted(starts, "right").astype(np.int32)
    return Scanned(starts.astype(np.int32), kind, line, order >= len(there.nonzero()[0]), blank)
