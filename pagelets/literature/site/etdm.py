"""ETDM: the part of a page that maps onto pages which all link to each other is template.

Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, 2014: pages that a menu
leads to make a complete subdigraph (Section 4.1); what a page has in common with each of them, by an equal
top-down mapping (Definition 3.2 and Algorithm 2), is its template (Section 4.2).

The paper begins at a page that somebody chose. Here that is the page that links to and from most others, and
a page that is judged is mapped onto the template of that one. It takes links in the order of their addresses.
The node equality compares what the paper says, with weights that are in the authors' program alone: here all
weigh the same, and elements are equal from one half on (on the training folds of a corpus any threshold up to
that is as good). Texts are equal where they are the same.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, NamedTuple, TypeAlias

from pagelets.literature.site.complete_subdigraph import complete_subdigraph, link_graph
from pagelets.literature.site.trees import BlockTree
from pagelets.methods.base import CONTENT, TEMPLATE, Parameters, SiteView, Subject, Verdict

_PAIRS: Final = 1000
"""Of siblings with more pairs than this those are paired that have the same classes and attributes, in order:
a mapping takes time in proportion to the sizes of its trees.
"""

_LONGEST: Final = 80
"""Of a longer class or attribute this many characters count: what is learned of a page stays small."""

Pair: TypeAlias = tuple[int, int]

_LINKED: Final = 400
"""So many pages of a host are looked at for a complete subdigraph: those that most pages link to."""


class Element(NamedTuple):
    """The compared features of an element: its classes, its other attributes, the number of its children and
    its place among its siblings, from 0 to 1.
    """

    classes: frozenset[str]
    attributes: frozenset[str]
    children: int
    position: float


def _shared(features: frozenset[str], other: frozenset[str]) -> float:
    return len(features & other) / len(features | other) if features or other else 1.0


class Layout(NamedTuple):
    """A tree whose elements can be compared.

    ``tree`` has the tags of elements and the texts of blocks for its labels. ``element`` gives the compared
    features of an element.
    """

    tree: BlockTree
    element: Callable[[int], Element]

    @classmethod
    def of(cls, subject: Subject) -> Layout:
        """The layout of a page."""
        tree = BlockTree.of(subject)
        page = subject.page.tree
        starts = page.starts.tolist()

        def read(place: int) -> Element:
            span = slice(starts[tree.nodes[place]], starts[tree.nodes[place] + 1])
            classes: frozenset[str] = frozenset()
            attributes = []
            for name, value in zip(page.name[span].tolist(), page.value[span].tolist(), strict=True):
                if page.strings[name] == "class":
                    classes = frozenset(class_name[:_LONGEST] for class_name in page.strings[value].split())
                else:
                    attributes.append(f"{page.strings[name]}={page.strings[value]}"[:_LONGEST])
            siblings = tree.children[tree.parents[place]] if place else [place]
            position = bisect_left(siblings, place) / len(siblings)
            return Element(classes, frozenset(attributes), len(tree.children[place]), position)

        return cls(tree, cache(read))

    def kept(self, places: Sequence[int]) -> Layout:
        """The layout of some nodes in order, each of whose parents is among them.

        The numbers of children and the positions stay those of the page that they were read of.
        """
        elements = {
            number: self.element(place) for number, place in enumerate(places) if self.tree.blocks[place] < 0
        }
        return Layout(self.tree.kept(places), elements.__getitem__)


def _same(first: Layout, other: Layout, ours: list[int], theirs: list[int]) -> Iterator[Pair]:
    known: defaultdict[tuple[frozenset[str], frozenset[str]], list[int]] = defaultdict(list)
    for place in reversed(theirs):
        known[other.element(place)[:2]].append(place)
    for place in ours:
        if left := known[first.element(place)[:2]]:
            yield place, left.pop()


@dataclass(frozen=True)
class EtdmMethod(Parameters):
    """Removes the blocks that map onto each of ``n`` pages that all link to each other.

    Where there are no n such pages it takes the most there are; where no page of the host links to another
    it removes nothing. ``threshold`` is how equal two elements have to be, from 0 to 1, the others are the
    weights of that equality: of the likeness of classes, of other attributes, of the numbers of children and
    of the positions among siblings.
    """

    cite: ClassVar[str] = (
        "Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, PROLE 2014"
    )
    n: int = 4
    threshold: float = 0.5
    classes: float = 0.25
    attributes: float = 0.25
    children: float = 0.25
    position: float = 0.25

    @property
    def sample(self) -> int:
        """The key page, and the n pages."""
        return self.n + 1

    def equality(self, element: Element, other: Element) -> float:
        """The equality of two elements with the same tag, from 0 to 1: a weighted mean of four likenesses.

        The likeness of their classes, and of their other attributes, is the share that both have of all that
        either has; of the numbers of their children the smaller one over the larger; of their positions 1
        less the distance. At least one weight is above 0.
        """
        fewer, more = sorted((element.children, other.children))
        weighted = (
            self.classes * _shared(element.classes, other.classes)
            + self.attributes * _shared(element.attributes, other.attributes)
            + self.children * (fewer / more if more else 1.0)
            + self.position * (1 - abs(element.position - other.position))
        )
        return weighted / (self.classes + self.attributes + self.children + self.position)

    def equal_mapping(self, first: Layout, other: Layout) -> list[Pair]:
        """Returns the pairs of an equal top-down mapping between two trees: the places in both.

        Nodes are paired whose parents are: elements with the same tag that are alike enough, the most alike
        first; blocks with the same text, in order.
        """
        if first.tree.labels[0] != other.tree.labels[0]:
            return []
        if self.equality(first.element(0), other.element(0)) < self.threshold:
            return []
        pairs = [(0, 0)]
        for place, counterpart in pairs:
            alike: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
            for child in first.tree.children[place]:
                alike[first.tree.labels[child]][0].append(child)
            for child in other.tree.children[counterpart]:
                alike[other.tree.labels[child]][1].append(child)
            for ours, theirs in alike.values():
                if not ours or not theirs:
                    continue
                if first.tree.blocks[ours[0]] >= 0:
                    pairs += zip(ours, theirs, strict=False)
                elif len(ours) * len(theirs) > _PAIRS:
                    pairs += _same(first, other, ours, theirs)
                else:
                    pairs += self._most_alike(first, other, ours, theirs)
        return pairs

    def _most_alike(self, first: Layout, other: Layout, ours: list[int], theirs: list[int]) -> Iterator[Pair]:
        scored = []
        for place in ours:
            element = first.element(place)
            for counterpart in theirs:
                likeness = self.equality(element, other.element(counterpart))
                if likeness >= self.threshold:
                    scored.append((-likeness, place, counterpart))
        paired: set[int] = set()
        taken: set[int] = set()
        for _, place, counterpart in sorted(scored):
            if place not in paired and counterpart not in taken:
                paired.add(place)
                taken.add(counterpart)
                yield place, counterpart

    def learn(self, site: SiteView) -> bytes:
        """The template of the host's key page, as JSON; empty where no page links to another."""
        pages = self.pages(site)
        template = self.template(site.pages(pages) if len(pages) > 1 else ())
        return b"" if template is None else _written(template)

    def template(self, pages: Iterable[Subject]) -> Layout | None:
        """Returns the part of a key page's tree, from the root on, that each of the other pages shares
        (Algorithm 2). The key page comes first; None without pages.
        """
        template: Layout | None = None
        for subject in pages:
            layout = Layout.of(subject)
            if template is None:
                template = layout
            elif pairs := self.equal_mapping(template, layout):
                template = template.kept(sorted(place for place, _ in pairs))
        return template

    def pagelets(self, template: Layout, key: Subject) -> list[int]:
        """The positions of the pagelets of a key page that lie wholly inside its template and have a text."""
        inside, blocks = set(template.tree.blocks), key.page.blocks
        return [
            position
            for position, pagelet in enumerate(key.pagelets)
            if inside.issuperset(range(pagelet.start, pagelet.stop))
            and any(block.text for block in blocks[pagelet.start : pagelet.stop])
        ]

    def pages(self, site: SiteView) -> list[str]:
        """The addresses of the key page, and of the complete subdigraph that it links to."""
        linked = Counter(target for source, target in site.links() if source != target)
        known = {url for url, _ in sorted(linked.items(), key=lambda item: (-item[1], item[0]))[:_LINKED]}
        graph = link_graph(link for link in site.links() if known.issuperset(link))
        mutual = {url: sum(url in graph.get(target, ()) for target in graph[url]) for url in graph}
        key = max(sorted(graph), key=lambda url: (mutual[url], linked[url]), default=None)
        return [] if key is None else [key, *complete_subdigraph(sorted(graph[key]), graph, self.n)]

    def learned(self, model: bytes) -> EtdmOfHost:
        """The method that judges by a template."""
        return EtdmOfHost(self, _read(model) if model else None)


