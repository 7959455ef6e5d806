"""The search for the pages that are shaped like a sample, along the links that promise most.

What `pagelets.literature.indesit.search` decides once for a class-link is weighed here for each link
collection: that the links of a collection are homologous, INDESIT's conjecture, is taken as likely, not as
certain.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pagelets.literature.indesit.schema import jaccard

if TYPE_CHECKING:
    from pagelets.literature.indesit.search import Asking, LinkedPage

SHAPE_SIMILARITY: Final = 0.6
"""How alike shapes of similar pages are at least."""
_FEW: Final = 4
"""So many links of a collection, and of a class-link, are followed before what they led to is looked at."""
_TURN: Final = 0.05
_LEAST_TURN: Final = 16
"""What is asked for at once, as a share of the pages that are there, and at least."""
_WORTH: Final = 0.5
"""Links are left for later that promise less than this share of the most promising, where the rest fills half
a turn, or the first turns."""
_SPARE: Final = 0.55
_LEAST_SPARE: Final = 120
"""So many pages of other classes are downloaded, as a share of those of the class, and at least."""
_LEAST: Final = 0.03
"""What a link has to promise to be followed."""
_PRIOR: Final = 0.5
"""What a link of an unknown class-link promises."""


@dataclass(eq=False, slots=True)
class _Collection:
    """A link collection of a page, with the links that are still to be followed and what was tried."""

    page: LinkedPage
    path: bytes
    links: dict[int, None]
    ends: list[int] = field(default_factory=list)


class PromisingSearch:
    """Finds the pages whose shapes are similar to that of a sample.

    `run` and ``pages`` are as those of `Search`. A link promises what links of its collection have brought,
    and, as long as these are few, what those of its class-link have: a page of the class brings 1, any other
    the share of such pages in what was downloaded through it, itself included. So pages that lead to the
    class are looked for as well, however far away. The search ends with the links that promise anything, or
    when it has asked for too many pages of other classes.
    """

    def __init__(self, sample: int, similarity: float = SHAPE_SIMILARITY) -> None:
        self._sample = sample
        self._similarity = similarity
        self._answers: dict[int, LinkedPage | None] = {}
        self._found: list[LinkedPage] = []
        self._asked_by: dict[int, LinkedPage] = {}
        self._collections: list[_Collection] = []
        self._leading_to: dict[int, list[_Collection]] = {}
        self.pages: list[LinkedPage] = []

    @property
    def sample(self) -> LinkedPage | None:
        """The sample, None before it was fetched, or if it has no page."""
        return self._answers.get(self._sample)

    def is_like_sample(self, page: LinkedPage) -> bool:
        """Returns True if a page is of the sample's class; the sample has to be there."""
        sample = self.sample
        return sample is not None and jaccard(sample.shape.keys(), page.shape.keys()) >= self._similarity

    def found(self) -> list[LinkedPage]:
        """The pages of the sample's class, in the order in which they came; none where it has no links."""
        return self._found if self.sample and self.sample.schema else []

    def nearest(self) -> float:
        """The similarity of the sample and the page most like it; 0 without other pages."""
        sample = self.sample
        if sample is None:
            return 0.0
        others = (page for page in self.pages if page is not sample)
        return max((jaccard(sample.shape.keys(), page.shape.keys()) for page in others), default=0.0)

    def run(self) -> Asking:
        """The search, from the sample on."""
        asked = [self._sample]
        while asked:
            yield from self._fetch(asked)
            sample = self.sample
            if sample is None or not sample.schema:
                return
            found = {page.address for page in self._found}
            others = len(self.pages) - len(found)
            asked = [] if others > max(_LEAST_SPARE, _SPARE * len(found)) else self._choose(found)

    def _fetch(self, addresses: list[int]) -> Asking:
        answers = yield addresses
        for address in addresses:
            page = answers[address]
            if page is not None:
                # Two addresses may lead to one page.
                known = self._answers.get(page.address)
                page = self._answers[page.address] = known or page
                if known is None:
                    self._add(page)
                self._follow(page.address, page)
            self._answers[address] = page
            self._follow(address, page)

    def _add(self, page: LinkedPage) -> None:
        self.pages.append(page)
        if page is self.sample or self.is_like_sample(page):
            self._found.append(page)
        for path, targets in page.collections.items():
            one = _Collection(page, path, {})
            for target in dict.fromkeys(targets):
                if target in self._answers:
                    end = self._answers[target]
                    one.ends += [end.address] if end else []
                else:
                    one.links[target] = None
                    self._leading_to.setdefault(target, []).append(one)
            self._collections.append(one)

    def _follow(self, address: int, page: LinkedPage | None) -> None:
        for one in self._leading_to.pop(address, ()):
            del one.links[address]
            one.ends += [page.address] if page else []

    def _brought(self, found: set[int]) -> dict[int, float]:
        """Returns the gain of each page for a download, from 0 to 1."""
        good, all_of_it = Counter[int](), Counter[int]()
        for address, by in self._asked_by.items():
            all_of_it[by.address] += 1
            good[by.address] += address in found
        return {
            page.address: 1.0 if page.address in found else good[page.address] / (1 + all_of_it[page.address])
            for page in self.pages
        }

    def _choose(self, found: set[int]) -> list[int]:
        """The links that are followed next."""
        brought = self._brought(found)
        keys = [(one.page.address in found, one.path) for one in self._collections]
        sums = [sum(map(brought.__getitem__, one.ends)) for one in self._collections]
        tried, earned = Counter[tuple[bool, bytes]](), Counter[tuple[bool, bytes]]()
        for one, key, brought_there in zip(self._collections, keys, sums, strict=True):
            tried[key] += len(one.ends)
            earned[key] += brought_there  # type: ignore[assignment]
        promising = [
            ((brought_there + (earned[key] + _PRIOR) / (tried[key] + 1)) / (len(one.ends) + 1), one, key)
            for one, key, brought_there in zip(self._collections, keys, sums, strict=True)
            if one.links
        ]
        promising.sort(key=lambda each: each[0], reverse=True)
        size = max(_LEAST_TURN, int(_TURN * len(self.pages)))
        enough = 1 if size == _LEAST_TURN else size / 2
        chosen: dict[int, None] = {}
        taken = Counter[tuple[bool, bytes]]()
        for promise, one, key in promising:
            if (
                len(chosen) >= size
                or promise < _LEAST
                or (len(chosen) >= enough and promise < _WORTH * promising[0][0])
            ):
                break
            most = min(max(_FEW, len(one.ends)), max(_FEW, tried[key]) - taken[key], size - len(chosen))
            links = [link for link in one.links if link not in chosen][: max(most, 0)]
            chosen.update(dict.fromkeys(links))
            self._asked_by.update(dict.fromkeys(links, one.page))
            taken[key] += len(links)
        return list(chosen)
