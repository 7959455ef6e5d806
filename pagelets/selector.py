"""CSS selectors for the places of blocks, for people to write into a site file."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import chain as joined
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.partition import node_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

    @property
    def parts(self) -> list[str]:
        """The parts of the step, of which an element has all."""
        if self.identifier:
            return [f"#{self.identifier}"]
        return [f".{name}" for name in self.classes] or [self.tag]


def selector_of(page: Page, block: int) -> str | None:
    """Returns the selector of one block, as `BlockSelectors.alone`."""
    return BlockSelectors(page).alone(block)


class BlockSelectors:
    """The selectors of a page's blocks, by tags, ids and classes."""

    def __init__(self, page: Page) -> None:
        self._page, self._tree = page, page.tree
        self._steps = [_step(page.tree, node) for node in range(len(page.tree))]
        self._places = _places(page.tree)
        self._classes = {
            node: frozenset(names.split()) for node, names in page.tree.attribute("class").items()
        }
        self._elements = self._by_name()
        self._nodes = set(map(self._element, range(len(page.blocks))))
        self._siblings: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for node, named in enumerate(zip(page.tree.parents, page.tree.tags, strict=True)):
            self._siblings[named].append(node)
        self._found: dict[tuple[int, tuple[_Step, ...]], tuple[str, set[int]]] = {}
        self._matched: dict[tuple[_Step, ...], dict[int, list[int]]] = {}
        self._around: dict[tuple[_Step, ...], defaultdict[int, list[int]]] = {}

    def of(self, block: int) -> str | None:
        """Returns the shortest selector of the innermost element that holds a block, which matches only
        elements at the same place of the page; the longest that was tried where none does, None where each
        element around the block holds other blocks too.
        """
        result = self._find(block)
        return None if result is None else result[1]

    def alone(self, block: int) -> str | None:
        """Returns the same, with the position of the element among its siblings where the selector matches
        other blocks.
        """
        result = self._find(block)
        if result is None:
            return None
        node, selector, matched = result
        return selector if matched <= {node} else self._at_position(selector, node)

    def _find(self, block: int) -> tuple[int, str, set[int]] | None:
        """The element of a block, its selector, and the elements of blocks that this matches."""
        node = self._element(block)
        if any(self._reaches(node, other) for other in (block - 1, block + 1)):
            return None
        chain = tuple(self._steps[ancestor] for ancestor in islice(_chain(self._tree, node), _STEPS))
        key = self._places[node], chain
        if key not in self._found:
            self._found[key] = self._shortest(*key)
        return node, *self._found[key]

    def _at_position(self, selector: str, node: int) -> str:
        """A selector with the position of its element among its siblings of the same tag."""
        tree = self._tree
        if _NAME.fullmatch(tree.tags[node]) is None:
            return selector
        siblings = self._siblings[tree.parents[node], tree.tags[node]]
        first = siblings.index(node) + 1
        last = len(siblings) - siblings.index(node)
        # A position alone would match in all elements of other pages.
        around = (
            "" if " > " in selector or tree.parents[node] < 0 else f"{self._steps[tree.parents[node]]} > "
        )
        position = f"nth-of-type({first})" if first <= last else f"nth-last-of-type({last})"
        return f"{around}{selector}:{position}"

    def _element(self, block: int) -> int:
        """The innermost element that holds all of a block."""
        holders = self._holders(block) or [self._page.blocks[block].node]
        first, last = min(holders), max(holders)
        return next(ancestor for ancestor in _chain(self._tree, first) if last <= self._tree.last[ancestor])

    def _reaches(self, node: int, block: int) -> bool:
        """Returns true if an element holds some of a block, and there is such a block."""
        if not 0 <= block < len(self._page.blocks):
            return False
        return any(node <= holder <= self._tree.last[node] for holder in self._holders(block))

    def _holders(self, block: int) -> list[int]:
        """The elements that the texts and pictures of a block stand in."""
        return [holder for text, holder in self._page.blocks[block].runs if not text or text.strip()]

    def _shortest(self, place: int, chain: tuple[_Step, ...]) -> tuple[str, set[int]]:
        """The selector, and the elements of blocks that it matches."""
        length = 1
        while length < len(chain) and any(
            self._places[inner] != place
            for matched in self._matching(chain[:length]).values()
            for inner in matched
        ):
            length += 1
        matched = joined.from_iterable(self._matching(chain[:length]).values())
        return " > ".join(map(str, reversed(chain[:length]))), self._nodes.intersection(matched)

    def _matching(self, chain: tuple[_Step, ...]) -> Mapping[int, list[int]]:
        """The elements that a selector matches, by the element that its outermost step is."""
        matched = self._matched.get(chain)
        if matched is None:
            named = min((self._elements[part] for part in chain[-1].parts), key=len)
            inside = self._inside(chain[:-1]) if len(chain) > 1 else {node: [node] for node in named}
            fewer = named if len(named) < len(inside) else inside
            matched = self._matched[chain] = {
                node: inside[node] for node in fewer if node in inside and self._matches(chain[-1], node)
            }
        return matched

    def _inside(self, chain: tuple[_Step, ...]) -> Mapping[int, list[int]]:
        """The elements that a selector matches, by the element around its outermost step."""
        by_parent = self._around.get(chain)
        if by_parent is None:
            by_parent = self._around[chain] = defaultdict(list)
            for outermost, matched in self._matching(chain).items():
                by_parent[self._tree.parents[outermost]] += matched
        return by_parent

    def _matches(self, step: _Step, node: int) -> bool:
        """Whether an element is of this tag, and has the id and the classes."""
        if step.tag not in ("*", self._tree.tags[node]):
            return False
        if step.identifier:
            return self._tree.get(node, "id") == step.identifier
        return not step.classes or self._classes.get(node, frozenset()).issuperset(step.classes)

    def _by_name(self) -> Mapping[str, list[int]]:
        """The elements with each tag, id and class."""
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(self._tree.tags):
            by_name["*"].append(node)
            by_name[tag].append(node)
            by_name[f"#{self._tree.get(node, 'id')}"].append(node)
            for name in self._classes.get(node, ()):
                by_name[f".{name}"].append(node)
        return by_name


def _chain(tree: Tree, node: int) -> Iterator[int]:
    """An element and those around it, the innermost first."""
    yield node
    yield from tree.ancestors(node)


def _places(tree: Tree) -> list[int]:
    """A number for each element's place: the same for elements at the same place."""
    numbers: dict[tuple[int, str], int] = {}
    places: list[int] = []
    for parent, step in zip(tree.parents, node_steps(tree, range(len(tree))), strict=True):
        above = places[parent] if parent >= 0 else -1
        places.append(numbers.setdefault((above, step), len(numbers)))
    return places


def _step(tree: Tree, node: int) -> _Step:
    """A step of a selector; names that CSS would have escaped are left out, they are rare."""
    tag = tree.tags[node] if _NAME.fullmatch(tree.tags[node]) else "*"
    identifier = (tree.get(node, "id") or "").strip()
    if _NAME.fullmatch(identifier) and not re.search(r"\d", identifier):
        return _Step(tag, identifier, ())
    names = [name for name in (tree.get(node, "class") or "").split() if _NAME.fullmatch(name)]
    return _Step(tag, "", tuple(name for name in names if not re.search(r"\d", name))[:2])
