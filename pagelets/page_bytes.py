"""A page as bytes, to be kept or sent elsewhere, and back.

The layout is the same on every machine: a header, unsigned numbers of two or four bytes, and the texts of the
page, one behind the other. All is little-endian, and UTF-8 in which lone surrogates are written as if they
were characters. Nothing that is read is believed: bytes of any kind give a page or `BrokenPage`, and take no
more memory than a multiple of their number.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate, chain, islice, pairwise, repeat
from typing import Final, NamedTuple

import numpy as np

from pagelets.compiled import chosen
from pagelets.overrides import DROPPED, KEPT, NOSNIPPET
from pagelets.page import SPACE, Block, Extracted, Link, Override, Page, Run, Runs
from pagelets.tree import Ids, Tree

LAYOUT: Final = 2
"""Counts the changes of the layout."""

_MAGIC: Final = b"page"
_HEADER: Final = struct.Struct("<4sIBBxx16sII")
"""`_MAGIC`, the CRC-32 of all that follows, `LAYOUT`, bytes a number, what the page was read by, how many
numbers follow, and how many bytes of text behind them.
"""
_CHECKED: Final = 8
"""The checksum is that of the bytes from here on."""
_TYPES: Final[dict[int, np.dtype[np.unsignedinteger]]] = {2: np.dtype("<u2"), 4: np.dtype("<u4")}
_LARGEST: Final = 2**31 - 1
_SEPARATOR: Final = "\0"
"""Parts the texts where none of them holds it; else their lengths are among the numbers."""
_OVERRIDES: Final = (NOSNIPPET, DROPPED, KEPT)
_LINK: Final = partial(tuple.__new__, Link)
"""Makes a `Link` of a tuple, as its ``_make`` does, without a function of Python's."""
_largest, _least = np.maximum.reduce, np.minimum.reduce


class BrokenPage(ValueError):
    """Bytes are no page, or one that something else has read; the message says which."""


class _Counts(NamedTuple):
    """The first numbers: how many there are of each kind, and what is so (1) or not (0).

    ``lengths`` is 0, or the number of all texts: ``strings`` and ``texts`` of the tree, and ``others`` behind
    them. ``gaps`` are the runs that follow the blocks which are ``parted``.
    """

    lengths: int
    strings: int
    texts: int
    others: int
    elements: int
    attributes: int
    runs: int
    blocks: int
    links: int
    overridden: int
    overrides: int
    parted: int
    gaps: int
    robots: int
    metas: int
    follow: int
    met: int
    has_overrides: int
    has_canonical_url: int
    truncated: int
    unhidden: int

    def sizes(self) -> tuple[int, ...]:
        """The number of numbers in each part of the layout."""
        pairs = (self.overridden, self.overrides, self.parted, self.gaps)
        declared = 5 + self.robots + 2 * self.metas + self.follow + self.met
        return (
            self.lengths,
            *(2 * count for count in pairs),
            *(4 * self.blocks, 4 * self.links, declared),
            *(2 * self.attributes, 2 * self.texts, 2 * self.runs, 4 * self.elements),
        )


class _Others(dict[str, int]):
    """Texts of a page beside those of its tree, each with its place among all."""

    def __init__(self, first: int) -> None:
        self.first = first

    def __missing__(self, text: str) -> int:
        self[text] = place = self.first + len(self)
        return place

    def places(self, texts: Iterable[str]) -> list[int]:
        return list(map(self.__getitem__, texts))


