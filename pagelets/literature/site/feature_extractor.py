"""A block is content if the wanted feature, its text, outweighs all others.

Debnath, Mitra, Pal & Giles, TKDE 2005, FeatureExtractor. Blocks are cut as by ContentExtractor, and described
by some features: text, links, images, items of lists, cells of tables, form controls, objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.site.content_extractor import BLOCK_TAGS, CITE
from pagelets.literature.site.sections import sections
from pagelets.methods.base import Parameters, Subject, Verdict
from pagelets.methods.judged.text import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers

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
        mask = (text >= most)[section]
        return Verdict.of(mask, scores, OUTWEIGHED)


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values by the greatest of them."""
    shares: NDArray[np.float64] = values / max(float(values.max()), 1)
    return shares


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
