"""ContentExtractor and FeatureExtractor: pages in sections, and which of these are content.

Debnath, Mitra, Pal & Giles, TKDE 2005. GetBlockSet partitions a page by an ordered list of tags: first into
the elements of the first tag, then each part by the next one. A section here is an element of some tags with
the text in it that lies in no smaller one.

ContentExtractor: a block that many pages of a site have is redundant. Two blocks are similar where the cosine
of their feature vectors exceeds 0.9. The inverse block document frequency (IBDF) of a block is 1 / (pages
with a similar block + 1); a block whose IBDF is too low is no content.

FeatureExtractor: a block is content if the wanted feature, its text, outweighs all others. Blocks are cut as
by ContentExtractor, and described by some features: text, links, images, items of lists, cells of tables,
form controls, objects.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from pagelets.methods.base import REPEATED, Parameters, SiteView, Subject, Verdict
from pagelets.methods.judged.text import words
from pagelets.sketch import hashed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Block

    Hashes = NDArray[np.uint32]

MOST_TERMS: Final = 20_000
"""Of a page so many terms are looked at, and no others: bounds the memory that learning takes."""

CITE: Final = (
    "Debnath, Mitra, Pal & Giles, Automatic Identification of Informative Sections of Web Pages, TKDE 2005"
)
BLOCK_TAGS: Final = ("table", "tr", "p", "ul", "div", "span")
"""GetBlockSet's tags. Once all of them have cut, a text's block is the smallest element around it that has
one of them, whatever their order. HR is left out, as it holds no text.
"""
_CANDIDATES: Final = 32
"""So many blocks are looked at that share a term with one: bounds the time that pages alike take."""
OUTWEIGHED: Final = "outweighed"
"""Another feature outweighs the block's text."""
_FEATURES: Final = (
    ("a", "area"),
    ("img", "svg"),
    ("li", "dt", "dd"),
    ("td", "th"),
    ("input", "select", "textarea", "button", "option"),
    ("object", "embed", "iframe", "video", "audio"),
)
"""The elements that are counted as a feature other than text. Pages are read without their scripts."""


class Terms(NamedTuple):
    """The terms of a page's blocks in order: ``hashes`` uint32[t], and the ``block`` of each, int64[t]."""

    hashes: NDArray[np.uint32]
    block: NDArray[np.int64]


def sections(containers: Containers, tags: Collection[str]) -> NDArray[np.int64]:
    """The section that each block of a page lies in, as the place of its container: int64[b].

    Of what lies in no element of these tags, the first container is the section.
    """
    wanted = containers.numbered(dict.fromkeys(tags, 1)) > 0
    return containers.nearest(wanted)[containers.of_block]


def terms(blocks: Sequence[Block]) -> Terms:
    """The terms of a page's blocks: words, case folded, and single characters where scripts write no spaces.

    Hashes are 32 bits wide: two of 10,000 terms that fall together blur a count, and no more.
    """
    block_hashes = [hashed(block.text) for block in blocks]
    sizes = [len(hashes) for hashes in block_hashes]
    hashes = np.concatenate([np.empty(0, np.uint64), *block_hashes])
    block = np.repeat(np.arange(len(blocks)), sizes)
    return Terms((hashes[:MOST_TERMS] >> np.uint64(32)).astype(np.uint32), block[:MOST_TERMS])


