"""Pages that carry several documents: an article, and whole other articles after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.text.words import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.containers import Containers
    from pagelets.page import Page
    from pagelets.tree import Tree

_FEW: Final = 500
"""Characters. Parts of a page that are shorter are its sections, not documents."""
_MOST: Final = 0.6
_LEAST: Final = 0.4
"""Shares of a heading's words that the page's title has: the heading is the title's, and is not."""
_SOME: Final = 0.25
"""The least share of a first heading that the title's is in other words: no other has half of its share."""
_H1: Final = {"h1": 1}
_HEADINGS: Final = 50
"""So many of a page's h1 elements are looked at: a hostile page has thousands."""


def other_documents(page: Page, containers: Containers) -> NDArray[np.bool_]:
    """Marks the blocks of further documents: bool[number of blocks].

    A page has further documents if a sibling of the container around its own title, of the same tag and
    class, has an ``h1`` of its own that the page's title does not name. News sites load the next articles
    so, each to be shown under an address of its own.
    """
    others = np.zeros(len(page.blocks), bool)
    if len(page.tree.of_tag("h1")) < 2:
        return others
    marked = np.flatnonzero(containers.numbered(_H1)[containers.of_block])
    headings = [place for place in marked.tolist() if page.blocks[place].text]
    if not 2 <= len(headings) <= _HEADINGS or not page.title:
        return others
    title = set(words(page.title))
    shares = [_share(page.blocks[place].text, title) for place in headings]
    in_other_words = shares[0] >= max(_SOME, 2 * max(shares[1:]))
    main = next(
        (index for index, share in enumerate(shares) if share >= _MOST), 0 if in_other_words else None
    )
    if main is None:
        return others
    chars = np.cumsum([0, *(len(block.text) for block in page.blocks)])
    line = _line(int(containers.of_block[headings[main]]), containers)
    for index in range(main + 1, len(headings)):
        if shares[index] > _LEAST:
            continue
        place, child = int(containers.of_block[headings[index]]), 0
        while place not in line:
            child, place = place, int(containers.parent[place])
        sibling = line[place]
        if child == 0 or sibling == 0:
            continue
        if not _alike(page.tree, int(containers.nodes[child]), int(containers.nodes[sibling])):
            continue
        spans = [(containers.start[part], containers.stop[part]) for part in (sibling, child)]
        if all(chars[stop] - chars[start] >= _FEW for start, stop in spans):
            others[spans[1][0] : spans[1][1]] = True
    return others


def _share(text: str, title: set[str]) -> float:
    heading_words = words(text[:_FEW])
    return sum(word in title for word in heading_words) / len(heading_words) if heading_words else 0.0


def _line(place: int, containers: Containers) -> dict[int, int]:
    """The containers around one, each with its child on the way down to it; 0 for that one itself."""
    line = {place: 0}
    while place:
        above = int(containers.parent[place])
        line[above] = place
        place = above
    return line


def _alike(tree: Tree, node: int, other: int) -> bool:
    if tree.tags[node] != tree.tags[other]:
        return False
    names, others = (set((tree.get(part, "class") or "").split()) for part in (node, other))
    # Without a class, most siblings are alike.
    return bool(names and others) and (names <= others or others <= names)
