"""Numbers of lines beside code, as highlighters write them: in a column of their own, or before each line."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.tree import Tree

_NAMED: Final = re.compile(
    r"(?<![^\W_])(?:(?P<surely>linenos?)|line[-_]?n(?:os?|r|um|umbers?)|lines|lnt?|(?P<column>gutter))(?![^\W_])",
    re.IGNORECASE,
)
"""A class of such numbers. Most also name other things, such as lines of buses, where no code is near."""
_SURELY: Final = "lineno"
_NEAR: Final = 5
"""Elements around one that hold the code."""


def line_numbers(tree: Tree) -> list[int]:
    """Returns the elements that hold nothing but numbers of lines of code.

    Linear in the size of the tree.
    """
    classes = tree.attribute("class")
    values, code = set(classes.values()), sorted([*tree.of_tag("pre"), *tree.of_tag("code")])
    if not code and _SURELY not in "\n".join(values).lower():
        return []
    names = {value: named for value in values if (named := _NAMED.search(value))}
    if not names:
        return []
    texts = ["".join(text.split()) for text in tree.texts]
    numbers = [0, *accumulate(text.isdecimal() for text in texts)]
    words = [0, *accumulate(text != "" and not text.isdecimal() for text in texts)]
    found = []
    for node, value in classes.items():
        if (named := names.get(value)) is None or (named["column"] and tree.tags[node] != "td"):
            continue
        span = tree.text_span(node)
        if (
            numbers[span.stop] > numbers[span.start]
            and words[span.stop] == words[span.start]
            and (named["surely"] or _is_near(tree, node, code))
        ):
            found.append(node)
    return found


def _is_near(tree: Tree, node: int, code: list[int]) -> bool:
    """Returns True if one of the elements of code is an element, in it, or in one closely around it."""
    for around in (node, *islice(tree.ancestors(node), _NEAR)):
        first = bisect_left(code, around)
        if first < len(code) and code[first] <= tree.last[around]:
            return True
    return False
