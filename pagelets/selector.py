"""A CSS selector for the place of a block, for people to write into a site file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.partition import node_steps

if TYPE_CHECKING:
    from pagelets.page import Page
    from pagelets.tree import Tree

_NAME: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_STEPS: Final = 6


class _Step(NamedTuple):
    """One step of a selector: a tag or ``*``, and an id or some classes."""

    tag: str
    identifier: str
    classes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.tag}#{self.identifier}" if self.identifier else ".".join([self.tag, *self.classes])

    def matches(self, tree: Tree, node: int) -> bool:
        """Whether an element is of this tag, and has the id and the classes."""
        if self.tag not in ("*", tree.tags[node]):
            return False
        if self.identifier:
            return tree.get(node, "id") == self.identifier
        return set(self.classes) <= set((tree.get(node, "class") or "").split())


def selector_of(page: Page, block: int) -> str:
    """The shortest selector of a block's element, by tags, ids and classes, that matches only elements at the
    same place (`pagelets.block_keys`) of the page; the longest that was tried where none does. Where it
    matches other blocks, also by the position of the element among its siblings.
    """
    tree, node = page.tree, page.blocks[block].node
    selector, matched = _matching(tree, node)
    others, tag = {other.node for other in page.blocks} - {node}, tree.tags[node]
    if _NAME.fullmatch(tag) is None or others.isdisjoint(matched):
        return selector
    siblings = [
        one for one in range(len(tree)) if tree.tags[one] == tag and tree.parents[one] == tree.parents[node]
    ]
    first = siblings.index(node) + 1
    last = len(siblings) - siblings.index(node)
    # A position alone would match in all elements of other pages.
    around = "" if " > " in selector else f"{_step(tree, tree.parents[node])} > "
    position = f"nth-of-type({first})" if first <= last else f"nth-last-of-type({last})"
    return f"{around}{selector}:{position}"


def holds_others(page: Page, block: int) -> bool:
    """Returns True if a block's element has other blocks in it, which each selector of it matches as well."""
    node = page.blocks[block].node
    inside = range(node, int(page.tree.last[node]) + 1)
    return any(other.node in inside for at, other in enumerate(page.blocks) if at != block)


def _matching(tree: Tree, node: int) -> tuple[str, list[int]]:
    """The selector of an element, and the elements that it matches."""
    place = _place(tree, node)
    steps = [_step(tree, node)]
    matched = [other for other in range(len(tree)) if steps[0].matches(tree, other)]
    # What each match is, as far out as the selector reaches.
    outer = matched
    while {_place(tree, one) for one in matched} != {place} and len(steps) < _STEPS:
        node = tree.parents[node]
        if node < 0:
            break
        steps.append(_step(tree, node))
        above = [tree.parents[one] for one in outer]
        kept = [at for at, one in enumerate(above) if one >= 0 and steps[-1].matches(tree, one)]
        matched, outer = [matched[at] for at in kept], [above[at] for at in kept]
    return " > ".join(map(str, reversed(steps))), matched


def _place(tree: Tree, node: int) -> str:
    return "/".join(node_steps(tree, [node, *tree.ancestors(node)]))


def _step(tree: Tree, node: int) -> _Step:
    """A step of a selector; names that CSS would have escaped are left out, they are rare."""
    tag = tree.tags[node] if _NAME.fullmatch(tree.tags[node]) else "*"
    identifier = (tree.get(node, "id") or "").strip()
    if _NAME.fullmatch(identifier) and not re.search(r"\d", identifier):
        return _Step(tag, identifier, ())
    names = [name for name in (tree.get(node, "class") or "").split() if _NAME.fullmatch(name)]
    return _Step(tag, "", tuple(name for name in names if not re.search(r"\d", name))[:2])
