"""Formulas in MathML: each is read once, as its TeX where the page has it and its signs in a row would say
something else, else with signs for what a row does not show ("x^2", "1/2"), and without the copies that
renderers put beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.tree import Tree

_STACKED: Final = "mfrac mmultiscripts mover mroot msqrt msub msubsup msup mtable munder munderover".split()
"""Elements whose parts do not stand in a row."""
_SIGNS: Final = {
    **dict.fromkeys(("mover", "msup"), ("", "^")),
    **dict.fromkeys(("msub", "munder"), ("", "_")),
    **dict.fromkeys(("msubsup", "munderover"), ("", "_", "^")),
    "mfrac": ("", "/"),
    "mroot": ("", "^1/"),
}
"""By element, what is put before each of its parts."""
_FEW: Final = 9
_COPIES: Final = frozenset({"img", "nobr", "span"})


def as_tex(tree: Tree) -> list[int]:
    """Returns the annotations that are read in the place of the elements beside them."""
    if not (formulas := tree.of_tag("math")):
        return []
    stacked = sorted(node for tag in _STACKED for node in tree.of_tag(tag))
    found: list[int] = []
    for formula in formulas:
        first = bisect_left(stacked, formula)
        if first < len(stacked) and stacked[first] <= tree.last[formula]:
            inside = next(tree.children(formula))
            found += islice((part for part in tree.children(inside) if _is_tex(tree, part)), 1)
    return found


def put_signs(tree: Tree) -> None:
    """Puts signs between the parts of formulas that do not stand in a row, and brackets around those of
    several signs; none before an operator, such as the bar over a letter.
    """
    if not tree.of_tag("math"):
        return
    # Those inside of others first: what is put around them comes outside.
    for node in sorted((node for tag in _SIGNS for node in tree.of_tag(tag)), reverse=True):
        for part, sign in zip(tree.children(node), _SIGNS[tree.tags[node]], strict=False):
            shown = [place for place in islice(tree.text_span(part), _FEW) if tree.texts[place].strip()]
            if len(shown) > 1 and tree.texts[shown[0]].strip()[0] != "(":
                tree.put_around(part, f"{sign}(", ")")
            elif tree.tags[part] != "mo":
                tree.put_around(part, sign)
    for root in tree.of_tag("msqrt"):
        tree.put_around(root, "√(", ")")
    for cell in tree.of_tag("mtd"):
        tree.put_around(cell, " ", " ")


def around_formulas(tree: Tree) -> list[int]:
    """Returns the elements that hold a formula alone: pages hide them from browsers without MathML."""
    return [
        tree.parents[formula]
        for formula in tree.of_tag("math")
        if tree.parents[formula] == formula - 1
        and tree.last[formula] == tree.last[formula - 1]
        and not (tree.text(formula - 1) + tree.tail(formula)).strip()
    ]


def copies(tree: Tree) -> list[int]:
    """Returns the copies of formulas in other elements or as pictures, which are hidden from who reads the
    formulas themselves.
    """
    return [
        beside
        for around in around_formulas(tree)
        for beside in _beside(tree, around)
        if tree.tags[beside] in _COPIES and tree.get(beside, "aria-hidden") == "true"
    ]


def _is_tex(tree: Tree, part: int) -> bool:
    return (
        tree.tags[part] == "annotation"
        and "tex" in (tree.get(part, "encoding") or "")
        and tree.text(part).strip() != ""
    )


def _beside(tree: Tree, node: int) -> Iterator[int]:
    """The elements right before and after one that lie in the same."""
    yield from islice(tree.previous_siblings(node), 1)
    if (following := tree.next_sibling(node)) is not None:
        yield following