def to_bytes(page: Page) -> bytes:
    """A page that was read (`pagelets.reading`) as bytes, of which `from_bytes` makes an equal one."""
    tree = page.tree
    others = _Others(len(tree.strings) + len(tree.texts))
    numbers = [number for column in _columns(page, others) for number in column]
    texts = [*tree.strings, *tree.texts, *others]
    text = _SEPARATOR.join(texts).encode("utf-8", "surrogatepass")
    lengths: list[int] = []
    if text.count(_SEPARATOR.encode()) != len(texts) - 1:
        text, lengths = "".join(texts).encode("utf-8", "surrogatepass"), list(map(len, texts))
    counts = _Counts(
        lengths=len(lengths),
        strings=len(tree.strings),
        texts=len(tree.texts),
        others=len(others),
        elements=len(tree),
        attributes=len(tree.name),
        runs=len(_runs(page).places),
        blocks=len(page.blocks),
        links=len(page.links),
        overridden=len(page.overridden),
        overrides=len(_own_overrides(page)),
        parted=len(page.parted),
        gaps=sum(map(len, page.parted.values())),
        robots=len(page.robots),
        metas=len(page.robots_metas),
        follow=len(page.follow),
        met=len(page.met),
        has_overrides=page.overrides is not page.overridden,
        has_canonical_url=page.canonical_url is not None,
        truncated=page.truncated,
        unhidden=page.unhidden,
    )
    flat = np.concatenate((array("i", [*counts, *lengths, *numbers]), *_arrays(tree, _runs(page))))
    width = 2 if int(_largest(flat)) < 2**16 else 4
    data = bytearray(_HEADER.pack(_MAGIC, 0, LAYOUT, width, page.read_by, len(flat), len(text)))
    data += flat.astype(_TYPES[width]).tobytes()
    data += text
    struct.pack_into("<I", data, _CHECKED - 4, zlib.crc32(memoryview(data)[_CHECKED:]))
    return bytes(data)


def _columns(page: Page, others: _Others) -> Iterator[Iterable[int]]:
    """The numbers of all but the tree: the columns of one part, then those of the next."""
    blocks, links, runs = page.blocks, page.links, _runs(page)
    for overrides in (page.overridden, _own_overrides(page)):
        yield from (overrides, [_OVERRIDES.index(override) for override in overrides.values()])
    yield from (page.parted, [len(gap) for gap in page.parted.values()])
    gaps = list(chain.from_iterable(page.parted.values()))
    yield from (others.places([text for text, _ in gaps]), [holder for _, holder in gaps])
    yield from (_block_texts(page, runs, others), [block.node for block in blocks])
    yield [block.span.stop - block.span.start for block in blocks]
    yield [block.links.stop - block.links.start for block in blocks]
    yield from (others.places([link.url for link in links]), others.places([link.text for link in links]))
    yield from ([link.nofollow for link in links], [link.block for link in links])
    declared = (page.url, page.title, page.base, page.canonical_url or "", page.extracted.packed())
    lists = (sorted(page.robots), *page.robots_metas, page.follow, sorted(page.met))
    yield others.places(chain(declared, *lists))


def _arrays(tree: Tree, runs: Runs) -> Iterator[Ids | array[int]]:
    """The numbers of a tree and of runs. Differences stand where they are small, and so compress well."""
    nodes = np.arange(len(tree), dtype=np.int32)
    yield from (tree.name, tree.value, tree.holder, tree.before[:1])
    yield tree.before[1:] - tree.before[:-1]
    yield np.array(array("i", runs.places), np.int32) - SPACE
    yield array("i", runs.holders)
    yield from (tree.tag, nodes - tree.parent, tree.last - nodes, tree.starts[1:] - tree.starts[:-1])


def _runs(page: Page) -> Runs:
    """The runs of all blocks, which lie one behind the other."""
    source = page.blocks[0].source if page.blocks else Runs([], [], [])
    assert isinstance(source, Runs), "the blocks of a page that was read share their runs"
    return source


def _own_overrides(page: Page) -> Mapping[int, Override]:
    return {} if page.overrides is page.overridden else page.overrides


def _block_texts(page: Page, runs: Runs, others: _Others) -> list[int]:
    """Where the texts of blocks stand: most are those of their only run."""
    texts, places, first = page.tree.texts, runs.places, len(page.tree.strings)
    of_block = []
    for block in page.blocks:
        span, text = block.span, block.text
        place = places[span.start] if span.stop == span.start + 1 else SPACE
        of_block.append(first + place if place >= 0 and texts[place] == text else others[text])
    return of_block


def from_bytes(data: bytes, read_by: bytes | None = None) -> Page:
    """The page that `to_bytes` made bytes of.

    Takes what the page has to be read by (`pagelets.reading.version`), where that matters. Raises BrokenPage
    where the bytes are cut short, altered, of another layout, or of a page that something else has read.
    """
    if len(data) < _HEADER.size:
        raise BrokenPage("cut short")
    magic, checksum, layout, width, was_read_by, count, text_size = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise BrokenPage("no page")
    if layout != LAYOUT:
        raise BrokenPage(f"of layout {layout}, not {LAYOUT}")
    if read_by is not None and read_by != was_read_by:
        raise BrokenPage("read by another version, or with other selectors")
    if width not in _TYPES or len(data) != _HEADER.size + width * count + text_size:
        raise BrokenPage("cut short")
    if zlib.crc32(memoryview(data)[_CHECKED:]) != checksum:
        raise BrokenPage("altered")
    numbers = np.frombuffer(data, _TYPES[width], count, _HEADER.size)
    try:
        _expect(width == 2 or not count or int(numbers.max()) <= _LARGEST)
        return _page(numbers.astype(np.int32), data, len(data) - text_size, was_read_by)
    except (IndexError, TypeError, ValueError) as error:
        raise BrokenPage("altered") from error


