"""The k-link partition of a page into pagelets.

Bar-Yossef & Rajagopalan, "Template Detection via Data Mining and its Applications", WWW 2002, Section 3.1,
Definition 2 and Figure 3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.page import Block, Page

DEFAULT_K: Final = 3

_DIGIT: Final = re.compile(r"\d")
_LONG_NAME: Final = 100
_LONG_PATH: Final = 1000
"""Characters. A hostile page has names of megabytes, thousands of levels, and many pagelets below them."""


class Pagelet(NamedTuple):
    """The blocks ``[start, stop)`` of a page that make one region of it.

    ``path`` leads from the root to the pagelet's element, as tags with ids and classes. ``anonymous`` tells
    text that stands between the children of a split element, and inline runs: the paper gives it no pagelet.
    """

    start: int
    stop: int
    path: str
    anonymous: bool


def partition(page: Page, k: int = DEFAULT_K) -> list[Pagelet]:
    """Cuts a page into pagelets by Definition 2 (Figure 3): the topmost elements with no child of k links.

    Returns the pagelets in document order; their slices cover ``page.blocks`` exactly, without overlap. What
    the definition leaves out (text directly in a split element, inline runs across several of its children)
    becomes anonymous pagelets of one block each. An element without text and links has no pagelet.

    Raises ValueError where ``k`` is less than 1.
    """
    if k < 1:
        raise ValueError(f"k = {k}: a pagelet takes at least 1 link")
    regions = _Regions(_split_elements(page.root, k))
    pagelets: list[Pagelet] = []
    start, owner, anonymous = 0, page.root, False
    for position, block in enumerate(page.blocks):
        element = regions.of(block.element)
        loose = element is None
        if element is None:
            element = regions.of_run(block)
            loose = element is block.element
        if position and (loose or anonymous or element is not owner):
            pagelets.append(Pagelet(start, position, regions.path(owner), anonymous))
            start = position
        owner, anonymous = element, loose
    if page.blocks:
        pagelets.append(Pagelet(start, len(page.blocks), regions.path(owner), anonymous))
    return pagelets


def _split_elements(root: HtmlElement, k: int) -> set[HtmlElement]:
    """The elements that Figure 3 splits: those with a child in whose subtree lie at least k links."""
    links: dict[HtmlElement, int] = {}
    full: list[HtmlElement] = []
    for anchor in root.iter("a"):
        if anchor.get("href") is None:
            continue
        element: HtmlElement | None = anchor
        while element is not None:
            links[element] = count = links.get(element, 0) + 1
            if count >= k:
                if count > k:
                    # This one and all above it have their k links already.
                    break
                full.append(element)
            element = element.getparent()
    return {parent for element in full if (parent := element.getparent()) is not None}


class _Regions:
    """Finds the pagelet that a block lies in, by climbing; remembers what it has climbed."""

    def __init__(self, split: set[HtmlElement]) -> None:
        self.regions: dict[HtmlElement, HtmlElement | None] = dict.fromkeys(split)
        self.paths: dict[HtmlElement, str] = {}

    def of(self, element: HtmlElement) -> HtmlElement | None:
        """The pagelet's element around ``element``, None where that is itself split."""
        regions = self.regions
        if element in regions:
            return regions[element]
        climbed = [element]
        above = element.getparent()
        while above is not None and above not in regions:
            climbed.append(above)
            above = above.getparent()
        found = None if above is None else regions[above]
        if found is None:
            found = climbed[-1]
        for below in climbed:
            regions[below] = found
        return found

    def of_run(self, block: Block) -> HtmlElement:
        """The pagelet of a run that lies directly in a split element: the one child that holds all of it."""
        owners = {self.of(holder) for text, holder in block.runs if not text.isspace()}
        owner = owners.pop() if len(owners) == 1 else None
        return block.element if owner is None else owner

    def path(self, element: HtmlElement) -> str:
        """Tags with ids and classes from the root to ``element``; a long path ends before it."""
        path = self.paths.get(element)
        if path is not None:
            return path
        # Without recursion: a hostile page nests deeper than Python calls.
        missing = [element]
        above = element.getparent()
        while above is not None and above not in self.paths:
            missing.append(above)
            above = above.getparent()
        path = "" if above is None else self.paths[above]
        for below in reversed(missing):
            if len(path) < _LONG_PATH:
                step = element_step(below)
                path = f"{path}/{step}" if path else step
            self.paths[below] = path
        return path


def element_step(element: HtmlElement) -> str:
    """One step of a path: the element's tag with its id, or with its first classes."""
    get = element.get
    return _step(element.tag[:_LONG_NAME], get("id", "")[:_LONG_NAME], get("class", "")[:_LONG_NAME])


@lru_cache(maxsize=1 << 14)
def _step(tag: str, identifier: str, classes: str) -> str:
    """One step of a path. Names with digits (post-1234) tell pages apart, not places: they are left out."""
    identifier = identifier.strip()
    if identifier and not _DIGIT.search(identifier):
        return f"{tag}#{identifier}"
    names = [name for name in classes.split() if not _DIGIT.search(name)]
    return ".".join([tag, *names[:2]])
