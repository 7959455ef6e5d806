"""RTDM-TD: identical parts of a few dozen pages, in a mapping of their trees, are template.

The mapping is restricted, top-down and of least cost: Reis, Golgher, Silva & Laender, Automatic Web News
Extraction Using Tree Edit Distance, WWW 2004. Vieira, da Silva, Pinto, de Moura, Cavalcanti & Freire, A Fast
and Robust Method for Web Page Template Detection and Removal, CIKM 2006, look in it for the pairs of
identical nodes: the trees of two pages are mapped, the identical part of them is mapped to the next page, and
so on; the rest is found again on each page of the site, and removed there.

The latter is from the abstract and from memory. Nodes are identical that have the same tag, or the same text:
attributes do not count, as the class of a body that names its page would leave nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Final, NamedTuple, TypeAlias

from pagelets.literature.site.trees import BlockTree
from pagelets.methods.base import CONTENT, TEMPLATE, Parameters, SiteView, Subject, Verdict

Pair: TypeAlias = tuple[int, int]

CELLS: Final = 50_000
"""A mapping has so many cells of dynamic programming at most. Where they are spent children are paired in
order, those with identical subtrees first: it takes time in proportion to the sizes of its trees.
"""

_NEVER: Final = 1 << 62


class _Ends(NamedTuple):
    """Children in order, without those at both ends whose subtrees are identical, which are ``paired``."""

    ours: list[int]
    theirs: list[int]
    paired: list[Pair]


class _Plan(NamedTuple):
    """A mapping of the children of two nodes: its cost, and the pairs of the same label."""

    cost: int
    pairs: list[Pair]


def identical_nodes(tree: BlockTree, other: BlockTree, cells: int = CELLS) -> list[Pair]:
    """The pairs of identical nodes in a restricted top-down mapping of least cost, in order.

    Nodes are mapped whose parents are, and siblings in their order. To insert or to remove a node costs 1,
    and only leaves are: an element goes with all in it. To replace a leaf by another one costs 1. Of mappings
    that cost the same the one with most pairs is taken. Subtrees that are identical are mapped without
    looking into them.

    Args:
        tree: the first tree.
        other: the second tree.
        cells: the most pairs of children that are compared in all.

    Returns:
        The places of nodes with the same label in the one and in the other.

    """
    if tree.labels[0] != other.labels[0]:
        return []
    mapping = _Mapping(tree, other, cells)
    mapping.plan()
    return sorted(mapping.pairs())


class _Mapping:
    def __init__(self, tree: BlockTree, other: BlockTree, cells: int) -> None:
        self._one = tree
        self._other = other
        self._left = cells
        # A node costs so much that all replacements together count less: of equal costs that with fewest is
        # the least, which has the most pairs.
        self._unit = len(tree) + len(other)
        self._plans: dict[Pair, _Plan] = {}

    def plan(self) -> None:
        """Plans, as far as cells go, for each pair of nodes that may be mapped, children before parents."""
        stack = [(0, 0)]
        while stack and self._left > 0:
            pair = stack[-1]
            if pair in self._plans:
                stack.pop()
                continue
            ends = self._ends(*pair)
            cells = len(ends.ours) * len(ends.theirs)
            affordable = cells <= self._left
            needed = list(self._unplanned(ends)) if affordable else []
            if needed:
                stack += needed
                self._left -= len(needed)
                continue
            stack.pop()
            self._left -= cells if affordable else len(ends.ours) + len(ends.theirs)
            self._plans[pair] = self._aligned(ends) if affordable else self._in_order(ends)

    def pairs(self) -> Iterator[Pair]:
        """The pairs of nodes with the same label, from the roots down."""
        tree, other = self._one, self._other
        stack = [(0, 0)]
        while stack:
            place, counterpart = stack.pop()
            if tree.classes[place] == other.classes[counterpart]:
                size = tree.sizes[place]
                yield from zip(
                    range(place, place + size), range(counterpart, counterpart + size), strict=True
                )
                continue
            yield place, counterpart
            plan = self._plans.get((place, counterpart))
            stack += (plan or self._in_order(self._ends(place, counterpart))).pairs

    def _ends(self, place: int, counterpart: int) -> _Ends:
        ours, theirs = self._one.children[place], self._other.children[counterpart]
        classes, others = self._one.classes, self._other.classes
        most = min(len(ours), len(theirs))
        first = 0
        while first < most and classes[ours[first]] == others[theirs[first]]:
            first += 1
        last = 0
        while last < most - first and classes[ours[-1 - last]] == others[theirs[-1 - last]]:
            last += 1
        mine, yours = len(ours) - last, len(theirs) - last
        paired = [
            *zip(ours[:first], theirs[:first], strict=True),
            *zip(ours[mine:], theirs[yours:], strict=True),
        ]
        return _Ends(ours[first:mine], theirs[first:yours], paired)

    def _unplanned(self, ends: _Ends) -> Iterator[Pair]:
        tree, other = self._one, self._other
        for place in ends.ours:
            for counterpart in ends.theirs:
                if (
                    tree.labels[place] == other.labels[counterpart]
                    and tree.classes[place] != other.classes[counterpart]
                    and (place, counterpart) not in self._plans
                ):
                    yield place, counterpart

    def _aligned(self, ends: _Ends) -> _Plan:
        """By dynamic programming over both sequences of children."""
        ours, theirs, pairs = ends
        removed = [self._one.sizes[place] * self._unit for place in ours]
        inserted = [self._other.sizes[place] * self._unit for place in theirs]
        row = [0]
        for size in inserted:
            row.append(row[-1] + size)
        rows, mapped = [row], []
        for place, size in zip(ours, removed, strict=True):
            costs = self._costs(place, theirs)
            above, row = row, [row[0] + size]
            for at, cost in enumerate(costs):
                row.append(min(above[at] + cost, above[at + 1] + size, row[at] + inserted[at]))
            rows.append(row)
            mapped.append(costs)
        first, last = len(ours), len(theirs)
        while first and last:
            cost = rows[first][last]
            if cost == rows[first - 1][last - 1] + mapped[first - 1][last - 1]:
                first, last = first - 1, last - 1
                if self._one.labels[ours[first]] == self._other.labels[theirs[last]]:
                    pairs.append((ours[first], theirs[last]))
            elif cost == rows[first - 1][last] + removed[first - 1]:
                first -= 1
            else:
                last -= 1
        return _Plan(rows[-1][-1], pairs)

    def _costs(self, place: int, theirs: Sequence[int]) -> list[int]:
        """Returns the cost of mapping a node to each of some others, `_NEVER` if impossible."""
        tree, other = self._one, self._other
        label, subtree, is_leaf = tree.labels[place], tree.classes[place], not tree.children[place]
        costs = []
        for counterpart in theirs:
            if subtree == other.classes[counterpart]:
                costs.append(0)
            elif label == other.labels[counterpart]:
                costs.append(self._plans[place, counterpart].cost)
            else:
                costs.append(self._unit + 1 if is_leaf and not other.children[counterpart] else _NEVER)
        return costs

    def _in_order(self, ends: _Ends) -> _Plan:
        """Without looking for the least cost: what is identical first, then what has the same label."""
        tree, other = self._one, self._other
        ours, theirs, pairs = ends
        cost = sum(tree.sizes[place] for place in ours) + sum(other.sizes[place] for place in theirs)
        anchors = _increasing(
            [tree.classes[place] for place in ours], [other.classes[place] for place in theirs]
        )
        first = last = 0
        for mine, yours in [*anchors, (len(ours), len(theirs))]:
            between = _increasing(
                [tree.labels[place] for place in ours[first:mine]],
                [other.labels[place] for place in theirs[last:yours]],
            )
            pairs += [(ours[first + at], theirs[last + there]) for at, there in between]
            cost -= 2 * len(between)
            if mine < len(ours):
                pairs.append((ours[mine], theirs[yours]))
                cost -= 2 * tree.sizes[ours[mine]]
            first, last = mine + 1, yours + 1
        return _Plan(cost * self._unit, pairs)


def _increasing(ours: Sequence[int], theirs: Sequence[int]) -> list[Pair]:
    """Places of equal values in two sequences, both rising: each goes with the first that is left."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(len(theirs) - 1, -1, -1):
        places[theirs[place]].append(place)
    pairs: list[Pair] = []
    last = -1
    for place, value in enumerate(ours):
        left = places.get(value, [])
        while left and left[-1] <= last:
            left.pop()
        if left:
            last = left.pop()
            pairs.append((place, last))
    return pairs


