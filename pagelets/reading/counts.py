"""Counts inside a line: inline elements that become blocks, so that they may go and the line stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.counts import names_event
from pagelets.reading.elements import BLOCK_TAGS

if TYPE_CHECKING:
    from pagelets.tree import Tree

_LONGEST: Final = 32
"""Characters of such a text."""
_BESIDE: Final = 60
"""Characters of the texts beside it: in a sentence these words are its own."""
_DIGIT: Final = re.compile(r"\d")


def counted(tree: Tree) -> list[int]:
    """Returns the inline elements that hold nothing but a count of the site's events, such as "1,234 views",
    or a time such as "4 min read" (`pagelets.counts`).
    """
    inline = np.zeros(len(tree.strings), np.bool_)
    inline[[place for tag, place in tree.tag_places.items() if tag not in BLOCK_TAGS]] = True
    texts, found = tree.texts, []
    for place in np.flatnonzero(inline[tree.tag[tree.holder]]).tolist():
        text = texts[place]
        if len(text) <= _LONGEST and _DIGIT.search(text) and names_event(text):
            holder = int(tree.holder[place])
            beside = _beside(tree, place)
            if len(tree.text_span(holder)) == 1 and beside and max(map(len, beside)) <= _BESIDE:
                found.append(holder)
    return found


def _beside(tree: Tree, place: int) -> list[str]:
    """Returns the texts before and after one in its line, if there are any."""
    line, found = _line(tree, place), []
    for others in (range(place - 1, -1, -1), range(place + 1, len(tree.texts))):
        for other in others:
            if _line(tree, other) != line:
                break
            if not tree.texts[other].isspace():
                found.append(tree.texts[other])
                break
    return found


def _line(tree: Tree, place: int) -> int:
    """Returns the innermost element around a text that is a block."""
    node = int(tree.holder[place])
    while node and tree.tags[node] not in BLOCK_TAGS:
        node = tree.parents[node]
    return node
