"""A page as bytes, to be kept or sent elsewhere, and back.

The layout is the same on every machine: a header, unsigned numbers of two or four bytes, and the texts of the
page, one behind the other. All is little-endian, and UTF-8 in which lone surrogates are written as if they
were characters. Nothing that is read is believed: bytes of any kind give a page or `BrokenPage`, and take no
more memory than a multiple of their number.
"""

from __future__ import annotations

import struct
import zlib
from functools import partial
from itertools import accumulate, chain, islice, pairwise, repeat
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from pagelets.marks import DROPPED, KEPT, NOSNIPPET
from pagelets.page import SPACE, Block, Link, Page, Runs
from pagelets.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.marks import Forced
    from pagelets.page import Run
    from pagelets.tree import Ids

    Numbers: TypeAlias = Sequence[int] | Ids

LAYOUT: Final = 1
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
_MARKS: Final = (NOSNIPPET, DROPPED, KEPT)
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
    marks: int
    verdicts: int
    parted: int
    gaps: int
    robots: int
    metas: int
    follow: int
    met: int
    has_verdicts: int
    has_canonical_url: int
    truncated: int
    unhidden: int

    def sizes(self) -> tuple[int, ...]:
        """How many numbers each part has, in the order of `_numbers`; the lengths of texts come first."""
        declared = 4 + self.robots + 2 * self.metas + self.follow + self.met
        pairs = (self.marks, self.verdicts, self.parted, self.gaps, self.attributes, self.texts, self.runs)
        return (
            self.lengths,
            *(2 * count for count in pairs),
            *(4 * count for count in (self.elements, self.blocks, self.links)),
            declared,
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
    numbers = list(_numbers(page, others))
    texts = [*tree.strings, *tree.texts, *others]
    joined = _SEPARATOR.join(texts)
    lengths: list[int] = []
    if joined.count(_SEPARATOR) != len(texts) - 1:
        joined, lengths = "".join(texts), list(map(len, texts))
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
        marks=len(page.marks),
        verdicts=len(_own_verdicts(page)),
        parted=len(page.parted),
        gaps=sum(map(len, page.parted.values())),
        robots=len(page.robots),
        metas=len(page.robots_metas),
        follow=len(page.follow),
        met=len(page.met),
        has_verdicts=page.verdicts is not page.marks,
        has_canonical_url=page.canonical_url is not None,
        truncated=page.truncated,
        unhidden=page.unhidden,
    )
    flat = np.concatenate([np.asarray(part, np.int32) for part in (counts, lengths, *numbers)])
    width = 2 if int(flat.max()) < 2**16 else 4
    text = joined.encode("utf-8", "surrogatepass")
    data = bytearray(_HEADER.pack(_MAGIC, 0, LAYOUT, width, page.read_by, len(flat), len(text)))
    data += flat.astype(_TYPES[width]).tobytes()
    data += text
    struct.pack_into("<I", data, _CHECKED - 4, zlib.crc32(memoryview(data)[_CHECKED:]))
    return bytes(data)


def _numbers(page: Page, others: _Others) -> Iterator[Numbers]:
    """The numbers of a page in the order of the layout, none below 0: the columns of one part, then of the
    next. Differences stand where they are small numbers, which compress well.
    """
    tree, blocks, links, runs = page.tree, page.blocks, page.links, _runs(page)
    nodes = np.arange(len(tree), dtype=np.int32)
    for marks in (page.marks, _own_verdicts(page)):
        yield from (list(marks), [_MARKS.index(mark) for mark in marks.values()])
    yield from (list(page.parted), [len(gap) for gap in page.parted.values()])
    gaps = list(chain.from_iterable(page.parted.values()))
    yield from (others.places([text for text, _ in gaps]), [holder for _, holder in gaps])
    yield from (tree.name, tree.value)
    yield from (tree.holder, np.diff(tree.before, prepend=np.int32(0)))
    yield from (np.array(runs.places, np.int32) - SPACE, runs.holders)
    yield from (tree.tag, nodes - tree.parent, tree.last - nodes, np.diff(tree.starts))
    yield from (_block_texts(page, runs, others), [block.node for block in blocks])
    yield [block.span.stop - block.span.start for block in blocks]
    yield [block.links.stop - block.links.start for block in blocks]
    yield from (others.places([link.url for link in links]), others.places([link.text for link in links]))
    yield from ([link.nofollow for link in links], [link.block for link in links])
    declared = (page.url, page.title, page.base, page.canonical_url or "")
    lists = (sorted(page.robots), *page.robots_metas, page.follow, sorted(page.met))
    yield others.places(chain(declared, *lists))


