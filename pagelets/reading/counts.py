"""Counts inside a line: inline elements that become blocks, so that they may go and the line stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets import loops
from pagelets.compiled import chosen
from pagelets.counts import names_event
from pagelets.reading.elements import BLOCK_TAGS

if TYPE_CHECKING:
    from pagelets.tree import Tree

_LONGEST: Final = 32
"""Characters of such a text."""
_BESIDE: Final = 60
"""Characters of the texts beside it: in a sentence these words are its own."""
_INDENTED: Final = 200
"""Characters of a text with its white space."""
_MARKS: Final = 4
"""Maximum number of texts of its element: a dot may stand before it."""
_WORD: Final = re.compile(r"\w")
_DIGIT: Final = re.compile(r"\d")


def numbered(texts: list[str], places: list[int], longest: int) -> list[int]:
    """The places of the texts that have a digit, and no more characters than ``longest``."""
    return [place for place in places if len(texts[place]) <= longest and _DIGIT.search(texts[place])]


_numbered = chosen("pagelets.reading.native_walk", numbered)


def counted(tree: Tree) -> list[int]:
    """Returns the inline elements that hold nothing but a count of the site's events, such as "1,234 views",
    or a time such as "4 min read" (`pagelets.counts`). Linear in the size of the tree.
    """
    inline = np.zeros(len(tree.strings), np.bool_)
    inline[[place for tag, place in tree.tag_places.items() if tag not in BLOCK_TAGS]] = True
    texts, places = tree.texts, np.flatnonzero(inline[tree.tag[tree.holder]]).tolist()
    numbers = _numbered(texts, places, _INDENTED)
    counts = [place for place in numbers if _is_count(" ".join(texts[place].split()))]
    if not counts:
        return []
    parent = np.maximum(tree.parent, 0).astype(np.int64)
    lines = loops.nearest(~inline[tree.tag][None], parent)[0][tree.holder].tolist()
    found = []
    for place in counts:
        holder, beside = int(tree.holder[place]), _beside(texts, lines, place)
        span = tree.text_span(holder)
        alone = len(span) <= _MARKS and not any(_WORD.search(texts[each]) for each in span if each != place)
        if alone and beside and max(map(len, beside)) <= _BESIDE:
            found.append(holder)
    return found


def _is_count(text: str) -> bool:
    return len(text) <= _LONGEST and names_event(text)


def _beside(texts: list[str], lines: list[int], place: int) -> list[str]:
    """Returns the texts before and after one in its line, if there are any."""
    found = []
    for others in (range(place - 1, -1, -1), range(place + 1, len(texts))):
        for other in others:
            if lines[other] != lines[place]:
                break
            if text := texts[other].strip():
                found.append(text)
                break
    return found
