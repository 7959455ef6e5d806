"""WISDOM: k-MIB where a link informs, too, as far as the page that it leads to has the words of its text.

Kao, Ho & Chen, "WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model", IEEE
TKDE 17(5), 2005.
"""

from __future__ import annotations

import heapq
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.tree.k_mib import CITE, KMibMethod
from pagelets.literature.tree.linked import linked_words
from pagelets.methods.base import Parameters, SiteView, Subject, Verdict
from pagelets.patterns import drawn_by
from pagelets.sketch import Hashes, hashed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.literature.tree.mib import Floats
    from pagelets.page import Link

_TERMS: Final = 4096
"""So many distinct terms of a page are learned at most."""
_HALF: Final = np.uint64(32)
_KEY, _VALUE = np.dtype("<u8"), np.dtype("<f4")
_SIZE: Final = 8


@dataclass(frozen=True)
class WisdomMethod(Parameters):
    """Learns the terms of pages that a host's links lead to, of at most ``sample``, and what each term tells.

    A term that d of n pages have informs by 1 - log_n d: what is everywhere tells nothing. API of a link is
    the sum of what those of its terms tell that its target has, over the number of its terms; to a page that
    is not known it is 0. f is CLEN and ALEN times API, in words. ``k``, ``threshold`` and ``share``, and what
    else the sources leave open, are as of `pagelets.literature.tree.k_mib.KMibMethod`; so is the formula of
    API.
    """

    cite: ClassVar[str] = CITE
    sample: int = 200
    k: int = 1
    threshold: float = 0.6
    share: float = 0.25

    def learn(self, site: SiteView) -> bytes:
        """The addresses of some pages that are linked to, the terms of each, and what they tell."""
        linked = heapq.nsmallest(self.sample, {target for _, target in site.links()}, key=drawn_by)
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
        means: Floats = total / np.maximum(np.bincount(of_term, minlength=len(links)), 1)
        return means


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
