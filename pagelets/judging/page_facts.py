"""The knowledge of a site about one of its pages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(slots=True, eq=False)
class BlockSupport:
    """The repetitions of each of n blocks on a site. Each array has n values, 0 for unknown ones.

    ``pages`` and ``shares`` are the support of the block's text; ``placed_pages`` and ``placed_shares`` that
    of the text, digits masked, at its tag path; ``tag_path_pages`` and ``tag_path_shares`` that of the tag
    path. Support is 2 pages or more. ``tag_path_singletons`` is the singleton share of the tag path, the part
    of its texts that stand on one page of the site; ``tag_path_frequencies`` their mean document frequency,
    the number of pages that a text stands on there.
    """

    pages: NDArray[np.int32]
    shares: NDArray[np.float32]
    placed_pages: NDArray[np.int32]
    placed_shares: NDArray[np.float32]
    tag_path_pages: NDArray[np.int32]
    tag_path_shares: NDArray[np.float32]
    tag_path_singletons: NDArray[np.float32]
    tag_path_frequencies: NDArray[np.float32]

    @classmethod
    def none(cls, blocks: int) -> BlockSupport:
        """Of blocks that the site does not repeat."""
        pages = [np.zeros(blocks, np.int32) for _ in range(3)]
        shares = [np.zeros(blocks, np.float32) for _ in range(5)]
        return cls(pages[0], shares[0], pages[1], shares[1], pages[2], shares[2], shares[3], shares[4])


class Decided(NamedTuple):
    """The decision of people on a pagelet's text: it is never template or, pinned, always is.

    ``template`` is the id of its template, ``pages`` and ``share`` are the template's support.
    """

    rejected: bool
    template: int
    pages: int
    share: float


@dataclass(slots=True, eq=False)
class PageFacts:
    """The knowledge of a site about one page, as arrays aligned with its pagelets and its blocks.

    ``templates`` holds the id of each pagelet's template, 0 for no template; ``pagelet_pages`` and
    ``pagelet_shares`` that template's support. ``blocks`` is the support of the blocks, and ``repeated``
    marks those that the site repeats so often that they count as template. ``pages`` is the number of known
    pages of the page's host, 0 for an unknown site. ``version`` names all of this for the whole site.
    ``affixes`` are the parts of titles that name the site, ``beside`` those that nearly all have beside them
    (`pagelets.judging.title.site_names`). ``decided`` holds the decision on each pagelet, or
    None; it may be empty. A pinned one is a template, a rejected one never.

    ``counters`` is the share of the site's pages on which each counter stands, 0 for other blocks
    (`pagelets.judging.counters`); it may be empty. ``named`` is the share of each block's words that are
    titles of other pages of the site (`pagelets.judging.other_titles`); it may be empty, and of a page that
    was not read it is of whole blocks alone.

    The memory of a recrawl may be empty as well: ``changed`` counts the rounds of crawling in a row in which
    the digits of each block have changed all over the site (`pagelets.overrides.volatile`), ``previous`` is 1
    for each block that was kept when the page was judged before, 0 for a removed one, -1 for an unknown one.
    """

    templates: Sequence[int]
    pagelet_pages: Sequence[int]
    pagelet_shares: Sequence[float]
    blocks: BlockSupport
    repeated: Sequence[bool]
    pages: int = 0
    version: str = ""
    affixes: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    decided: Sequence[Decided | None] = ()
    counters: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    named: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    changed: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    previous: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))

    def digest(self, *others: bytes) -> bytes:
        """Names all that a page is judged by but the previous verdict, and ``others`` with it: 16 bytes.

        Equal evidence has equal names. Counters follow from the support of texts and tag paths: they have no
        part of their own. Titles of other pages have none either: they depend on the page's links, which
        whoever asks has to name among the ``others``.
        """
        digest = hashlib.blake2b(digest_size=16)
        support = self.blocks
        arrays = (
            np.array(self.templates, np.int64) != 0,
            np.array(self.pagelet_pages, np.int32),
            np.array(self.pagelet_shares, np.float32),
            np.array(self.repeated, np.bool_),
            np.array([-1 if decision is None else decision.rejected for decision in self.decided], np.int8),
            self.changed,
            *(getattr(support, name) for name in support.__slots__),
            np.array(self.pages),
        )
        for part in (*others, *(array.tobytes() for array in arrays)):
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
        return digest.digest()

    @classmethod
    def none(cls, pagelets: int, blocks: int) -> PageFacts:
        """The evidence of a page whose site is not known."""
        return cls(
            [0] * pagelets, [0] * pagelets, [0.0] * pagelets, BlockSupport.none(blocks), [False] * blocks
        )
