"""Ways of cutting a page into pagelets, by name: by links, into windows of words, by tags, by looks.

Besides the k-link partition of Bar-Yossef & Rajagopalan (`pagelets.partition`) the page segmentations of
Cai, Yu, Wen & Ma, "Block-based Web Search", SIGIR 2004, Section 3: FixedPS, DomPS, VIPS and CombPS. No text
of that paper was at hand: what its summaries leave open is told where it is decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagelets.partition import DEFAULT_K, Pagelet, partition, paths
from pagelets.text.words import counts
from pagelets.tree import ROOT
from pagelets.vips import seen_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pagelets.page import Page
    from pagelets.tree import Tree

LINKS: Final = "k-links"

WINDOW: Final = 200
"""Words of a window, as in the paper."""

_PARTS: Final = frozenset(
    """
    h1 h2 h3 h4 h5 h6 p table ul
    article aside blockquote dl fieldset figure footer form header main nav ol pre section
    """.split()
)
"""Elements that make a pagelet of their own: those that the paper names, and what does their work today."""


def fixed(page: Page, words: int = WINDOW) -> list[Pagelet]:
    """FixedPS: windows of at most so many words that end where a block ends.

    A longer block is a window by itself. The paper's windows overlap by half and end in the midst of a block;
    pagelets cover each block once. The path is that of the innermost element around the window. Returns the
    pagelets in document order. Linear in the page's size for pages that the parser reads, whose depth it
    bounds.
    """
    return _windows(page, [(0, len(page.blocks))] if page.blocks else [], words)


def dom(page: Page) -> list[Pagelet]:
    """DomPS: runs of blocks in the same innermost paragraph, heading, list, table or section.

    What lies in none of them is cut where one of them begins or ends. Returns the pagelets in document order.
    """
    tree = page.tree
    parts = bytearray(len(tree))
    for tag in _PARTS:
        for node in tree.of_tag(tag):
            parts[node] = 1
    parts[ROOT] = 1
    found: list[tuple[int, int, int]] = []
    start, owner = 0, ROOT
    inner: dict[int, int] = {ROOT: ROOT}
    for position, block in enumerate(page.blocks):
        node = _innermost(tree, block.node, parts, inner)
        if position and node != owner:
            found.append((start, position, owner))
            start = position
        owner = node
    if page.blocks:
        found.append((start, len(page.blocks), owner))
    return _pagelets(tree, found)


def vips(page: Page) -> list[Pagelet]:
    """VIPS: what a reader sees as a block, by the boxes that a browser has noted (`pagelets.vips`).

    A page that was not rendered is cut by `dom`. Returns the pagelets in document order.
    """
    boxes = page.boxes
    if boxes is None:
        return dom(page)
    found = [(start, stop, _around(page, start, stop)) for start, stop in seen_slices(page, boxes)]
    return _pagelets(page.tree, found)


def combps(page: Page, words: int = WINDOW) -> list[Pagelet]:
    """CombPS: what `vips` finds, in windows, as `fixed` cuts, where that has more words."""
    return _windows(page, [(one.start, one.stop) for one in vips(page)], words)


def _windows(page: Page, spans: Iterable[tuple[int, int]], words: int) -> list[Pagelet]:
    sizes = counts([block.text for block in page.blocks]).tolist()
    found = []
    for first, last in spans:
        start, total = first, 0.0
        for position in range(first, last):
            if position > start and total + sizes[position] > words:
                found.append((start, position, _around(page, start, position)))
                start, total = position, 0.0
            total += sizes[position]
        found.append((start, last, _around(page, start, last)))
    return _pagelets(page.tree, found)


def _around(page: Page, start: int, stop: int) -> int:
    """The innermost element around some blocks that follow each other."""
    blocks, last = page.blocks[start:stop], page.tree.last
    first, final = min(block.node for block in blocks), max(block.node for block in blocks)
    while last[first] < final:
        first = page.tree.parents[first]
    return first


def _innermost(tree: Tree, node: int, parts: bytearray, known: dict[int, int]) -> int:
    """The innermost part that an element is or lies in; remembers what it has climbed."""
    climbed = []
    while node not in known and not parts[node]:
        climbed.append(node)
        node = tree.parents[node]
    found = known.get(node, node)
    known.update(dict.fromkeys(climbed, found))
    return found


def _pagelets(tree: Tree, found: Iterable[tuple[int, int, int]]) -> list[Pagelet]:
    found = list(found)
    names = paths(tree, [node for _, _, node in found])
    return [Pagelet(start, stop, names[node], anonymous=False) for start, stop, node in found]


_BY_NAME: Final[Mapping[str, Callable[[Page, int], list[Pagelet]]]] = {
    LINKS: partition,
    "fixed": lambda page, _: fixed(page),
    "dom": lambda page, _: dom(page),
    "vips": lambda page, _: vips(page),
    "combps": lambda page, _: combps(page),
}

PARTITIONS: Final = tuple(_BY_NAME)
"""The names of all partitions."""

SEEN: Final = frozenset({"vips", "combps"})
"""Those that look at the boxes of a page that was rendered."""


@dataclass(slots=True, frozen=True)
class Partition:
    """A way of cutting pages: its name, and the links that make a pagelet, which `LINKS` alone asks for.

    Raises ValueError where there is none of that name, or ``k`` is less than 1.
    """

    name: str = LINKS
    k: int = DEFAULT_K

    def __post_init__(self) -> None:
        if self.name not in _BY_NAME:
            raise ValueError(f"partition={self.name!r}: there are {', '.join(PARTITIONS)}")
        if self.k < 1:
            raise ValueError(f"k={self.k}: a pagelet takes at least 1 link")

    def __call__(self, page: Page) -> list[Pagelet]:
        """The pagelets of a page, in document order: their slices cover its blocks exactly."""
        return _BY_NAME[self.name](page, self.k)

    @property
    def parameters(self) -> dict[str, Any]:
        """What pagelets depend on, as JSON takes it: equal for partitions that cut alike."""
        return {"k": self.k} if self.name == LINKS else {"partition": self.name}

    @classmethod
    def made_with(cls, parameters: Mapping[str, Any]) -> Partition:
        """The partition of `parameters`, among which may be others."""
        return cls(parameters.get("partition", LINKS), parameters.get("k", DEFAULT_K))


DEFAULT: Final = Partition()
"""The partition of those who choose none: by 3 links."""
