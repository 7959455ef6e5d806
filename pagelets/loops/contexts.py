"""Features of a page's blocks and of what is around them, in plain code: the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

_LONG = 100
"""Characters. A longer block with few links is running text."""
_SHORT = 25


class Climbed(NamedTuple):
    """The elements that hold some of the b given ones, which `pagelets.containers.Containers` tells more of;
    all int64.
    """

    nodes: Integers
    parent: Integers
    depth: Integers
    of_block: Integers
    start: Integers
    stop: Integers


def nearest(wanted: NDArray[np.bool_], parent: Integers) -> Integers:
    """For each of n nodes the place of itself or the nearest one around it that is wanted: int64[k, n].

    Takes k rows that tell which are ``wanted`` (bool[k, n]). The first node stands in where none is. Takes of
    each the place of its ``parent`` (int64[n]), which comes before it, but that the first's is its own.
    """
    places = np.where(wanted, np.arange(len(parent)), parent)
    places[:, :1] = 0
    while True:
        # Where the node found is not wanted yet, what it has found itself is nearer to the root.
        following = np.take_along_axis(places, places, axis=1)
        if np.array_equal(following, places):
            return places
        places = following


class ColumnPlan(NamedTuple):
    """A plan for columns of layers of values: column ``picks`` of layer ``layers`` goes to ``targets``; int32
    each.
    """

    layers: NDArray[np.int32]
    picks: NDArray[np.int32]
    targets: NDArray[np.int32]


def write(matrix: NDArray[np.float32], plan: ColumnPlan, values: Floats, at: Integers | None) -> None:
    """Writes columns of ``values`` [m, k] to a matrix [n, c], as a plan says.

    Row i of layer j is row ``at[j, i]`` of the values (int64[l, n]); without ``at`` there is one layer, whose
    row i is row i of the values, or the only one.
    """
    if at is None:
        matrix[:, plan.targets] = values[:, plan.picks]
        return
    part = values.astype(np.float32)
    for layer in np.unique(plan.layers).tolist():
        some = plan.layers == layer
        matrix[:, plan.targets[some]] = part[:, plan.picks[some]][at[layer]]


def grouped(groups: Integers, values: Floats) -> Floats:
    """Sums values of b things over groups: float64[groups, 2 + k].

    Takes the ``groups`` that each thing is in (int64[l, b]), and k ``values`` that are summed (float64[b,
    k]). The first column is the number of a group's members, the second the distance of the last from the
    first.
    """
    layers, size = groups.shape
    flat, order = groups.ravel(), np.tile(np.arange(size), layers)
    members = np.bincount(flat)
    first, last = np.zeros(len(members)), np.zeros(len(members))
    first[flat[::-1]] = order[::-1]
    last[flat] = order
    sums = [np.bincount(flat, np.tile(column, layers)) for column in values.T]
    return np.stack([members, last - first, *sums], axis=1)


def between(values: Floats, low: Integers, high: Integers) -> Floats:
    """Sums of rows of ``values`` [b, c] from ``low`` to before ``high``: float64[m, c].

    Takes places (int64[m] each); those before the first row are taken for 0, those behind the last for b.
    """
    total = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=total[1:])
    sums: Floats = total[np.clip(high, 0, len(values))] - total[np.clip(low, 0, len(values))]
    return sums


class Ratio(NamedTuple):
    """A column ``part``, which counts at least as ``least``, by a column ``whole``, which counts at least as
    ``floor``; without a ``whole`` by ``floor`` alone.
    """

    part: str
    whole: str | None = None
    floor: float = 1.0
    least: float = -np.inf


class Ratios(NamedTuple):
    """Ratios with the places of their columns, -1 for no ``whole``: int32[k] and float64[k] each."""

    part: NDArray[np.int32]
    whole: NDArray[np.int32]
    floor: Floats
    least: Floats

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Ratio]) -> Ratios:
        """Takes the names of all columns, and the ratios."""
        at: dict[str | None, int] = {None: -1, **{name: place for place, name in enumerate(names)}}
        parts, wholes, floors, least = zip(*rows, strict=True)
        return cls(
            np.array([at[part] for part in parts], np.int32),
            np.array([at[whole] for whole in wholes], np.int32),
            np.array(floors, np.float64), np.array(least, np.float64),
        )  # fmt: skip


def ratios(values: Floats, plan: Ratios) -> Floats:
    """Ratios of columns of ``values`` [m, c], as a plan says: float64[m, k]."""
    above = np.maximum(values[:, plan.part], plan.least)
    below = np.where(plan.whole >= 0, np.maximum(values[:, plan.whole], plan.floor), plan.floor)
    quotients: Floats = above / below
    return quotients


def mark(
    matrix: NDArray[np.float32], plan: ColumnPlan, masks: NDArray[np.uint64], at: Integers | None
) -> None:  # fmt: skip
    """Writes bits of ``masks`` [m, w] to a matrix [n, c], as a plan of one layer says.

    Row i is row ``at[i]`` of the masks (int64[n]); without ``at`` it is row i, or the only one.
    """
    bits = np.unpackbits(masks.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    matrix[:, plan.targets] = (bits if at is None else bits[at])[:, plan.picks]


class Texts(NamedTuple):
    """Counts of n texts: ``kinds`` float64[n, k] characters of each kind; ``words`` float64[n], where an
    ideograph is half a word; ``first`` and ``last`` uint8[n] the kinds of the first and last character, a
    space for none; ``lines`` float64[n] the line ends; ``cut`` bool[n] whether the text ends in an ellipsis.
    """

    kinds: Floats
    words: Floats
    first: NDArray[np.uint8]
    last: NDArray[np.uint8]
    lines: Floats
    cut: NDArray[np.bool_]


def blocks(
    texts: Texts, chars: Floats, heading: Integers, tag: Integers, depth: Integers, pictures: Floats,
    links: Floats, overlap: Floats, weights: Floats, roles: Sequence[int], tags: int,
) -> tuple[Floats, int, int]:  # fmt: skip
    """Returns what is counted of each of a page's b blocks, and the places of its title and its first h1, -1
    for a missing one.

    The columns (float64[b, k]) are counts that add up over blocks (characters, words, characters of links,
    links, 1, stops, commas, digits, headings, long texts, paragraphs, pictures, links to elsewhere, short
    texts, currencies), the characters of each kind, letters, lines, the heading's level, the depth, slashes
    in links, links without text, one column for each tag, how the text ends (stop, colon, ellipsis) and
    begins (upper case, digit), its place (index, its share, the blocks from it on, the share of characters
    before and after it), the ``overlap``, and the distance from the title and the first h1, each as a number
    and a share.

    Args:
        texts: the counts of the texts; letters are of the kinds 1 to 4.
        chars: their number, float64[b].
        heading: the levels of headings, 0 for none, int64[b].
        tag: the numbers of tags from 1 on, 0 for another one, int64[b].
        depth: the depth of the elements, int64[b].
        pictures: the number of pictures, float64[b].
        links: what `link_sums` returns, float64[b, 5].
        overlap: the words that the title and the text share, as shares of each, float64[b, 2].
        weights: the advantage of headings of each level as the title, float64[7].
        roles: the kinds of stops, commas, digits, upper case, currencies and colons.
        tags: the number of tags.

    """
    size, order = len(chars), np.arange(len(chars))
    stop, comma, digit, upper, currency, colon = roles
    kinds, words = texts.kinds, texts.words
    link_chars, total = np.minimum(links[:, 1], chars), max(chars.sum(), 1.0)
    before = np.cumsum(chars) - chars
    long = (chars >= _LONG) & (link_chars / np.maximum(chars, 1e-9) < 0.3)
    scores = overlap[:, 0] * overlap[:, 1] * weights[heading] * (words > 1)
    title = int(scores.argmax()) if scores.max() > 0.1 else -1
    first = int((heading == 1).argmax()) if (heading == 1).any() else -1
    distances = []
    for place in (title, first):
        distance = order - place if place >= 0 else np.full(size, np.nan)
        distances += [distance, distance / size]
    columns = [
        chars, words, link_chars, links[:, 0], np.ones(size), *kinds[:, [stop, comma, digit]].T, heading > 0,
        long, (tag == 1) & (chars > 40), pictures, links[:, 2], (chars > 0) & (chars < _SHORT),
        kinds[:, currency], *kinds.T, kinds[:, 1:5].sum(axis=1), texts.lines, heading, depth, *links.T[3:],
        *(tag == number for number in range(1, tags + 1)), texts.last == stop, texts.last == colon, texts.cut,
        texts.first == upper, texts.first == digit, order, order / size, size - order, before / total,
        1 - (before + chars) / total, *overlap.T, *distances,
    ]  # fmt: skip
    return np.column_stack(columns).astype(np.float64), title, first


class Counted(NamedTuple):
    """Counts of a page's b blocks and their n containers, for the features of their context.

    ``counts`` float64[b, c], the characters first; ``shape`` float64[b, s], what neighbours show of
    themselves; ``kind`` int64[n] numbers what names a container; ``same`` int64[b] numbers the blocks whose
    containers and the three above are named alike; ``heading`` int64[b] is the heading's level, 0 for none;
    ``long`` bool[b] marks running text; ``title`` and ``first`` are the blocks of the page's title and of its
    first h1, -1 for a missing one.
    """

    counts: Floats
    shape: Floats
    kind: Integers
    same: Integers
    heading: Integers
    long: NDArray[np.bool_]
    title: int
    first: int


class Around(NamedTuple):
    """The parameters of a context.

    ``up`` is the number of containers around a block's own, ``trunks`` float64[t] are shares of the
    characters, ``windows`` int64[w] numbers of blocks, ``shifts`` int64[s] ways to neighbours. ``far`` is the
    distance of a missing neighbour. ``parts`` and ``within`` are the ratios of containers and of windows.
    ``blocks`` is the column of counts that is 1 for each block, ``share`` the column of parts that is divided
    by the page's characters.
    """

    up: int
    trunks: Floats
    windows: Integers
    shifts: Integers
    far: int
    parts: Ratios
    within: Ratios
    blocks: int
    share: int


class Context(NamedTuple):
    """The context of b blocks in n containers: ``levels`` int64[l, b], ``parts`` float64[n, p] of containers,
    ``values`` float64[b, v] of blocks.
    """

    levels: Integers
    parts: Floats
    values: Floats


def context(
    held: Climbed, page: Counted, marked: Integers, siblings: tuple[Integers, Integers], plan: Around
) -> Context:  # fmt: skip
    """Returns the context of a page's blocks.

    The levels are a block's container, those around it, the nearest with each share of the characters, the
    largest with less than half, the nearest ``marked``, the nearest with three siblings alike, and the one
    around that. The parts of a container are the ratios of its counts, the number of its siblings that are
    named alike, its depth, its place among these siblings, and 1 if it holds the title, and the first h1. The
    values of a block are its place in each level, the ratios of the windows before and after it, the number
    of blocks up to it that are named as the title is, the shapes of its neighbours, the distances to the last
    and the next heading and running text, and the last heading's level and characters.

    Args:
        held: the n containers of b blocks.
        page: what was counted of them.
        marked: above 0 where a container is a part of a page by its tag, int64[n].
        siblings: the number of each container's siblings alike and its place among them, int64[n] each.
        plan: the parameters.

    """
    size, count = len(held.of_block), len(held.nodes)
    order = np.arange(size)
    starts = np.concatenate([-plan.windows, np.ones_like(plan.windows)])[:, None] + order
    stops = np.concatenate([np.zeros_like(plan.windows), 1 + plan.windows])[:, None] + order
    low, high = np.append(held.start, starts), np.append(held.stop, stops)
    every = between(page.counts, low, high)
    sums = every[:count]
    at = _levels(held, sums[:, 0], marked, siblings[0], plan)
    shares = ratios(sums, plan.parts)
    shares[:, plan.share] /= max(float(page.counts[:, 0].sum()), 1.0)
    holds = [
        (held.start <= block) & (block < held.stop) if block >= 0 else np.full(count, np.nan)
        for block in (page.title, page.first)
    ]
    parts = np.column_stack([shares, siblings[0], held.depth, siblings[1], *holds])
    places = ((order - held.start[at]) / np.maximum(sums[:, plan.blocks], 1)[at]).T
    windows = ratios(every[count:], plan.within).reshape(len(starts), size, -1)
    alike = page.same == page.same[page.title] if page.title >= 0 else np.full(size, np.nan)
    beyond = np.vstack([page.shape, np.full((1, page.shape.shape[1]), np.nan)])
    near = order + plan.shifts[:, None]
    near[(near < 0) | (near >= size)] = size
    last, ahead = _distances(np.stack([page.heading > 0, page.long]))
    of_last = np.where(last[0] >= 0, [page.heading[last[0]], page.counts[last[0], 0]], 0)
    distances = [np.where(last >= 0, order - last, plan.far), np.where(ahead < size, ahead - order, plan.far)]
    rows = [*windows.transpose(1, 0, 2).reshape(size, -1).T, np.cumsum(alike, dtype=np.float64)]
    rows += [*beyond[near].transpose(1, 0, 2).reshape(size, -1).T, *distances[0], *distances[1], *of_last]
    return Context(at, parts, np.column_stack([places, *rows]))


class Repeats(NamedTuple):
    """The repetitions of a site in parts of a page: ``pagelets`` float64[p, 2], ``containers`` float64[n, 6],
    ``page`` float64[2], and around each block ``near`` float64[b, v].
    """

    pagelets: Floats
    containers: Floats
    page: Floats
    near: Floats


def repeats(
    chars: Floats, known: Floats, bounds: tuple[Integers, Integers, Integers], shifts: Integers,
    windows: Integers,
) -> Repeats:  # fmt: skip
    """Returns what is known of a page's b blocks, as means over its parts, weighed by characters.

    Of pagelets and of the page there are the means of the second and third number, of containers those of
    the first five, and what share of the page's sum of the second they have; around a block there are
    the last five of its neighbours, and the means of the second and third within each window.

    Args:
        chars: the characters of the blocks, float64[b].
        known: the numbers that are known of each, float64[6, b].
        bounds: the ends of the page's p pagelets, and the starts and stops of its n containers.
        shifts: the ways to neighbours, int64[s].
        windows: the numbers of blocks before and after a block, int64[w].

    """
    size, order, weights = len(chars), np.arange(len(chars)), np.maximum(chars, 1)
    values = np.column_stack([weights, *(weights * known[:5])])
    ends, start, stop = bounds
    of_pagelets = between(values, np.append(0, ends[:-1]), ends)
    of_containers, total = between(values, start, stop), between(values, order[:1], order[-1:] + 1)[0]
    shares = of_containers[:, 2:3] / max(total[2], 1.0)
    first = np.abs(shifts).max()
    padded = np.full((5, size + 2 * first), np.nan)
    padded[:, first : first + size] = known[1:]
    near = [padded[:, first + shift : first + shift + size].T for shift in shifts]
    for width in windows:
        sums = between(values, order - width, order + width + 1)
        near.append(sums[:, 2:4] / np.maximum(sums[:, :1], 1e-9))
    return Repeats(
        of_pagelets[:, 2:4] / of_pagelets[:, :1],
        np.column_stack([of_containers[:, 1:] / of_containers[:, :1], shares]),
        total[2:4] / total[0],
        np.column_stack(near),
    )


def _levels(
    held: Climbed, chars: Floats, marked: Integers, siblings: Integers, plan: Around
) -> Integers:  # fmt: skip
    part = chars / max(float(chars[0]), 1)
    small = part < 0.5
    wanted = np.stack(
        [*(part >= least for least in plan.trunks), small & ~small[held.parent], marked > 0, siblings >= 3]
    )
    places = [held.of_block]
    for _ in range(plan.up):
        places.append(held.parent[places[-1]])
    places += [*nearest(wanted, held.parent)[:, held.of_block]]
    return np.stack([*places, held.parent[places[-1]]])


def _distances(marked: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """The places of the last marked block before each and of the next behind it; -1 and b where there is
    none.

    Takes k rows of b marks; returns int64[k, b] each.
    """
    rows, size = marked.shape
    order = np.arange(size)
    last, ahead = np.full((rows, size), -1), np.full((rows, size), size)
    np.maximum.accumulate(np.where(marked, order, -1)[:, :-1], axis=1, out=last[:, 1:])
    ahead[:, :-1] = np.minimum.accumulate(np.where(marked, order, size)[:, :0:-1], axis=1)[:, ::-1]
    return last, ahead