@dataclass(frozen=True)
class RtdmTdMethod(Parameters):
    """Removes the blocks that are identical on each of ``sample`` pages of a host: two dozen, for the paper's
    few dozen.
    """

    cite: ClassVar[str] = (
        "Vieira et al., A Fast and Robust Method for Web Page Template Detection and Removal, CIKM 2006"
    )
    sample: int = 24

    def learn(self, site: SiteView) -> bytes:
        """The template of a host, as JSON; empty where the host has fewer than two pages."""
        pages = map(BlockTree.of, site.sample(self.sample))
        template, second = next(pages, None), next(pages, None)
        if template is None or second is None:
            return b""
        for page in chain([second], pages):
            template = template.kept([place for place, _ in identical_nodes(template, page)] or [0])
        # Of what page a node was is of no more use.
        leaves = [int(block >= 0) for block in template.blocks]
        return json.dumps([template.parents, template.labels, leaves], separators=(",", ":")).encode()

    def learned(self, model: bytes) -> RtdmTdOfHost:
        """The method that judges by a template."""
        if not model:
            return RtdmTdOfHost(None)
        parents, labels, leaves = json.loads(model)
        return RtdmTdOfHost(BlockTree(parents, labels, [leaf - 1 for leaf in leaves], leaves))


@dataclass(frozen=True, eq=False)
class RtdmTdOfHost(Parameters):
    """Removes the blocks that the template of a host has, if it has one."""

    cite: ClassVar[str] = RtdmTdMethod.cite
    template: BlockTree | None

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on the blocks that are identical in the template."""
        reasons = [CONTENT] * len(subject.page.blocks)
        if self.template is not None:
            page = BlockTree.of(subject)
            for _, place in identical_nodes(self.template, page):
                if page.blocks[place] >= 0:
                    reasons[page.blocks[place]] = TEMPLATE
        return Verdict.certain(reasons)
