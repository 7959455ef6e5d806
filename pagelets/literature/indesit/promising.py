"""The search for the pages that are structured like a sample, along the links that promise most.

What `pagelets.literature.indesit.search` decides once for a class-link is weighed here for each link: that
the links of a collection are homologous, INDESIT's conjecture, is taken as likely, not as certain. Each turn
decides anew which pages are of the class (`pagelets.literature.indesit.likeness`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.literature.indesit.clues import Clues
from pagelets.literature.indesit.likeness import Floats, Likeness, Mask

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.literature.indesit.search import Asking, LinkedPage

_FEW: Final = 4
"""So many links of a path are followed at once, or as many as were followed before."""
_TURN: Final = 0.03
_LEAST_TURN: Final = 3
"""What is asked for at once, as a share of the pages that are there, and at least."""
_WORTH: Final = 0.4
"""Once half a turn is full, links wait that promise less than this share of the most promising."""
_SPARE: Final = 0.55
_LEAST_SPARE: Final = 120
"""So many pages of other classes are downloaded in vain, as a share of those of the class, and at least."""
_PATIENCE: Final = 0.55
_MOST_PATIENCE: Final = 60
"""The search ends without a page of the class for so many times the mean distance of such pages, times the
root of what all known addresses would be worth at the highest promise; at most after so many pages, or two
turns: what one has told counts."""
_TAUGHT: Final = 3
"""With n pages of the class the promise counts to the power of 1 - n ** -3: a lone sample has taught nothing,
and promises all."""
_PROBES: Final = 0.02
"""So many paths, as a share of the class, are tried before that, those followed least."""
_VAIN: Final = 0.1
_NEAR: Final = 0.1
"""A page of another class was downloaded in vain if less than this share of what it led to is of the class,
and if its similarity is this far below the threshold."""
_SAME: Final = 0.5
"""A class that has less than this share of its pages in common with the one before is another."""


class PromisingSearch:
    """Finds the pages whose structure is similar to that of a sample.

    `run` and ``pages`` are as those of `Search`. Links are followed in the order of what their clues promise:
    a page of the class is worth 1, any other the share of such pages in what was downloaded through it,
    itself included. So pages that lead to the class are looked for as well, however far away. The search
    ends with the links, after too many pages in vain, or when no page of the class has come for long, by how
    often they came, what links promise and how many addresses are known; links of paths hardly followed are
    tried before. Where the class turns out to be another, pages from before do not count.

    Args:
        sample: the address of the sample.
        similarity: how alike pages of the class are at least; None to choose it.
        url_of: the URL of an address.
        shapes: compare shapes alone, else the paths of links and the classes of elements as well.

    """

    def __init__(
        self,
        sample: int,
        similarity: float | None = None,
        url_of: Callable[[int], str] = str,
        *,
        shapes: bool = False,
    ) -> None:
        self._sample = sample
        self._shapes = shapes
        self._likeness = Likeness(1 if shapes else 3, similarity)
        self._clues = Clues(url_of)
        self._answers: dict[int, LinkedPage | None] = {}
        self._unknown: dict[int, tuple[bytes, LinkedPage]] = {}
        """Addresses that may be asked for: the path of the first link to each, and the page that has it."""
        self._tried = Counter[bytes]()
        self._asked_by: dict[int, LinkedPage] = {}
        self._found: list[LinkedPage] = []
        self._members: Mask = np.zeros(0, np.bool_)
        self._since = 0
        self._last = 0
        self._probed = 0
        self.pages: list[LinkedPage] = []

    @property
    def sample(self) -> LinkedPage | None:
        """The sample, None before it was fetched, or if it has no page."""
        return self._answers.get(self._sample)

    @property
    def similarity(self) -> float:
        """The least similarity of pages of the class, as chosen so far."""
        return self._likeness.threshold

    def found(self) -> list[LinkedPage]:
        """The pages of the sample's class, in the order in which they came; none where it has no links."""
        return self._found if self.sample and self.sample.schema else []

    def nearest(self) -> float:
        """The similarity of the sample and the page most like it; 0 without other pages."""
        return float(max(self._likeness.similarities[1:], default=0.0))

    def run(self) -> Asking:
        """The search, from the sample on."""
        asked = [self._sample]
        while asked:
            yield from self._fetch(asked)
            if self.sample is None or not self.sample.schema:
                return
            asked = self._choose(self._worth())

    def _fetch(self, addresses: list[int]) -> Asking:
        answers = yield addresses
        for address in addresses:
            page = answers[address]
            path, _ = self._unknown.pop(address, (b"", None))
            self._tried[path] += 1
            if page is None:
                self._answers[address] = None
                continue
            # Two addresses may lead to one page.
            known = self._answers.get(page.address)
            self._answers[address] = self._answers[page.address] = known or page
            if known is None:
                self._add(page)

    def _add(self, page: LinkedPage) -> None:
        self.pages.append(page)
        self._unknown.pop(page.address, None)
        self._clues.add(page.address)
        self._clues.add_links(page)
        structure = [page.shape] if self._shapes else [page.collections, page.shape, page.classes]
        self._likeness.add(*structure)
        for path, targets in page.collections.items():
            for target in targets:
                if target not in self._answers:
                    self._unknown.setdefault(target, (path, page))

    def _worth(self) -> Floats:
        """Decides which pages are of the class. Returns what each page was worth, from 0 to 1."""
        members = self._likeness.members(self._clues.features([page.address for page in self.pages]))
        before, earlier = self._members, members[: len(self._members)]
        if (before & earlier).sum() < _SAME * (before | earlier).sum():
            self._since = len(members)
        self._members = members
        self._found = [page for page, inside in zip(self.pages, members.tolist(), strict=True) if inside]
        found = {page.address for page in self._found}
        good, all_of_it = Counter[int](), Counter[int]()
        for address, by in self._asked_by.items():
            page = self._answers[address]
            all_of_it[by.address] += 1
            good[by.address] += page is not None and page.address in found
        brought = [good[page.address] / (1 + all_of_it[page.address]) for page in self.pages]
        return np.where(members, 1.0, brought)

    def _choose(self, worth: Floats) -> list[int]:
        """The links that are followed next; none at the end of the search."""
        count, alike = len(self.pages), len(self._found)
        in_vain = ((worth < _VAIN) & ~self._likeness.near(_NEAR))[self._since :]
        if not self._unknown or in_vain.sum() > max(_LEAST_SPARE, _SPARE * alike):
            return []
        self._clues.learn([page.address for page in self.pages], worth)
        unknown = list(self._unknown)
        promises = self._clues.promises(unknown)
        order = np.argsort(-promises, kind="stable")
        # What was of the class once did not come in vain.
        self._last = max(self._last, int(np.flatnonzero(self._members)[-1]) + 1, self._since)
        if count - self._last <= self._patience(float(promises.max())):
            chosen = self._promising([unknown[place] for place in order], promises[order])
        elif self._probed <= self._last:
            self._probed = count
            chosen = self._probes([unknown[place] for place in order])
        else:
            return []
        self._asked_by.update((address, self._unknown[address][1]) for address in chosen)
        return chosen

    def _patience(self, promise: float) -> float:
        distance = len(self.pages) / len(self._found)
        known = len(self.pages) + len(self._unknown)
        promise **= 1 - float(len(self._found)) ** -_TAUGHT
        most = max(_MOST_PATIENCE, 2 * self._turn())
        return float(min(_PATIENCE * distance * np.sqrt(known * promise), most))

    def _turn(self) -> int:
        return max(_LEAST_TURN, int(_TURN * len(self.pages)))

    def _promising(self, unknown: list[int], promises: Floats) -> list[int]:
        size = self._turn()
        chosen: list[int] = []
        taken = Counter[bytes]()
        for address, promise in zip(unknown, promises.tolist(), strict=True):
            if len(chosen) == size or (promise < _WORTH * promises[0] and len(chosen) >= size / 2):
                break
            path, _ = self._unknown[address]
            if taken[path] < max(_FEW, self._tried[path]):
                taken[path] += 1
                chosen.append(address)
        return chosen

    def _probes(self, unknown: list[int]) -> list[int]:
        most = dict[bytes, int]()
        for address in unknown:
            most.setdefault(self._unknown[address][0], address)
        probes = int(_PROBES * len(self._found))
        return [most[path] for path in sorted(most, key=self._tried.__getitem__)[:probes]]
