"""LINKS as a graph in memory, and the connected components that it cuts out of sets of pages."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pagelets.components import connected
from pagelets.detection.portions import batches, bounds_of, entries_of, ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pagelets.detection.tables import Tables

# What is read in batches takes no more queries than this: each of them passes over whole relations.
MOST_QUERIES = 64

LINK_ROWS = """
SELECT COUNT(*) AS links
FROM pagelets
JOIN fragment_links ON fragment_links.fragment = pagelets.fragment
"""

LINKS_OF_PAGES = """
SELECT DISTINCT sources.ordinal AS source, targets.ordinal AS target
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN fragment_links ON fragment_links.fragment = pagelets.fragment
JOIN detection_sources AS targets ON targets.page = fragment_links.target
WHERE pagelets.page >= ? AND pagelets.page <= ? AND targets.ordinal <> sources.ordinal
"""


@dataclass(frozen=True, slots=True, eq=False)
class LinkGraph:
    """The distinct links between pages, by ordinal.

    Page i links to `targets[starts[i]:starts[i] + lengths[i]]`, in ascending order: `starts` int64[pages],
    `lengths` int32[pages], `targets` int32[links].
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    targets: NDArray[np.int32]

    @classmethod
    def read(cls, tables: Tables, page_ids: NDArray[np.int64], batch_rows: int) -> LinkGraph:
        """Reads LINKS among the pages of `detection_sources`.

        Args:
            tables: those after `find_candidates`.
            page_ids: the page at each ordinal, int64[pages].
            batch_rows: about so many links are fetched at once, or a part in `MOST_QUERIES` of all.

        """
        count = len(page_ids)
        starts = np.zeros(count, dtype=np.int64)
        lengths = np.zeros(count, dtype=np.int32)
        # array grows in place where concatenating the batches would hold every link twice.
        targets = array("i")
        rows = int(tables.read(LINK_ROWS)["links"][0])
        parts = min(MOST_QUERIES, -(-rows // batch_rows))
        for first_page, last_page in ranges_of(page_ids, parts):
            batch = tables.read(LINKS_OF_PAGES, first_page, last_page)
            keys = batch["source"].astype(np.int64) * count + batch["target"]
            del batch
            keys.sort()
            source, target = np.divmod(keys, count)
            pages, first, links = np.unique(source, return_index=True, return_counts=True)
            starts[pages] = first + len(targets)
            lengths[pages] = links
            targets.frombytes(target.astype(np.int32).tobytes())
        return cls(starts, lengths, np.frombuffer(targets, dtype=np.int32))

    def links_from(
        self, pages: NDArray[np.int32], batch_rows: int, most: int | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """Yields the links of the pages (int32[n], repeats allowed), at most `most` a page, batch by batch.

        Each batch is (index into `pages` int64[m], target int32[m]); a page with more than `batch_rows` links
        makes a batch of its own.
        """
        starts, lengths = self.starts[pages], self.lengths[pages]
        if most is not None:
            lengths = np.minimum(lengths, most)
        for begin, stop in batches(bounds_of(lengths), batch_rows):
            rows = slice(begin, stop)
            index = np.repeat(np.arange(begin, stop), lengths[rows])
            yield index, self.targets[entries_of(starts[rows], lengths[rows])]

    def has_links(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Marks the sources whose page links to the target next to it (bool[n]), by bisection."""
        if not len(self.targets):
            return np.zeros(len(sources), dtype=np.bool_)
        low = self.starts[sources]
        end = low + self.lengths[sources]
        high = end.copy()
        last = len(self.targets) - 1
        while (undecided := low < high).any():
            middle = (low + high) >> 1
            # What is decided may stand behind the last link of all: it is looked up there, and left as it is.
            below = self.targets[np.minimum(middle, last)] < targets
            low = np.where(undecided & below, middle + 1, low)
            high = np.where(undecided & ~below, middle, high)
        linked: NDArray[np.bool_] = (low < end) & (self.targets[np.minimum(low, last)] == targets)
        return linked


def merge(labels: NDArray[np.int32], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int32]:
    """Joins the components to which the nodes at both ends of each edge belong.

    Components are merged batch of edges by batch of edges: labelling them takes some 30 bytes an edge.

    Args:
        labels: int32[nodes], components so far, numbered without holes.
        left: int64[edges], node at one end.
        right: int64[edges], node at the other.

    Returns:
        The labels after the merge, int32[nodes], numbered without holes.

    """
    label, other = labels[left], labels[right]
    apart = label != other
    if not apart.any():
        return labels
    return connected(int(labels.max()) + 1, label[apart], other[apart])[labels]


class ComponentFinder:
    """Connected components of many sets of pages at once, each in the subgraph that the set induces.

    Large sets: a table of (set, page) maps the pages of several sets to nodes of their product graph, and all
    links of the members are looked up in it. Small sets: every pair of members is looked up among the links,
    which costs the same however many pages and links there are.
    """

    # A member has some hundred links, a pair takes a bisection: about here both ways take the same time.
    SMALL = 16
    # Links of a page that are tried before the rest of them.
    FEW = 8
    # Cells of the table, 4 bytes each; there is always room for one set.
    CELLS = 1 << 22

    def __init__(self, graph: LinkGraph, batch_rows: int, cells: int = CELLS) -> None:
        self._graph = graph
        self._batch_rows = batch_rows
        self._pages = len(graph.starts)
        self._sets_at_once = max(1, cells // max(1, self._pages))
        self._node = np.empty(0, dtype=np.int32)

    def rounds(self, sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Cuts sets, the largest first (`sizes` int64[sets]), into ranges (begin, stop) for `components`."""
        descending = -sizes
        begin = 0
        while begin < len(sizes):
            size = int(sizes[begin])
            if size > self.SMALL:
                alike, at_once = np.searchsorted(descending, -self.SMALL), self._sets_at_once
            else:
                alike = np.searchsorted(descending, -size, side="right")
                at_once = max(1, self._batch_rows // (size * size))
            stop = min(int(alike), begin + at_once)
            yield begin, stop
            begin = stop

    def components(self, sizes: NDArray[np.int64], pages: NDArray[np.int32]) -> NDArray[np.int32]:
        """Labels the components of the sets of one round.

        Args:
            sizes: int64[sets], the members of each set.
            pages: int32[members], the members of all sets, set after set, as ordinals; no page twice in one.

        Returns:
            int32[members], for each member its component, numbered without holes over all sets.

        """
        if sizes[0] > self.SMALL:
            return self._by_table(sizes, pages)
        return self._by_pairs(int(sizes[0]), pages)

    def _by_table(self, sizes: NDArray[np.int64], pages: NDArray[np.int32]) -> NDArray[np.int32]:
        row = np.repeat(np.arange(len(sizes)) * self._pages, sizes)
        if len(self._node) < len(sizes) * self._pages:
            self._node = np.full(len(sizes) * self._pages, -1, dtype=np.int32)
        labels = np.arange(len(pages), dtype=np.int32)
        self._node[row + pages] = labels
        # A few links of each page join most sets to one component each, and then the others cannot change it.
        for most in (self.FEW, None):
            for index, targets in self._graph.links_from(pages, self._batch_rows, most):
                ends = self._node[row[index] + targets]
                inside = ends >= 0
                labels = merge(labels, index[inside], ends[inside])
            if labels.max() + 1 == len(sizes):
                break
        self._node[row + pages] = -1
        return labels

    def _by_pairs(self, size: int, pages: NDArray[np.int32]) -> NDArray[np.int32]:
        row, other = np.nonzero(~np.eye(size, dtype=np.bool_))
        first = np.arange(0, len(pages), size)[:, None]
        left, right = (first + row).ravel(), (first + other).ravel()
        linked = self._graph.has_links(pages[left], pages[right])
        return merge(np.arange(len(pages), dtype=np.int32), left[linked], right[linked])