def _runs(page: Page) -> Runs:
    """The runs of all blocks, which lie one behind the other."""
    source = page.blocks[0].source if page.blocks else Runs([], [], [])
    assert isinstance(source, Runs), "the blocks of a page that was read share their runs"
    return source


def _own_verdicts(page: Page) -> Mapping[int, Forced]:
    return {} if page.verdicts is page.marks else page.verdicts


def _block_texts(page: Page, runs: Runs, others: _Others) -> list[int]:
    """Where the texts of blocks stand: most are those of their only run."""
    texts, places, first = page.tree.texts, runs.places, len(page.tree.strings)
    found = []
    for block in page.blocks:
        span, text = block.span, block.text
        place = places[span.start] if span.stop == span.start + 1 else SPACE
        found.append(first + place if place >= 0 and texts[place] == text else others[text])
    return found


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
        text = data[len(data) - text_size :].decode("utf-8", "surrogatepass")
        return _page(numbers.astype(np.int32), text, was_read_by)
    except (IndexError, TypeError, ValueError) as error:
        raise BrokenPage("altered") from error


def _expect(holds: bool | np.bool) -> None:
    """Raises ValueError where what holds for every page does not."""
    if not holds:
        raise ValueError


def _page(numbers: Ids, text: str, read_by: bytes) -> Page:
    """The page of these numbers and texts. Raises IndexError, TypeError or ValueError where there is none."""
    counts = _Counts(*numbers[: len(_Counts._fields)].tolist())
    ends = list(accumulate(counts.sizes(), initial=len(_Counts._fields)))
    _expect(ends[-1] == len(numbers))
    lengths, *parts, declared = map(numbers.__getitem__, map(slice, ends, ends[1:]))
    all_texts = _split(text, lengths.tolist())
    _expect(len(all_texts) == counts.strings + counts.texts + counts.others)
    marks, verdicts, parted, gaps, attributes, texts, runs = (part.reshape(2, -1) for part in parts[:7])
    elements, blocks, links = (part.reshape(4, -1) for part in parts[7:])
    tree = _tree(all_texts, counts, elements, attributes, texts)
    own_marks = _marks(marks, counts)
    words = iter([all_texts[place] for place in declared.tolist()])
    url, title, base, canonical_url = islice(words, 4)
    return Page(
        url=url,
        tree=tree,
        blocks=_blocks(all_texts, counts, blocks, _runs_of(tree, counts, runs)),
        links=_links(all_texts, counts, links),
        title=title,
        base=base,
        canonical_url=canonical_url if counts.has_canonical_url else None,
        robots=frozenset(islice(words, counts.robots)),
        robots_metas=[(next(words), next(words)) for _ in range(counts.metas)],
        follow=list(islice(words, counts.follow)),
        truncated=bool(counts.truncated),
        unhidden=bool(counts.unhidden),
        marks=own_marks,
        met=frozenset(words),
        verdicts=_marks(verdicts, counts) if counts.has_verdicts else own_marks,
        parted=_gaps(all_texts, counts, parted, gaps),
        read_by=read_by,
    )


def _split(text: str, lengths: list[int]) -> list[str]:
    """The texts that were joined: of these lengths, or by the separator where there are none."""
    if not lengths:
        return text.split(_SEPARATOR)
    ends = list(accumulate(lengths, initial=0))
    _expect(ends[-1] == len(text))
    return [text[start:end] for start, end in pairwise(ends)]


def _below(bound: int, numbers: Ids) -> Ids:
    """Numbers all of which are less than a bound."""
    _expect(not len(numbers) or int(_largest(numbers)) < bound)
    return numbers


