"""A page whose blocks were chosen, as the steps that find boxes in it see it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from pagelets import loops
from pagelets.block_keys import tag_path_keys
from pagelets.methods.judged.headlines import headlines
from pagelets.methods.judged.labels import LONGEST, kind_of, kind_of_line
from pagelets.methods.judged.products import presents_product
from pagelets.methods.judged.text import spoken_words
from pagelets.page import HEADING_TAGS
from pagelets.partition import node_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.base import Subject
    from pagelets.page import Page

_OPENING: Final = 30
_KNOWN_OPENING: Final = 8
"""The least number of expected words of a page before its boxes, and of kept ones beside them: of a page
alone, and of one of a known site, which says better what is content.
"""
_HEADINGS: Final = dict.fromkeys(HEADING_TAGS, 1)
_AGAIN: Final = 3
"""Kept texts before a heading among which one that says the same makes it needless."""
_LISTED: Final = 3
"""So many texts of one tag path make a list, and so many entries."""
TEXTS: Final = 2
"""The least number of texts of an entry."""


class _KeptPage(NamedTuple):
    page: Page
    containers: Containers
    evidence: PageFacts
    words: NDArray[np.float64]
    likely: NDArray[np.float64]
    mask: NDArray[np.bool_]


class KeptPage(_KeptPage):
    """A page of b blocks, the elements around them, and the site's facts on the page.

    Of each block ``words`` float64[b] are the number of its words, ``likely`` float64[b] the probability that
    it is content, and ``mask`` bool[b] tells if it is kept by now.
    """

    @classmethod
    def whole(cls, subject: Subject) -> Self:
        """Returns the page of a known site with all that it has."""
        assert subject.evidence is not None
        words = spoken_words([block.text for block in subject.page.blocks])
        every = np.ones(len(words), bool)
        return cls(subject.page, subject.containers, subject.evidence, words, every.astype(float), every)

    @cached_property
    def tag_paths(self) -> NDArray[np.uint32]:
        """The keys of the tag paths to its blocks, uint32[b]; who knows them already may set them."""
        return tag_path_keys(self.page, self.containers)

    @cached_property
    def spoken(self) -> NDArray[np.int64]:
        """The places of its blocks with words."""
        return np.flatnonzero(self.words)

    @cached_property
    def headed(self) -> NDArray[np.bool_]:
        """Marks the blocks that are headings: bool[b]."""
        headings: NDArray[np.bool_] = self.containers.numbered(_HEADINGS)[self.containers.of_block] > 0
        return headings

    @cached_property
    def linked(self) -> NDArray[np.bool_]:
        """Marks the blocks with links: bool[b]."""
        linked = np.zeros(len(self.words), bool)
        linked[[link.block for link in self.page.links]] = True
        return linked

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Marks the blocks that are the text of one link: bool[b]."""
        named, blocks = np.zeros(len(self.words), bool), self.page.blocks
        named[[link.block for link in self.page.links if link.text == blocks[link.block].text]] = True
        return named & (self.words > 0)

    @cached_property
    def texts(self) -> NDArray[np.float64]:
        """The number of texts in each container: float64[n]."""
        return self.containers.sums(np.array(self.words > 0, float))

    @cached_property
    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The container that is the entry of a list with each block, -1 for none: int64[b]; and the number of
        the list of each entry: int64[n]. Entries stand side by side, and are written alike.
        """
        containers = self.containers
        parent, lists = containers.parent, np.zeros(len(containers.nodes), np.int64)
        entries = self.texts >= TEXTS
        entries[0] = False
        # Steps take time.
        several = np.flatnonzero(entries & (np.bincount(parent, entries)[parent] >= _LISTED))
        numbers: dict[str, int] = {}
        steps = node_steps(containers.tree, containers.nodes[several].tolist())
        kinds = [numbers.setdefault(step, len(numbers)) for step in steps]
        lists[several] = alike = loops.alike(parent[several], np.array(kinds, np.int64))
        entries[:] = False
        entries[several] = np.bincount(alike)[alike] >= _LISTED
        entry = containers.nearest(entries)[containers.of_block]
        return np.where(entries[entry], entry, -1), lists

    @cached_property
    def in_kept_lists(self) -> NDArray[np.bool_]:
        """Marks the blocks of the lists of which at least half of the entries are kept in part: bool[b]. None
        are where nothing speaks against entries, as the site is not known, and on the page of one product,
        which lists others.
        """
        if self.is_alone or self.presents_product:
            return np.zeros(len(self.mask), bool)
        entry, list_of = self.entries
        listed = entry >= 0
        total, held = np.zeros((2, len(list_of)))
        total[entry[listed & (self.words > 0)]] = 1
        held[entry[listed & self.mask]] = 1
        most = 2 * np.bincount(list_of, held) >= np.bincount(list_of, total)
        return listed & most[list_of[entry]]

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The words of each container: float64[n]."""
        return self.containers.sums(self.words)

    @cached_property
    def headlines(self) -> list[int]:
        """The blocks that say the page's title, or most of it."""
        return list(headlines(self.page, self.evidence.affixes))

    @property
    def headline(self) -> int:
        """The first of its headlines, -1 without one."""
        return next(iter(self.headlines), -1)

    @cached_property
    def presents_product(self) -> bool:
        """True if the page declares one product."""
        return presents_product(self.page)

    @cached_property
    def _expected(self) -> NDArray[np.float64]:
        return np.cumsum(self.likely * self.words)

    @property
    def is_alone(self) -> bool:
        """True if nothing is known of the page's site."""
        return self.evidence.pages <= 1

    @property
    def least(self) -> int:
        """The least number of words of the page's own text."""
        return _OPENING if self.is_alone else _KNOWN_OPENING

    def opening(self, words: float | None = None) -> int:
        """Returns the number of blocks before the one that reaches a number of expected ``words``, by default
        `least`.
        """
        return int(self._expected.searchsorted(self.least if words is None else words))

    @cached_property
    def behind(self) -> NDArray[np.bool_]:
        """Marks the containers behind the opening of which something was kept: bool[n]."""
        containers = self.containers
        behind: NDArray[np.bool_] = containers.start >= self.opening()
        return behind & (containers.sums(self.words * self.mask) > 0)

    @cached_property
    def leads(self) -> NDArray[np.int64]:
        """The first block with words of each container: int64[n], b for none."""
        return self.containers.leads(self.spoken)

    @cached_property
    def _labels(self) -> dict[int, str | None]:
        """The labels that containers begin with, by the places of these blocks."""
        blocks = self.page.blocks
        texts = {place: blocks[place].text for place in set(self.leads[self.behind].tolist())}
        return {place: kind_of(text) for place, text in texts.items() if len(text) <= LONGEST}

    def led_by(self, kind: str) -> NDArray[np.bool_]:
        """Marks the containers behind the opening whose first line is a label of a ``kind``
        (`pagelets.methods.judged.labels`): bool[n].
        """
        labels = np.zeros(len(self.words) + 1, bool)
        labels[[place for place, label in self._labels.items() if label == kind]] = True
        return labels[self.leads] & self.behind

    @cached_property
    def _lines(self) -> dict[int, str]:
        """The kept lines behind the opening that are a label and links, and which label it is."""
        blocks, places = self.page.blocks, np.flatnonzero(self.mask)
        behind = places[places >= self.opening()]
        # Without links a line may say in Chinese that there is no page before this one.
        lines = [
            place
            for place, linked in zip(behind.tolist(), self.linked[behind].tolist(), strict=True)
            if linked or not blocks[place].text.isascii()
        ]
        return {place: kind for place in lines if (kind := kind_of_line(self.page, place))}

    def lines_of(self, kind: str) -> list[int]:
        """Returns the places of the kept lines behind the opening that are a label of a ``kind`` and links:
        "Also read: TITLE".
        """
        return [place for place, label in self._lines.items() if label == kind]

    def beside(
        self, never: NDArray[np.bool_], longest: int, says: Callable[[int], bool]
    ) -> NDArray[np.bool_]:
        """Marks the removed lines right before or behind a text that is kept, or one of these: bool[b].

        Args:
            never: the blocks that are not taken, bool[b].
            longest: the maximum number of their words.
            says: returns True for the place of a line that is looked for.

        """
        found = np.zeros(len(self.mask), bool)
        spoken = self.spoken
        candidates = ((self.words <= longest) & ~self.mask & ~never)[spoken]
        for places, wanted in ((spoken, candidates), (spoken[::-1], candidates[::-1])):
            first = np.flatnonzero(wanted[1:] & self.mask[places[:-1]]) + 1
            for at in first.tolist():
                while at < len(places) and wanted[at] and says(int(places[at])):
                    found[places[at]] = True
                    at += 1
        return found

    def kept_texts(self) -> NDArray[np.int64]:
        """Returns the places of the blocks with words that are kept by now."""
        return np.flatnonzero(self.mask & (self.words > 0))

    def alike_above(self, place: int, texts: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        """Returns those of the last ``texts`` that are kept before a block's ``place`` and say the same:
        headings, and other lines.
        """
        blocks, end = self.page.blocks, int(texts.searchsorted(place))
        text, last = blocks[place].text.casefold(), texts[max(0, end - _AGAIN) : end].tolist()
        alike = [line for line in last if blocks[line].text.casefold() == text]
        return [line for line in alike if self.headed[line]], [
            line for line in alike if not self.headed[line]
        ]

    def listed(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns those of some texts (bool[b]) of which several share a tag path: bool[b]."""
        paths, of_path = np.unique(self.tag_paths[found], return_inverse=True)
        marked = found.copy()
        marked[found] = np.bincount(of_path, minlength=len(paths))[of_path] >= _LISTED
        return marked
