"""The loops in plain code: the reference."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.loops.contexts import Climbed as Climbed
from pagelets.loops.contexts import ColumnPlan as ColumnPlan
from pagelets.loops.contexts import Ratio as Ratio
from pagelets.loops.contexts import Ratios as Ratios
from pagelets.loops.contexts import blocks as blocks
from pagelets.loops.contexts import context as context
from pagelets.loops.contexts import grouped as grouped
from pagelets.loops.contexts import mark as mark
from pagelets.loops.contexts import nearest as nearest
from pagelets.loops.contexts import ratios as ratios
from pagelets.loops.contexts import repeats as repeats
from pagelets.loops.contexts import write as write
from pagelets.loops.layers import advanced as advanced
from pagelets.loops.layers import means as means
from pagelets.loops.layers import normalised as normalised
from pagelets.loops.trees import fall as fall
from pagelets.loops.words import bits as bits
from pagelets.loops.words import ends as ends
from pagelets.loops.words import name_numbers as name_numbers

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def alike(*rows: NDArray[np.integer]) -> Integers:
    """Numbers those of n things alike that have the same values in every row, from 0, in the order they come.

    Takes at least one row of n numbers; returns int64[n].
    """
    numbers: dict[object, int] = {}
    things = zip(*(row.tolist() for row in rows), strict=True)
    return np.array([numbers.setdefault(thing, len(numbers)) for thing in things], np.int64)


def climb(blocks: Integers, parent: NDArray[np.int32], last: NDArray[np.int32]) -> Climbed:
    """Returns the elements around some elements, and the first of all.

    ``blocks`` are the places of the elements (int64[b]), in document order but for those that come back
    behind a child; ``parent`` has for each element of the tree the one around it, ``last`` the last one in
    it.
    """
    before = np.zeros(len(parent) + 1, np.int64)
    np.cumsum(np.bincount(blocks, minlength=len(parent)), out=before[1:])
    holds = before[last + 1] > before[:-1]
    holds[0] = True
    nodes = np.flatnonzero(holds)
    places = np.cumsum(holds) - 1
    above = places[parent[nodes]]
    above[0] = 0
    of_block = places[blocks]
    ends = places[last[nodes]]
    # Those that are open where each begins.
    depth = np.arange(len(nodes)) - np.cumsum(np.bincount(ends + 1, minlength=len(nodes) + 1))[:-1]
    # The first in an element is the first that does not come before it; the last is the last that does not
    # end behind it.
    order, ends = np.arange(len(nodes)), ends - depth
    start = np.searchsorted(np.maximum.accumulate(of_block), order)
    stop = np.searchsorted(np.minimum.accumulate(ends[of_block][::-1])[::-1], ends, side="right")
    return Climbed(nodes, above, depth, of_block, start, stop)


def named(
    nodes: Integers, starts: NDArray[np.int32], name: NDArray[np.int32], value: NDArray[np.int32],
    wanted: Sequence[int],
) -> NDArray[np.int32]:  # fmt: skip
    """Returns the values of k ``wanted`` attributes of n elements (``nodes``), by their places, -1 for a
    missing one: int32[k, n]. ``starts``, ``name`` and ``value`` are those of `pagelets.tree.Tree`.
    """
    values = np.full((len(wanted), len(starts) - 1), -1, np.int32)
    for row, place in zip(values, wanted, strict=True):
        at = np.flatnonzero(name == place)
        row[np.searchsorted(starts, at, side="right") - 1] = value[at]
    return values[:, nodes]


def numbered(
    tags: NDArray[np.int32], places: dict[str, int], numbers: dict[str, int], size: int
) -> Integers:  # fmt: skip
    """Returns the number that a table gives each of n tags, 0 for an unknown one: int64[n].

    Args:
        tags: their places among strings, int32[n].
        places: the place of each tag.
        numbers: the table.
        size: the number of strings.

    """
    of_place = np.zeros(size, np.int64)
    for tag in places.keys() & numbers.keys():
        of_place[places[tag]] = numbers[tag]
    found: Integers = of_place[tags]
    return found


class Inline(NamedTuple):
    """The inline elements that hold text of blocks, of each block so many.

    ``blocks`` are the places of their blocks, ``elements`` are they, int64 each; ``pictures`` float64[b] are
    the pictures of each block.
    """

    blocks: Integers
    elements: Integers
    pictures: Floats


def inline(
    nodes: Integers, spans: Sequence[slice], places: Sequence[int], holders: Sequence[int], picture: int,
    most: int,
) -> Inline:  # fmt: skip
    """Lists the elements inside b blocks (``nodes`` int64[b]) that hold their text, at ``most`` so many a
    block.

    ``spans`` are the slices of blocks of the runs of a page; ``places`` are the places of the runs' texts,
    ``picture`` for a picture, ``holders`` the elements that hold them.
    """
    starts, stops = ([getattr(span, end) for span in spans] for end in ("start", "stop"))
    sizes = np.array(stops, np.int64) - np.array(starts, np.int64)
    block = np.repeat(np.arange(len(spans)), sizes)
    run = np.arange(len(block)) + np.repeat(np.array(starts, np.int64) - np.cumsum(sizes) + sizes, sizes)
    holder = np.array(holders, np.int64)[run]
    pictured = np.array(places, np.int64)[run] == picture
    pictures = np.bincount(block[pictured], minlength=len(spans)).astype(np.float64)
    held = np.flatnonzero(~pictured & (holder != nodes[block]))
    block, holder = block[held], holder[held]
    few = np.arange(len(block)) - np.searchsorted(block, block) < most
    return Inline(block[few], holder[few], pictures)


def inherited(
    masks: NDArray[np.uint64], parent: Integers, outer: NDArray[np.bool_]
) -> NDArray[np.uint64]:  # fmt: skip
    """Joins the bits of each of n nodes (``masks`` uint64[n, w]) with those of the ones around it (``parent``
    int64[n]). ``outer`` nodes (bool[n]), the first among them, are left without bits and pass none on.
    """
    beyond = len(masks)
    joined = np.concatenate([masks, np.zeros_like(masks[:1])])
    joined[:-1][outer] = 0
    above = np.append(np.where(outer, beyond, parent), beyond)
    while (above != beyond).any():
        joined |= joined[above]
        above = above[above]
    return joined[:-1]


def ordinals(groups: Integers) -> tuple[Integers, Integers]:
    """Returns the size of the group of each of n things, and its place in it: int64[n] each.

    Takes the numbers of groups, below n.
    """
    members = np.bincount(groups)
    sorting = np.argsort(groups, kind="stable")
    starts = np.cumsum(members) - members
    order = np.empty(len(groups), np.int64)
    order[sorting] = np.arange(len(groups)) - starts[groups[sorting]]
    return members[groups], order


class Tally(NamedTuple):
    """Counts of the characters of n texts, whose kinds are numbers below k.

    ``kinds`` float64[n, k] counts each kind; ``begins`` float64[n] counts runs of some kinds; ``first`` and
    ``last`` uint8[n] are the kinds of the first and the last, 0 for an empty text; ``lines`` float64[n]
    counts line ends; ``cut`` bool[n] marks texts that end in an ellipsis.
    """

    kinds: Floats
    begins: Floats
    first: NDArray[np.uint8]
    last: NDArray[np.uint8]
    lines: Floats
    cut: NDArray[np.bool_]


_DOT, _ELLIPSIS, _LINE_END = ord("."), ord("…"), ord("\n")


def tally(texts: Sequence[str], kind_of: NDArray[np.uint8], width: int, low: int, high: int) -> Tally:
    """Counts the characters of texts by kind.

    ``kind_of`` has the kind of each character by its code, the last for all beyond, and 0 for line ends.
    ``width`` is the number of kinds; those from ``low`` to ``high`` make the runs.
    """
    codes = _codes(texts)
    kinds = kind_of.take(codes, mode="clip")
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    ends = np.cumsum(sizes)
    starts = ends - sizes
    owners = np.repeat(np.arange(len(texts)), sizes)
    counts = np.bincount(owners * width + kinds, minlength=len(texts) * width).reshape(-1, width)
    # The line end that parts a text from the next.
    counts[:, 0] -= 1
    inside = (kinds >= low) & (kinds <= high)
    run_counts = np.bincount(owners[_begins(inside)], minlength=len(texts)).astype(np.float64)
    # Of an empty text both are the line end.
    last = np.maximum(ends - 2, starts)
    dotted = codes == _DOT
    dots = (sizes > 3) & dotted[last] & dotted[np.maximum(last - 1, 0)] & dotted[np.maximum(last - 2, 0)]
    lines = np.bincount(owners[codes == _LINE_END], minlength=len(texts)).astype(np.float64) - 1
    cut = dots | (codes[last] == _ELLIPSIS)
    return Tally(counts.astype(np.float64), run_counts, kinds[starts], kinds[last], lines, cut)


def runs(texts: Sequence[str], is_part: NDArray[np.bool_]) -> Floats:
    """Counts the maximal runs of some characters in each of n texts: float64[n].

    ``is_part`` marks these characters by their codes; the last serves all beyond, and line ends are not
    marked.
    """
    begins = _begins(is_part.take(_codes(texts), mode="clip"))
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    total = np.concatenate(([0], np.cumsum(begins)))[ends]
    return np.diff(total, prepend=0).astype(np.float64)


def _codes(texts: Sequence[str]) -> NDArray[np.uint32]:
    content = "\n".join([*texts, ""])
    return np.frombuffer(content.encode("utf-32-le", "surrogatepass"), np.uint32)


def _begins(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    return begins


def overlap(texts: Sequence[str], words: AbstractSet[str], longest: int) -> Floats:
    """Returns the share of each of some ``texts``' words among folded ``words``, and the share of those that
    the text has: float64[n, 2].

    Words are what white space parts. Of a text of ``longest`` characters or more both shares are 0.
    """
    shares = np.zeros((len(texts), 2))
    for position, text in enumerate(texts):
        if 0 < len(text) < longest:
            text_words = text.casefold().split()
            shared = len(words & {*text_words})
            if shared:
                shares[position] = shared / len(text_words), shared / len(words)
    return shares


def link_sums(
    urls: Sequence[str], texts: Sequence[str], spans: Sequence[slice], host: str
) -> Floats:  # fmt: skip
    """Sums the links of each of b blocks: float64[b, 5].

    The sums are their number, their characters (``texts``), those that lead to an address (``urls``) that
    does not begin with ``host``, slashes in addresses, and those without text. ``spans`` are the blocks'
    slices.
    """
    rows = np.ones((len(urls) + 1, 5))
    rows[0] = 0
    rows[1:, 1] = [len(text) for text in texts]
    rows[1:, 2] = [not url.startswith(host) for url in urls]
    rows[1:, 3] = [url.count("/") for url in urls]
    rows[1:, 4] = rows[1:, 1] == 0
    sums = rows.cumsum(axis=0)
    starts, stops = ([getattr(span, end) for span in spans] for end in ("start", "stop"))
    totals: Floats = sums[stops] - sums[starts]
    return totals
