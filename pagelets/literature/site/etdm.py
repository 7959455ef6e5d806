"""ETDM: the part of a page that maps onto pages which all link to each other is template.

Alarte, Insa, Silva & Tamarit, Web Template Extraction Based on Hyperlink Analysis, 2014: pages that a menu
leads to make a complete subdigraph (Section 4.1); what a page has in common with each of them, by an equal
top-down mapping, is its template (Section 4.2).

The paper begins at a page that somebody chose. Here that is the page that links to and from most others, and
a page that is judged is mapped onto the template of that one. It takes links in the order of their addresses.
The node equality compares what the paper says, with weights that are in the authors' program alone: here all
weigh the same, and elements are equal from one half on (on the training folds of a corpus any threshold up to
that is as good). Texts are equal where they are the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from pagelets.literature.site.complete_subdigraph import complete_subdigraph, link_graph
from pagelets.literature.site.equal_mapping import Element, Layout, NodeEquality, equal_mapping
from pagelets.literature.site.trees import BlockTree
from pagelets.methods.base import CONTENT, TEMPLATE, Parameters, SiteView, Subject, Verdict

_LINKED: Final = 400
"""So many pages of a host are looked at for a complete subdigraph: those that most pages link to."""


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

    @property
    def equality(self) -> NodeEquality:
        """The equality of two elements."""
        return NodeEquality(self.classes, self.attributes, self.children, self.position)

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
            elif pairs := equal_mapping(template, layout, self.equality, self.threshold):
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
            pairs = equal_mapping(self.template, page, self.method.equality, self.method.threshold)
            for _, place in pairs:
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
