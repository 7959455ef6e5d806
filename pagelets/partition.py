"""The k-link partition of a page into pagelets.

Bar-Yossef & Rajagopalan, "Template Detection via Data Mining and its Applications", WWW 2002, Section 3.1,
Definition 2 and Figure 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.page import Block, Page

DEFAULT_K: Final = 3

_DIGIT: Final = re.compile(r"\d")


@dataclass(slots=True, frozen=True)
class Pagelet:
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
    region = _Regions(_split_elements(page.root, k))
    pagelets: list[Pagelet] = []
    start, owner, anonymous = 0, None, False
    for position, block in enumerate(page.blocks):
        element = region.of(block.element)
        loose = element is None
        if element is None:
            element = region.of_run(block)
            loose = element is block.element
        if position and (loose or anonymous or element is not owner):
            pagelets.append(Pagelet(start, position, region.path(owner), anonymous))
            start = position
        owner, anonymous = element, loose
    if page.blocks:
        pagelets.append(Pagelet(start, len(page.blocks), region.path(owner), anonymous))
    return pagelets


def _split_elements(root: HtmlElement, k: int) -> set[HtmlElement]:
    """The elements that Figure 3 splits: those with a child in whose subtree lie at least k links."""
    links: dict[HtmlElement, int] = {}
    split: set[HtmlElement] = set()
    for anchor in root.iter("a"):
        if anchor.get("href") is None:
            continue
        element = cast("HtmlElement | None", anchor)
        while element is not None:
            count = links.get(element, 0) + 1
            if count > k:
                # This one and all above it have their k links already.
                break
            links[element] = count
            parent = element.getparent()
            if count == k and parent is not None:
                split.add(parent)
            element = parent
    return split


class _Regions:
    """Finds the pagelet that a block lies in, by climbing; remembers what it has climbed."""

    def __init__(self, split: set[HtmlElement]) -> None:
        self.split = split
        self.regions: dict[HtmlElement, HtmlElement | None] = {}
        self.paths: dict[HtmlElement, str] = {}

    def of(self, element: HtmlElement) -> HtmlElement | None:
        """The pagelet's element around ``element``, None where that is itself split."""
        known = self.regions
        climbed: list[HtmlElement] = []
        found: HtmlElement | None = element
        while True:
            if element in known:
                found = known[element]
                if found is None:
                    found = climbed[-1] if climbed else None
                break
            if element in self.split:
                known[element] = None
                found = climbed[-1] if climbed else None
                break
            climbed.append(element)
            parent = element.getparent()
            if parent is None:
                found = element
                break
            element = parent
        for below in climbed:
            known[below] = found
        return found

    def of_run(self, block: Block) -> HtmlElement:
        """The pagelet of a run that lies directly in a split element: the one child that holds all of it."""
        owners = {self.of(holder) for text, holder in block.runs if text and not text.isspace()}
        owner = owners.pop() if len(owners) == 1 else None
        return block.element if owner is None else owner

    def path(self, element: HtmlElement | None) -> str:
        """Tags with ids and classes from the root to ``element``."""
        missing: list[HtmlElement] = []
        while element is not None and element not in self.paths:
            missing.append(element)
            element = element.getparent()
        path = "" if element is None else self.paths[element]
        for below in reversed(missing):
            step = _step(below.tag, below.get("id"), below.get("class"))
            path = f"{path}/{step}" if path else step
            self.paths[below] = path
        return path


@lru_cache(maxsize=1 << 14)
def _step(tag: str, identifier: str | None, classes: str | None) -> str:
    """One step of a path. Names with digits (post-1234) tell pages apart, not places: they are left out."""
    if identifier and not _DIGIT.search(identifier) and not identifier.isspace():
        return f"{tag}#{identifier.strip()}"
    names = [name for name in (classes or "").split() if not _DIGIT.search(name)]
    return ".".join([tag, *names[:2]])