def _expect(holds: bool | np.bool) -> None:
    """Raises ValueError where what holds for every page does not."""
    if not holds:
        raise ValueError


def _page(numbers: Ids, data: bytes, start: int, read_by: bytes) -> Page:
    """The page of these numbers, and of the texts from a place on. Raises IndexError, TypeError or ValueError
    where there is none.
    """
    first = len(_Counts._fields)
    counts = _Counts(*numbers[:first].tolist())
    ends = list(accumulate(counts.sizes(), initial=first))
    _expect(ends[-1] == len(numbers))
    lengths, *parts = map(numbers.__getitem__, map(slice, ends, ends[1:]))
    all_texts = _texts(data, start, lengths.tolist())
    _expect(len(all_texts) == counts.strings + counts.texts + counts.others)
    overridden, overrides, parted, gaps = (part.reshape(2, -1) for part in parts[:4])
    tree = _tree(all_texts, counts, parts[7], parts[8], parts[10])
    by_node = _overrides(overridden, counts)
    _below(counts.elements, (blocks := parts[4].reshape(4, -1))[1])
    _expect(blocks[2].sum(dtype=np.int64) == counts.runs and blocks[3].sum(dtype=np.int64) == counts.links)
    words = iter([all_texts[place] for place in parts[6].tolist()])
    url, title, base, canonical_url, extracted = islice(words, 5)
    return Page(
        url=url,
        tree=tree,
        blocks=_blocks_of(all_texts, blocks, _runs_of(tree, counts, parts[9])),
        links=_links(all_texts, counts, parts[5].reshape(4, -1)),
        title=title,
        base=base,
        canonical_url=canonical_url if counts.has_canonical_url else None,
        robots=frozenset(islice(words, counts.robots)),
        robots_metas=[(next(words), next(words)) for _ in range(counts.metas)],
        follow=list(islice(words, counts.follow)),
        truncated=bool(counts.truncated),
        unhidden=bool(counts.unhidden),
        overridden=by_node,
        met=frozenset(words),
        overrides=_overrides(overrides, counts) if counts.has_overrides else by_node,
        parted=_gaps(all_texts, counts, parted, gaps),
        read_by=read_by,
        extracted=Extracted.unpacked(extracted),
    )


def split(data: bytes, start: int) -> list[str]:
    """The texts from a place on that were joined by `_SEPARATOR`. Raises UnicodeDecodeError."""
    return data[start:].decode("utf-8", "surrogatepass").split(_SEPARATOR)


def _texts(data: bytes, start: int, lengths: list[int]) -> list[str]:
    """The texts that were joined: of these lengths, or by the separator where there are none."""
    if not lengths:
        return _split(data, start)
    text = data[start:].decode("utf-8", "surrogatepass")
    ends = list(accumulate(lengths, initial=0))
    _expect(ends[-1] == len(text))
    return [text[first:end] for first, end in pairwise(ends)]


def _below(bound: int, numbers: Ids) -> Ids:
    """Numbers all of which are less than a bound."""
    _expect(not numbers.size or int(_largest(numbers)) < bound)
    return numbers


def _tree(all_texts: list[str], counts: _Counts, attributes: Ids, texts: Ids, elements: Ids) -> Tree:
    strings, count = counts.strings, counts.elements
    name, value = _below(strings, attributes).reshape(2, -1)
    holder, begun = texts.reshape(2, -1)
    tag, above, inside, of_element = elements.reshape(4, -1)
    nodes = np.arange(count, dtype=np.int32)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(of_element, out=starts[1:])
    ends = np.cumsum(begun)
    _expect(int(starts[-1]) == counts.attributes and (not len(ends) or int(ends[-1]) <= count))
    parent, last, before = nodes - above, nodes + inside, ends.astype(np.int32)
    _expect(_is_tree(parent, last, holder, before))
    return Tree(
        strings=all_texts[:strings],
        tag=_below(strings, tag),
        parent=parent,
        last=last,
        starts=starts.astype(np.int32),
        name=name,
        value=value,
        texts=all_texts[strings : strings + counts.texts],
        holder=holder,
        before=before,
    )


