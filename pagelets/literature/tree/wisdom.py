"""WISDOM: the subtrees of a page that hold most of what informs.

Kao, Ho & Chen, "WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model", IEEE
TKDE 17(5), 2005: the information coverage tree, SII, the maximum informative blocks MIB(k, f, ST), and the
expansion of what that finds. k-MIB counts the text outside links, on a page alone; with WISDOM a link
informs, too, as far as the page that it leads to has the words of its text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from heapq import heappop, heappush, nsmallest
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.literature.tree.linked import Floats, linked_words
from pagelets.methods.base import Parameters, SiteView, Subject, Verdict
from pagelets.patterns import drawn_by
from pagelets.sketch import Hashes, hashed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pagelets.containers import Containers
    from pagelets.page import Link

Integers: TypeAlias = NDArray[np.int64]

UNINFORMATIVE: Final = "uninformative"
CITE: Final = (
    "Kao, Ho & Chen, WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model, "
    "IEEE TKDE 17(5), 2005"
)
_TERMS: Final = 4096
"""So many distinct terms of a page are learned at most."""
_HALF: Final = np.uint64(32)
_KEY, _VALUE = np.dtype("<u8"), np.dtype("<f4")
_SIZE: Final = 8


def structure_index(parent: Integers, values: Floats) -> Floats:
    """SII of each of n nodes: how evenly its m children share what they have, from 0 to 1; float64[n].

    It is -sum w log_m w over the children's shares w. Takes the place of each node's parent, the first's its
    own, and what each node has. The paper does not say what it is with fewer than two children: 0 here, so
    that MIB goes on to an only child.
    """
    size = len(parent)
    around, amounts = parent[1:], values[1:]
    count = np.bincount(around, minlength=size)
    total = np.bincount(around, amounts, size)
    share = amounts / np.where(total > 0, total, 1)[around]
    spread = np.bincount(around, -share * np.log(np.where(share > 0, share, 1)), size)
    return spread / np.log(np.maximum(count, 2))


@dataclass(eq=False)
class CoverageTree:
    """ICT, the information coverage tree of a page of b blocks: n nodes that sum up what is below them.

    The nodes are the elements that hold blocks, as in ``containers``, and behind them those blocks that are
    not all that their element holds. ``parent`` int64[n] is the place of each one's parent, the first's its
    own; ``kind`` int64[n] tells tags apart, and is -1 for blocks; ``of_block`` int64[b] is the innermost node
    of each block; ``leaves`` int64 are the blocks that are nodes.
    """

    containers: Containers
    parent: Integers
    kind: Integers
    of_block: Integers
    leaves: Integers

    @classmethod
    def of(cls, containers: Containers) -> CoverageTree:
        """The tree of a page's containers."""
        count = len(containers.nodes)
        children = np.bincount(np.concatenate([containers.of_block, containers.parent[1:]]), minlength=count)
        leaves = np.flatnonzero(children[containers.of_block] > 1)
        of_block = containers.of_block.copy()
        of_block[leaves] = count + np.arange(len(leaves))
        return cls(
            containers,
            np.concatenate([containers.parent, containers.of_block[leaves]]),
            np.concatenate([containers.tag.astype(np.int64), np.full(len(leaves), -1)]),
            of_block,
            leaves,
        )

    def aggregated(self, values: Floats) -> Floats:
        """Sums a value of the blocks (float64[b]) over each node: float64[n]."""
        return np.concatenate([self.containers.sums(values), values[self.leaves]])

    def informative(self, values: Floats, k: int, threshold: float) -> list[int]:
        """Returns MIB(k, f, ST): at most k nodes, none in another, those with most of f first.

        The node that has most is next; its children take its place if its SII is below the threshold.

        Args:
            values: f of each node, float64[n].
            k: the most nodes.
            threshold: ST, the least SII of a node.

        """
        index, most = structure_index(self.parent, values).tolist(), values.tolist()
        order = np.argsort(self.parent[1:], kind="stable") + 1
        starts = np.searchsorted(self.parent[order], np.arange(len(most) + 1)).tolist()
        below = order.tolist()
        queue = [(-most[0], 0)]
        chosen: list[int] = []
        while queue and len(chosen) < k:
            least, node = heappop(queue)
            if least == 0:
                break
            children = below[starts[node] : starts[node + 1]]
            if not children or index[node] >= threshold:
                chosen.append(node)
                continue
            for child in children:
                heappush(queue, (-most[child], child))
        return chosen

    def expanded(self, nodes: Collection[int]) -> NDArray[np.bool_]:
        """Some nodes and their siblings with the same tag: bool[n]."""
        key = self.parent * (len(self.containers.tree.strings) + 1) + self.kind + 1
        marked: NDArray[np.bool_] = np.isin(key, key[list(nodes)])
        marked[0] = 0 in nodes
        return marked

    def inside(self, nodes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Marks the blocks that lie in any of some nodes (bool[n]): bool[b]."""
        marked, above = nodes.copy(), self.parent
        while above.any():
            marked |= marked[above]
            above = above[above]
        marked |= nodes[0]
        return marked[self.of_block]


@dataclass(frozen=True)
class KMibMethod(Parameters):
    """Keeps the at most ``k`` subtrees that MIB(k, f, ST) finds, expanded and condensed; ``threshold`` is ST.

    f is CII, which is CLEN here: the words outside links. What API is a page alone cannot tell: it is 0, and
    ALEN, the words in links, informs of nothing. Expansion takes in the siblings of what was found that have
    its tag. Condensation takes out each part of whose words less than ``share`` inform. How these two go, k,
    ST and the share are known from summaries of the paper that leave them open: they are this project's,
    chosen on the pages of its corpora.
    """

    cite: ClassVar[str] = CITE
    k: int = 1
    threshold: float = 0.6
    share: float = 0.25

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true on informative blocks; scores are 0 or 1."""
        containers = subject.containers
        counted = linked_words(subject.page, containers)
        return self.mined(containers, counted.words - counted.linked, counted.words)

    def mined(self, containers: Containers, informs: Floats, words: Floats) -> Verdict:
        """Returns the verdict on b blocks.

        Args:
            containers: the elements around the blocks.
            informs: the words of each block that inform, float64[b].
            words: all words of each block, float64[b].

        """
        tree = CoverageTree.of(containers)
        values = tree.aggregated(informs)
        informative = tree.inside(tree.expanded(tree.informative(values, self.k, self.threshold)))
        informative &= ~tree.inside(values < self.share * tree.aggregated(words))
        return Verdict.of(informative, informative.astype(np.float64), UNINFORMATIVE)


@dataclass(frozen=True)
class WisdomMethod(Parameters):
    """Learns the terms of pages that a host's links lead to, of at most ``sample``, and what each term tells.

    A term that d of n pages have informs by 1 - log_n d: what is everywhere tells nothing. API of a link is
    the sum of what those of its terms tell that its target has, over the number of its terms; to a page that
    is not known it is 0. f is CLEN and ALEN times API, in words. ``k``, ``threshold`` and ``share``, and what
    else the sources leave open, are as of `KMibMethod`; so is the formula of API.
    """

    cite: ClassVar[str] = CITE
    sample: int = 200
    k: int = 1
    threshold: float = 0.6
    share: float = 0.25

    def learn(self, site: SiteView) -> bytes:
        """The addresses of some pages that are linked to, the terms of each, and what they tell."""
        linked = nsmallest(self.sample, {target for _, target in site.links()}, key=drawn_by)
        urls: list[str] = []
        terms: list[Hashes] = [np.empty(0, np.uint64)]
        for subject in site.pages(sorted(linked)):
            urls.append(subject.page.url)
            terms.append(np.unique(_terms("\n".join([block.text for block in subject.page.blocks])))[:_TERMS])
        all_terms = np.concatenate(terms)
        owners = np.repeat(np.arange(len(urls), dtype=np.uint64), [len(hashes) for hashes in terms[1:]])
        _, places, pages = np.unique(all_terms, return_inverse=True, return_counts=True)
        tells = (1 - np.log(pages) / np.log(max(len(urls), 2)))[places]
        some = tells > 0
        keys = (owners << _HALF | all_terms)[some]
        head = json.dumps(urls).encode()
        rows = keys.astype(_KEY).tobytes(), tells[some].astype(_VALUE).tobytes()
        return b"".join((len(head).to_bytes(_SIZE, "little"), head, *rows))

    def learned(self, model: bytes) -> KnownTargetsMethod:
        """Returns the method that knows the targets in a model."""
        return KnownTargetsMethod(KMibMethod(self.k, self.threshold, self.share), Targets.of(model))


@dataclass(slots=True, frozen=True, eq=False)
class Targets:
    """Pages by their addresses, and what their terms tell: ``keys`` uint64[n] are a page and a term each, in
    order, ``tells`` float32[n] how much.
    """

    pages: Mapping[str, int]
    keys: Hashes
    tells: NDArray[np.float32]

    @classmethod
    def of(cls, model: bytes) -> Targets:
        """Reads what `WisdomMethod` has learned."""
        start = _SIZE + int.from_bytes(model[:_SIZE], "little")
        count = (len(model) - start) // (_KEY.itemsize + _VALUE.itemsize)
        return cls(
            {url: place for place, url in enumerate(json.loads(model[_SIZE:start]))},
            np.frombuffer(model, _KEY, count, start),
            np.frombuffer(model, _VALUE, count, start + count * _KEY.itemsize),
        )

    def precision(self, links: Sequence[Link]) -> Floats:
        """API, the anchor precision index, of each of l links, from 0 to 1: float64[l]."""
        pages = [self.pages.get(link.url.partition("#")[0], -1) for link in links]
        known = [place for place, page in enumerate(pages) if page >= 0]
        if not known or not len(self.keys):
            return np.zeros(len(links))
        terms = [_terms(links[place].text) for place in known]
        of_term = np.repeat(known, [len(link_terms) for link_terms in terms])
        keys = np.array(pages)[of_term].astype(np.uint64) << _HALF | np.concatenate(terms)
        at = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        tells = np.where(self.keys[at] == keys, self.tells[at], 0)
        total = np.bincount(of_term, tells, len(links))
        return total / np.maximum(np.bincount(of_term, minlength=len(links)), 1)


@dataclass(frozen=True)
class KnownTargetsMethod(Parameters):
    """Judges by ``mib`` with API of links to ``targets`` that are known."""

    cite: ClassVar[str] = CITE
    mib: KMibMethod
    targets: Targets

    @property
    def version(self) -> str:
        """The parameters."""
        return self.mib.version

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true on informative blocks; scores are 0 or 1."""
        page, containers = subject.page, subject.containers
        counted, size = linked_words(page, containers), len(page.blocks)
        words = np.bincount(counted.blocks, counted.of_link * self.targets.precision(page.links), size)[:size]
        return self.mib.mined(containers, counted.words - counted.linked + words, counted.words)


def _terms(text: str) -> Hashes:
    """Hashes of 32 bits of the words of a text."""
    return hashed(text) >> _HALF