def pairs(
    section: NDArray[np.int64], hashes: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The distinct terms of each section, in order of sections and of hashes.

    Takes for each term its section, a number below 2 ** 31, and its hash.
    """
    both = np.unique((section.astype(np.uint64) << np.uint64(32)) | hashes)
    return (both >> np.uint64(32)).astype(np.int64), both.astype(np.uint32)


class Blocks:
    """Distinct blocks, each the hashes of its terms in order: one similar to one that is there is that."""

    def __init__(self, similarity: float) -> None:
        self.all: list[Hashes] = []
        self._similarity = similarity
        self._by_key: dict[bytes, int] = {}
        self._by_term: defaultdict[int, list[int]] = defaultdict(list)

    def add(self, block: Hashes) -> int:
        """Adds a block, and returns its number."""
        number = len(self.all)
        self.all.append(block)
        self._by_key[block.tobytes()] = number
        for term in self._prefix(block):
            if len(candidates := self._by_term[term]) < _CANDIDATES:
                candidates.append(number)
        return number

    def find(self, block: Hashes) -> int | None:
        """The number of the block that has the same terms as one, else of the first that is similar to it."""
        same = self._by_key.get(block.tobytes())
        if same is not None:
            return same
        near = {number for term in self._prefix(block) for number in self._by_term.get(term, ())}
        return next((number for number in sorted(near) if self._similar(block, self.all[number])), None)

    def _prefix(self, block: Hashes) -> list[int]:
        """The first terms: a similar block has at least one of them among its own first.

        The cosine of two sets of m and n terms is what they share by sqrt(m n), so that they share at least
        the square of it of either one's terms.
        """
        shared = max(int(np.ceil(self._similarity**2 * len(block) - 1e-9)), 1)
        first: list[int] = block[: len(block) - shared + 1].tolist()
        return first

    def _similar(self, block: Hashes, other: Hashes) -> bool:
        sizes = len(block) * len(other)
        if min(len(block), len(other)) ** 2 <= self._similarity**2 * sizes:
            return False
        shared = len(np.intersect1d(block, other, assume_unique=True))
        return bool(shared > self._similarity * np.sqrt(sizes))


@dataclass(frozen=True)
class ContentExtractorMethod(Parameters):
    """Learns the blocks of a site whose IBDF is below ``ibdf``: by default those of two pages or more.

    ``tags`` cut pages into blocks, and ``similarity`` is what the cosine of two similar ones exceeds. Of what
    ``sample`` pages say, the ``most`` frequent blocks are kept.

    A block's features are the words that it has, each of which counts once: the paper's numbers of images,
    links and terms would make one of all paragraphs.
    """

    cite: ClassVar[str] = CITE
    tags: tuple[str, ...] = BLOCK_TAGS
    similarity: float = 0.9
    ibdf: float = 0.5
    sample: int = 200
    most: int = 5_000

    def learn(self, site: SiteView) -> bytes:
        """Returns redundant blocks as uint32: their number, the pages and terms of each, all terms."""
        blocks = Blocks(self.similarity)
        pages = Counter[int]()
        for subject in site.sample(self.sample):
            here = set()
            for _, block in page_blocks(subject, self.tags):
                number = blocks.find(block)
                here.add(blocks.add(block) if number is None else number)
            pages.update(here)
        redundant = sorted(
            (-count, blocks.all[number].tobytes(), len(blocks.all[number]))
            for number, count in pages.items()
            if 1 / (count + 1) < self.ibdf
        )[: self.most]
        head = [len(redundant), *(-count for count, _, _ in redundant), *(size for _, _, size in redundant)]
        return b"".join([np.array(head, np.uint32).tobytes(), *(block for _, block, _ in redundant)])

    def learned(self, model: bytes) -> RedundantBlocksMethod:
        """The method that judges by these blocks."""
        numbers = np.frombuffer(model, np.uint32)
        count = int(numbers[0])
        ends = 1 + 2 * count + np.cumsum([0, *numbers[1 + count : 1 + 2 * count].tolist()])
        known = Blocks(self.similarity)
        for start, stop in pairwise(ends.tolist()):
            known.add(numbers[start:stop])
        return RedundantBlocksMethod(self.tags, known, numbers[1 : 1 + count])


def page_blocks(subject: Subject, tags: Sequence[str]) -> Iterator[tuple[int, Hashes]]:
    """The blocks of a page that have terms: the place of each one's container, and its terms."""
    page_terms = terms(subject.page.blocks)
    section, hashes = pairs(sections(subject.containers, tags)[page_terms.block], page_terms.hashes)
    bounds = [0, *(np.flatnonzero(np.diff(section)) + 1).tolist(), len(section)]
    for start, stop in pairwise(bounds):
        if stop > start:
            yield int(section[start]), hashes[start:stop]


@dataclass(frozen=True, eq=False)
class RedundantBlocksMethod(Parameters):
    """Removes the blocks that are similar to a redundant one; the score is twice the IBDF.

    ``known`` are the redundant blocks, and ``pages`` uint32[n] on how many pages each stands.
    """

    cite: ClassVar[str] = CITE
    tags: tuple[str, ...]
    known: Blocks
    pages: NDArray[np.uint32]

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on redundant blocks."""
        scores = np.ones(len(subject.containers.nodes))
        redundant = np.zeros(len(scores), bool)
        for place, block in page_blocks(subject, self.tags):
            number = self.known.find(block)
            if number is not None:
                redundant[place] = True
                scores[place] = min(2 / (int(self.pages[number]) + 1), 1.0)
        at = sections(subject.containers, self.tags)
        return Verdict.of(~redundant[at], scores[at], REPEATED)


@dataclass(frozen=True)
class FeatureExtractorMethod(Parameters):
    """Keeps the blocks in which text outweighs each other feature.

    ``tags`` cut pages into blocks. A feature's weight in a block is what the block has of it, by the most
    that a block of the page has: words, links and images have no unit in common.
    """

    cite: ClassVar[str] = CITE
    tags: tuple[str, ...] = BLOCK_TAGS

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true where text outweighs; the score is its part of both its and the next weight."""
        containers = subject.containers
        section = sections(containers, self.tags)
        size = len(containers.nodes)
        counts = words([block.text for block in subject.page.blocks])
        text = _shares(np.bincount(section, counts, size).astype(np.float64))
        most = np.max([_shares(feature) for feature in _features(containers, self.tags)], axis=0)
        scores = (text / np.where(text + most > 0, text + most, 1))[section]
        return Verdict.of((text >= most)[section], scores, OUTWEIGHED)


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values by the greatest of them."""
    return values / max(float(values.max()), 1)


def _features(containers: Containers, tags: tuple[str, ...]) -> list[NDArray[np.float64]]:
    """The elements of each feature that lie in a section and in no smaller one: float64[n containers]."""
    tree, nodes = containers.tree, containers.nodes
    wanted = containers.numbered(dict.fromkeys(tags, 1)) > 0
    wanted[0] = True
    wanted_places = np.flatnonzero(wanted)
    around = containers.nearest(wanted)[containers.parent[wanted_places]]
    features = []
    for names in _FEATURES:
        places = [place for tag in names if (place := tree.tag_places.get(tag)) is not None]
        before = np.append(0, np.cumsum(np.isin(tree.tag, places)))
        inside = before[tree.last[nodes[wanted_places]] + 1] - before[nodes[wanted_places]]
        counts = np.zeros(len(nodes))
        counts[wanted_places] = inside
        features.append(counts - np.bincount(around[1:], inside[1:], len(nodes)))
    return features