@dataclass(frozen=True, eq=False)
class EtdmOfHost(Parameters):
    """Removes the blocks that map onto the template of a host, if it has one."""

    cite: ClassVar[str] = EtdmMethod.cite
    method: EtdmMethod
    template: Layout | None

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on the blocks that the template has."""
        reasons = [CONTENT] * len(subject.page.blocks)
        if self.template is not None:
            page = Layout.of(subject)
            for _, place in self.method.equal_mapping(self.template, page):
                if page.tree.blocks[place] >= 0:
                    reasons[page.tree.blocks[place]] = TEMPLATE
        return Verdict.certain(reasons)


def _written(template: Layout) -> bytes:
    tree = template.tree
    found = [None if block >= 0 else template.element(place) for place, block in enumerate(tree.blocks)]
    elements = [one and (sorted(one.classes), sorted(one.attributes), *one[2:]) for one in found]
    return json.dumps([tree.parents, tree.labels, elements], separators=(",", ":")).encode()


def _read(model: bytes) -> Layout:
    parents, labels, elements = json.loads(model)
    known = {
        place: Element(frozenset(element[0]), frozenset(element[1]), *element[2:])
        for place, element in enumerate(elements)
        if element is not None
    }
    # Which element or block of its page a node was is of no more use.
    nodes = [-1 if element is None else place for place, element in enumerate(elements)]
    blocks = [place if element is None else -1 for place, element in enumerate(elements)]
    return Layout(BlockTree(parents, labels, nodes, blocks), known.__getitem__)
