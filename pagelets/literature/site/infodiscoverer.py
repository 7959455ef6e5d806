"""Terms that all pages of a site have tell nothing: what is made of them is redundant.

Lin & Ho, KDD 2002. A page is cut into content blocks. A term's entropy over the n pages of a site is
H(F) = -sum_j w_j log_n w_j, where w_j is the share of its occurrences that page j has: 0 where one page has
it, 1 where all have it alike. A content block's entropy is the mean of its terms'. The blocks up to a
threshold are informative. It is found greedily, site by site: from 0.1 it rises in steps of 0.1 until a step
brings no further feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np

from pagelets.literature.site.content_extractor import pairs, sections, terms
from pagelets.methods.base import REPEATED, Parameters, SiteView, Subject, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Terms = NDArray[np.uint32]
    Floats = NDArray[np.float64]

CITE: Final = "Lin & Ho, Discovering Informative Content Blocks from Web Documents, KDD 2002"
TABLES: Final = ("table",)
SECTIONS: Final = (
    "table", "div", "section", "article", "main", "aside", "nav", "header", "footer", "form", "ul", "ol",
    "dl",
)  # fmt: skip
_LAST: Final = 1 - 1e-9
"""A threshold of 1 would keep all there is: the last one that is tried comes before."""


@dataclass(frozen=True)
class InfoDiscovererMethod(Parameters):
    """Learns the entropies of a site's terms, and the threshold of its content blocks.

    ``tags`` are the elements that are content blocks: in the paper the tables by which pages were laid out
    (`TABLES`); here also the sections of today's pages. ``step`` is the first threshold and each of its
    steps. A given ``threshold`` serves every site. Of ``sample`` pages the ``most`` frequent terms are
    kept; all others, and those that no page of the sample has, have an entropy of 0.

    The paper leaves out stop words and stems English; this takes all words as they are, as for any language.
    """

    cite: ClassVar[str] = CITE
    tags: tuple[str, ...] = SECTIONS
    step: float = 0.1
    threshold: float | None = None
    sample: int = 200
    most: int = 100_000

    def learn(self, site: SiteView) -> bytes:
        """The threshold as float64, terms on more than one page as uint32, and their entropies as float32."""
        sampled = [self._seen(subject) for subject in site.sample(self.sample)]
        if not sampled:
            return np.float64(1).tobytes()
        counted = [np.unique(page.all, return_counts=True) for page in sampled]
        known, at = np.unique(np.concatenate([hashes for hashes, _ in counted]), return_inverse=True)
        entropy = entropies(at, np.concatenate([counts for _, counts in counted]), len(sampled))
        threshold = _greedy(sampled, known, entropy, self.step) if self.threshold is None else self.threshold
        pages = np.bincount(at)
        # In order of the pages that have it, and then of its hash: the same whatever order pages came in.
        often = np.argsort(-pages, kind="stable")[: self.most]
        often = np.sort(often[entropy[often] > 0])
        parts = np.float64(threshold), known[often], entropy[often].astype(np.float32)
        return b"".join(part.tobytes() for part in parts)

    def learned(self, model: bytes) -> EntropyMethod:
        """The method that judges by these entropies."""
        threshold = float(np.frombuffer(model, np.float64, 1)[0])
        count = (len(model) - 8) // 8
        known = np.frombuffer(model, np.uint32, count, 8)
        entropy = np.frombuffer(model, np.float32, count, 8 + 4 * count)
        return EntropyMethod(self.tags, threshold, known, entropy)

    def _seen(self, subject: Subject) -> _Page:
        words = terms(subject.page.blocks)
        return _Page(words.hashes, *pairs(sections(subject.containers, self.tags)[words.block], words.hashes))


class _Page(NamedTuple):
    """A page's terms: ``all`` of them, and the distinct ``terms`` of each ``section``."""

    all: Terms
    section: NDArray[np.int64]
    terms: Terms


def entropies(term: NDArray[np.int64], counts: NDArray[np.int64], pages: int) -> Floats:
    """Returns the entropies of terms, from 0 to 1: float64[terms]. Over a single page all are 0.

    Args:
        term: the number of a term, once for each page that has it.
        counts: how often it stands on that page.
        pages: the number of pages.

    """
    total = np.bincount(term, counts)
    # -sum w log w = log total - sum c log c / total
    entropy: Floats = np.log(total) - np.bincount(term, counts * np.log(counts)) / total
    entropy /= np.log(max(pages, 2))
    return np.clip(entropy, 0, 1)


def means(section: NDArray[np.int64], entropy: Floats, size: int) -> Floats:
    """The mean entropy of each section, 0 where it has no terms: float64[size]; takes each term's section."""
    return np.bincount(section, entropy, size) / np.maximum(np.bincount(section, minlength=size), 1)


def _greedy(pages: list[_Page], known: Terms, entropy: Floats, step: float) -> float:
    """The threshold from which a step more brings no further feature to the informative blocks."""
    least = np.full(len(known), np.inf)
    for page in pages:
        if len(page.terms):
            at = np.searchsorted(known, page.terms)
            block = means(page.section, entropy[at], int(page.section[-1]) + 1)
            np.minimum.at(least, at, block[page.section])
    thresholds = np.append(np.arange(step, _LAST, step), _LAST)
    features = [int((least <= threshold).sum()) for threshold in thresholds]
    more = np.flatnonzero(np.diff(features) <= 0)
    return float(thresholds[more[0]] if len(more) else thresholds[-1])


@dataclass(frozen=True, eq=False)
class EntropyMethod(Parameters):
    """Keeps the content blocks whose mean entropy is at most the ``threshold``; the score is 1 less entropy.

    ``known`` uint32[n] are hashes of terms in order, ``entropy`` float32[n] their entropies.
    """

    cite: ClassVar[str] = CITE
    tags: tuple[str, ...]
    threshold: float
    known: Terms
    entropy: NDArray[np.float32]

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is true on informative blocks."""
        page_terms = terms(subject.page.blocks)
        section = sections(subject.containers, self.tags)
        of_term, hashes = pairs(section[page_terms.block], page_terms.hashes)
        size = len(subject.containers.nodes)
        entropy = np.zeros(len(hashes))
        if len(self.known):
            at = np.minimum(np.searchsorted(self.known, hashes), len(self.known) - 1)
            entropy = np.where(self.known[at] == hashes, self.entropy[at], 0)
        of_block = means(of_term, entropy, size)[section]
        return Verdict.of(of_block <= self.threshold, 1 - of_block, REPEATED)