def _tree(all_texts: list[str], counts: _Counts, elements: Ids, attributes: Ids, texts: Ids) -> Tree:
    strings, count = counts.strings, counts.elements
    nodes = np.arange(count + 1, dtype=np.int32)
    tag, above, inside, of_element = elements
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(of_element, out=starts[1:])
    _expect(count > 0 and int(starts[-1]) == counts.attributes)
    # One more, which lies in nothing and begins behind all others.
    parent = np.full(count + 1, -1, np.int32)
    np.subtract(nodes[:-1], above, out=parent[:-1])
    last = nodes[:-1] + _below(count, inside)
    _check_elements(nodes[:-1], parent[:-1], last)
    holder, before = texts[0], np.cumsum(texts[1])
    if len(holder):
        _expect(int(before[0]) > 0 and int(before[-1]) <= count)
        _check_texts(parent, last, _below(count, holder), before, texts[1])
    name, value = _below(strings, attributes.reshape(-1)).reshape(2, -1)
    return Tree(
        strings=all_texts[:strings],
        tag=_below(strings, tag),
        parent=parent[:-1],
        last=last,
        starts=starts.astype(np.int32),
        name=name,
        value=value,
        texts=all_texts[strings : strings + counts.texts],
        holder=holder,
        before=before.astype(np.int32),
    )


def _check_elements(nodes: Ids, parent: Ids, last: Ids) -> None:
    """Raises ValueError where elements do not lie in each other as those of a tree do.

    Each ends where the one around it ends, or before that; and it lies in one more than its parent lies in,
    so that none overlaps another.
    """
    above = parent[1:]
    _expect(parent[0] == -1 and last[0] == nodes[-1])
    if not len(above):
        return
    _expect(int(_least(above)) >= 0 and _none(above >= nodes[1:]) and _none(last[1:] > last[above]))
    # All that began before an element, but those that have ended.
    depth = nodes[1:] - np.cumsum(np.bincount(last, minlength=len(nodes)))[:-1]
    _expect(depth[0] == 1 and _none(depth != np.concatenate(([0], depth))[above] + 1))


def _check_texts(parent: Ids, last: Ids, holder: Ids, before: NDArray[np.int64], begun: Ids) -> None:
    """Raises ValueError where texts do not stand in elements that are open when they come."""
    wrong = holder >= before
    wrong |= last[holder] < before - 1
    # What is open behind a text is what lies around it.
    wrong |= holder < parent[before]
    wrong[1:] |= (begun[1:] == 0) & (holder[1:] > holder[:-1])
    _expect(_none(wrong))


def _none(wrong: NDArray[np.bool]) -> bool:
    return not np.count_nonzero(wrong)


def _runs_of(tree: Tree, counts: _Counts, runs: Ids) -> Runs:
    places, holders = _below(counts.texts - SPACE, runs[0]) + SPACE, _below(counts.elements, runs[1])
    return Runs([*tree.texts, " ", "", "\n"], places.tolist(), holders.tolist())


def _slices(counts: list[int], of: int) -> Iterator[slice]:
    """Slices of so many each, one behind the other, and of so many in all."""
    ends = list(accumulate(counts, initial=0))
    _expect(ends[-1] == of)
    return map(slice, ends, ends[1:])


def _blocks(all_texts: list[str], counts: _Counts, blocks: Ids, runs: Runs) -> list[Block]:
    _below(counts.elements, blocks[1])
    texts, nodes, of_runs, of_links = blocks.tolist()
    return list(
        map(
            Block,
            map(all_texts.__getitem__, texts),
            nodes,
            _slices(of_links, counts.links),
            _slices(of_runs, counts.runs),
            repeat(runs),
        )
    )


def _links(all_texts: list[str], counts: _Counts, links: Ids) -> list[Link]:
    _below(counts.blocks, links[3])
    urls, texts, nofollow, blocks = links.tolist()
    text_of = all_texts.__getitem__
    return list(
        map(_LINK, zip(map(text_of, urls), map(text_of, texts), map(bool, nofollow), blocks, strict=True))
    )


def _marks(marks: Ids, counts: _Counts) -> dict[int, Forced]:
    nodes, kinds = _below(counts.elements, marks[0]).tolist(), marks[1].tolist()
    return dict(zip(nodes, map(_MARKS.__getitem__, kinds), strict=True))


def _gaps(all_texts: list[str], counts: _Counts, parted: Ids, gaps: Ids) -> dict[int, list[Run]]:
    positions, lengths = _below(counts.blocks, parted[0]).tolist(), parted[1].tolist()
    texts, holders = gaps[0].tolist(), _below(counts.elements, gaps[1]).tolist()
    runs = list(zip(map(all_texts.__getitem__, texts), holders, strict=True))
    return dict(zip(positions, map(runs.__getitem__, _slices(lengths, counts.gaps)), strict=True))