def is_tree(parent: Ids, last: Ids, holder: Ids, before: Ids) -> bool:
    """Whether elements lie in each other, and texts in elements that are open when they come, as in a `Tree`,
    of which ``parent``, ``last``, ``holder`` and ``before`` are the arrays.
    """
    count, above = len(parent), parent[1:]
    nodes = np.arange(count, dtype=np.int32)
    if not count or parent[0] != -1 or last[0] != count - 1 or np.any(last < nodes):
        return False
    if count > 1:
        # Each ends where the one around it ends, or before that, and lies in one more than that: in those
        # that began before it, but for those that have ended.
        if int(_least(above)) < 0 or np.any(above >= nodes[1:]) or np.any(last[1:] > last[above]):
            return False
        depth = nodes - np.concatenate(([0], np.cumsum(np.bincount(last, minlength=count))[:-1]))
        if np.any(depth[1:] != depth[above] + 1):
            return False
    if not len(holder):
        return True
    if np.any(before[1:] < before[:-1]) or int(before[0]) < 1 or int(before[-1]) > count:
        return False
    if int(_least(holder)) < 0 or np.any(holder >= before):
        return False
    wrong = last[holder] < before - 1
    # What is open behind a text is what lies around it.
    wrong |= holder < np.append(parent, -1)[before]
    wrong[1:] |= (before[1:] == before[:-1]) & (holder[1:] > holder[:-1])
    return not np.any(wrong)


def _runs_of(tree: Tree, counts: _Counts, runs: Ids) -> Runs:
    places, holders = runs.reshape(2, -1)
    places = _below(counts.texts - SPACE, places) + SPACE
    packed = (places, _below(counts.elements, holders))
    # Numbers are made of those alone that are asked for.
    return Runs([*tree.texts, " ", "", "\n"], *(array("i", column.tobytes()) for column in packed))


def _slices(counts: list[int]) -> Iterator[slice]:
    """Slices of so many each, one behind the other."""
    ends = list(accumulate(counts, initial=0))
    return map(slice, ends, ends[1:])


def blocks_of(all_texts: list[str], columns: Ids, runs: Runs) -> list[Block]:
    """The blocks of a page, with ``runs`` in order; ``columns`` tells of each the place of its text among
    ``all_texts``, its node, and how many runs and links it has. Raises IndexError for a missing text.
    """
    texts, nodes, of_runs, of_links = columns.tolist()
    spans, links = _slices(of_runs), _slices(of_links)
    return list(map(Block, map(all_texts.__getitem__, texts), nodes, links, spans, repeat(runs)))


def _links(all_texts: list[str], counts: _Counts, links: Ids) -> list[Link]:
    _below(counts.blocks, links[3])
    urls, texts, nofollow, blocks = links.tolist()
    text_at = all_texts.__getitem__
    columns = (map(text_at, urls), map(text_at, texts), map(bool, nofollow), blocks)
    return list(map(_LINK, zip(*columns, strict=True)))


def _overrides(overridden: Ids, counts: _Counts) -> dict[int, Override]:
    nodes, kinds = _below(counts.elements, overridden[0]).tolist(), overridden[1].tolist()
    return dict(zip(nodes, map(_OVERRIDES.__getitem__, kinds), strict=True))


def _gaps(all_texts: list[str], counts: _Counts, parted: Ids, gaps: Ids) -> dict[int, list[Run]]:
    positions, lengths = _below(counts.blocks, parted[0]).tolist(), parted[1].tolist()
    texts, holders = gaps[0].tolist(), _below(counts.elements, gaps[1]).tolist()
    runs = list(zip(map(all_texts.__getitem__, texts), holders, strict=True))
    _expect(sum(lengths) == counts.gaps)
    return dict(zip(positions, map(runs.__getitem__, _slices(lengths)), strict=True))


_blocks_of = chosen("pagelets.native_pages", blocks_of)
_split = chosen("pagelets.native_pages", split)
_is_tree = chosen("pagelets.native_pages", is_tree)
