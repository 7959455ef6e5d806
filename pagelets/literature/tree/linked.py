"""Elements that are mostly links: what is counted of blocks and links, and what goes when they go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.methods.base import Verdict
from pagelets.text.words import counts

if TYPE_CHECKING:
    from pagelets.containers import Containers
    from pagelets.page import Page

Floats: TypeAlias = NDArray[np.float64]

_AT_THRESHOLD: Final = 0.5


class LinkedWords(NamedTuple):
    """The words of a page of b blocks: ``words`` float64[b] of each block, ``linked`` float64[b] of them in
    links; ``of_link`` float64 of each link, ``blocks`` int64 the block of each link.
    """

    words: Floats
    linked: Floats
    of_link: Floats
    blocks: NDArray[np.int64]


def linked_words(page: Page, containers: Containers) -> LinkedWords:
    """Counts the words of a page's blocks and links; takes its containers."""
    links, size = page.links, len(page.blocks)
    word_counts = counts([*(block.text for block in page.blocks), *(link.text for link in links)])
    words, of_link = word_counts[:size], word_counts[size:]
    blocks = np.fromiter([link.block for link in links], np.int64, len(links))
    linked = np.bincount(blocks, of_link, size)[:size]
    links_around = containers.numbered({"a": 1}) == 1
    if links_around.any():
        # A link around blocks has the text of all of them, and stands in one.
        hrefs = page.tree.attribute("href")
        around = containers.mask([node for node in containers.nodes[links_around].tolist() if node in hrefs])
        linked = np.where(around, words, linked)
    return LinkedWords(words, np.minimum(linked, words), of_link, blocks)


def scores(
    containers: Containers, candidates: NDArray[np.bool_], parts: Floats, wholes: Floats, most: float
) -> Floats:
    """Returns how far each of b blocks lies from the elements that go: float64[b], below 0.5 where it goes.

    An element goes where its ``parts`` are more than ``most`` times its ``wholes`` (float64[b] each, summed
    over its blocks) and it is one of the ``candidates`` (bool[n] over the containers). Inner elements go
    first, and count no more in those around them. Linear in the number of containers.
    """
    count = len(containers.nodes)
    parent, candidate = containers.parent.tolist(), candidates.tolist()
    part = np.bincount(containers.of_block, parts, count).tolist()
    whole = np.bincount(containers.of_block, wholes, count).tolist()
    distances = [1.0] * count
    # Parents stand before their children.
    for place in range(count - 1, -1, -1):
        amount, around = part[place], parent[place]
        if candidate[place] and amount > 0:
            allowed = most * whole[place]
            distances[place] = allowed / (allowed + amount)
            if amount > allowed:
                continue
        if place:
            part[around] += amount
            whole[around] += whole[place]
    for place in range(1, count):
        distances[place] = min(distances[place], distances[parent[place]])
    return np.array(distances)[containers.of_block]


def inner(containers: Containers) -> NDArray[np.bool_]:
    """The containers but the page's root and body, with which all of the page would go: bool[n]."""
    mask: NDArray[np.bool_] = containers.numbered({"html": 1, "body": 1}) == 0
    return mask


def verdict(block_scores: Floats, reason: str) -> Verdict:
    """The verdict that scores make (float64[b]): what has less than 0.5 goes for a reason."""
    return Verdict.of(block_scores >= _AT_THRESHOLD, block_scores, reason)
