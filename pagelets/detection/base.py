"""The result of detection: templates as columns, not as objects, for there may be half a million of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PageSets(Sequence["NDArray[np.int64]"]):
    """Sets of pages, read like a list of arrays, kept as two.

    `pages` int64[total] holds all sets one after the other, each sorted by page id; set i is
    `pages[bounds[i]:bounds[i + 1]]`, `bounds` int64[number of sets + 1]. Indexing gives views without a copy.
    """

    __slots__ = ("bounds", "pages")

    def __init__(self, pages: NDArray[np.int64], bounds: NDArray[np.int64]) -> None:
        self.pages = pages
        self.bounds = bounds

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, index: int) -> NDArray[np.int64]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[np.int64]]: ...
    def __getitem__(self, index: int | slice) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self.pages[self.bounds[position] : self.bounds[position + 1]]

    @classmethod
    def empty(cls) -> PageSets:
        """No sets at all."""
        return cls(np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """The relation TEMPLATES, one array a column; row i of every array is template i.

    Rows are sorted by (sketch, smallest URL of the group). Nothing in them depends on the order of the rows
    of the input, nor on which ids pages and fragments bear.

    Attributes:
        sketch: int64[n], the sketch that the template's pagelets share.
        pages: int32[n], its support: on how many pages it occurs.
        share: float64[n], support divided by the number of pages of the hosts on which it occurs.
        group: int32[n], index into `groups`; -1 where the template is wherever its sketch occurs.
        sample_page: int64[n], of the template's pages that with the smallest URL.
        sample_position: int32[n], the first position of the sketch on that page.
        groups: the distinct page sets of components, as sorted int64 page ids; identical sets share one
            entry,
            numbered in the order in which the templates come to them.

    """

    sketch: NDArray[np.int64]
    pages: NDArray[np.int32]
    share: NDArray[np.float64]
    group: NDArray[np.int32]
    sample_page: NDArray[np.int64]
    sample_position: NDArray[np.int32]
    groups: PageSets

    def __len__(self) -> int:
        return len(self.sketch)
