"""Pages grouped by how they are built: classes of pages whose schemas are similar.

Blanco, Crescenzi & Merialdo, "Efficiently locating collections of web pages to wrap", WEBIST 2005, Section 2:
a page schema is a set of tag paths, and pages are alike by the Jaccard coefficient of theirs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from math import ceil
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from numpy.typing import NDArray

SIMILARITY: Final = 0.4
"""How alike the schema of a page and that of its class are at least, by the paths that tell classes apart."""
_FEWEST: Final = 2
"""Paths on fewer pages are of one page, not of its kind."""
_MOST: Final = 0.8
"""Paths on a larger share of the pages are of the site."""
_MAJORITY: Final = 0.8
"""The share of its pages whose addresses have what the pattern of a class says."""
_LISTED: Final = 16
"""So many classes are looked up by one path, those of most pages: what bounds the time for any schemas."""
_ROUNDING: Final = 1e-9
_SIDES: Final = (bisect_left, bisect_right)


class Grouping(NamedTuple):
    """The classes of s schemas: ``of`` int64[s] is the class of each, from 0, those of most pages first;
    ``typical`` bool[s] tells the schemas that are most frequent in their class.
    """

    of: NDArray[np.int64]
    typical: NDArray[np.bool_]


def group(schemas: Sequence[NDArray[np.uint64]], pages: Sequence[int]) -> Grouping:
    """Groups s schemas, distinct arrays of the hashes of tag paths, each of so many ``pages``.

    Paths that one page alone has, or nearly all pages, are passed over: they tell no classes apart. Schemas
    that are equal then are one; those of most pages come first, and each joins the class whose first schema
    is most similar, or begins one. So the classes depend on the set of pages, not on its order. A class is
    looked for among those that share one of the rarest paths of a schema, as all similar ones do (Chaudhuri,
    Ganti & Kaushik, ICDE 2006), which takes near linear time.
    """
    kept, counts = _ranked(schemas, pages), defaultdict[bytes, int](int)
    for schema, count in zip(kept, pages, strict=True):
        counts[schema] += count
    first, of = _Leaders(), dict[bytes, int]()
    for schema in sorted(counts, key=lambda schema: (-counts[schema], schema)):
        of[schema] = first.nearest(np.frombuffer(schema, np.int32).tolist())
    leaders = {page_class: schema for schema, page_class in reversed(of.items())}
    sizes = defaultdict[int, int](int)
    for schema, page_class in of.items():
        sizes[page_class] += counts[schema]
    order = sorted(sizes, key=lambda page_class: (-sizes[page_class], page_class))
    number = {page_class: place for place, page_class in enumerate(order)}
    return Grouping(
        np.array([number[of[schema]] for schema in kept], np.int64),
        np.array([leaders[of[schema]] == schema for schema in kept], bool),
    )


def _ranked(schemas: Sequence[NDArray[np.uint64]], pages: Sequence[int]) -> list[bytes]:
    """Schemas as sorted int32: the ranks of the paths that tell classes apart, the rarest first."""
    if not schemas:
        return []
    sizes = [len(schema) for schema in schemas]
    paths, place = np.unique(np.concatenate(schemas), return_inverse=True)
    on_pages = np.bincount(place, np.repeat(pages, sizes), len(paths))
    rank = np.empty(len(paths), np.int32)
    rank[np.lexsort((paths, on_pages))] = np.arange(len(paths), dtype=np.int32)
    telling = (on_pages >= _FEWEST) & (on_pages <= _MOST * sum(pages))
    telling, ranks = telling[place], rank[place]
    ends = np.cumsum(sizes)
    spans = [slice(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)]
    return [np.sort(ranks[span][telling[span]]).tobytes() for span in spans]


class _Leaders:
    """The first schemas of classes, found by their rarest paths."""

    def __init__(self) -> None:
        self._schemas: list[frozenset[int]] = []
        self._by_path: defaultdict[int, list[int]] = defaultdict(list)

    def nearest(self, schema: list[int]) -> int:
        """The class that a schema, sorted by rank, is most similar to; one of its own where it is to none."""
        # Without one of these a set has too few paths left to be similar.
        rarest = schema[: len(schema) - ceil(SIMILARITY * len(schema) - _ROUNDING) + 1]
        paths = frozenset(schema)
        candidates = {number for path in rarest for number in self._by_path[path]}
        alike, best = max(
            ((jaccard(paths, self._schemas[number]), -number) for number in candidates), default=(-1.0, 0)
        )
        if alike >= SIMILARITY - _ROUNDING:
            return -best
        for path in rarest:
            if len(self._by_path[path]) < _LISTED:
                self._by_path[path].append(len(self._schemas))
        self._schemas.append(paths)
        return len(self._schemas) - 1


def jaccard(schema: Set[Any], other: Set[Any]) -> float:
    """Returns the Jaccard coefficient of two page schemas, from 0 to 1; 0 if neither page has links."""
    both = len(schema & other)
    return both / (len(schema) + len(other) - both) if both else 0.0


def url_pattern(urls: Iterable[str]) -> str:
    """What the addresses of most of some pages have in common, with ``*`` for what differs: of those with as
    many parts as most of them have. Empty where there is no address.
    """
    by_length = defaultdict[int, list[list[str]]](list)
    for url in urls:
        path, mark, query = url.partition("?")
        steps = path.split("/")
        steps[-1] += mark + query
        by_length[len(steps)].append(steps)
    if not by_length:
        return ""
    most = max(by_length, key=lambda length: (len(by_length[length]), -length))
    return "/".join(_common(column) for column in zip(*by_length[most], strict=True))


def _common(texts: Sequence[str]) -> str:
    least = _MAJORITY * len(texts)
    start, rests = _beginning(texts, least)
    if rests.count("") >= least:
        return start
    end, _ = _beginning([rest[::-1] for rest in rests], least)
    return f"{start}*{end[::-1]}"


def _beginning(texts: Sequence[str], least: float) -> tuple[str, list[str]]:
    """What at least so many texts, more than half of them, begin with, and what follows it in each of these.
    The text in the middle of their order is one of them.
    """
    ordered = sorted(texts)
    middle = ordered[len(ordered) // 2]

    def span(length: int) -> slice:
        ends = (side(ordered, middle[:length], key=lambda text: text[:length]) for side in _SIDES)
        return slice(*ends)

    lengths = range(1, len(middle) + 1)
    length = bisect_left(lengths, True, key=lambda length: len(ordered[span(length)]) < least)
    return middle[:length], [text[length:] for text in ordered[span(length)]]
