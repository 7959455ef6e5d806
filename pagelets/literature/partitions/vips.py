"""VIPS: a page is cut into the blocks that a reader sees, by the boxes, fonts and colours of its elements.

Cai, Yu, Wen & Ma, "VIPS: a Vision-based Page Segmentation Algorithm", Microsoft Research, MSR-TR-2003-79.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.containers import Containers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.literature.partitions.boxes import Boxes, Floats
    from pagelets.page import Page

_SMALL: Final = 0.1
"""The share of the page's area below which an element need not be divided."""
_COHERENT: Final = 8.0
_LOOSE: Final = 5.0
"""The degrees of coherence of small elements that are not divided, from the smallest to the largest."""

_BORDER: Final = 4.0
"""What another background or a place beside each other weighs; a line of distance or another font is 1."""

COHERENCE: Final = 6.0
"""PDoC, the permitted degree of coherence, from 1 to 10: the higher, the smaller the blocks."""


def seen_slices(page: Page, boxes: Boxes, coherence: float = COHERENCE) -> list[tuple[int, int]]:
    """Finds the blocks that a reader sees, as slices of the blocks of a page.

    Visual block extraction divides elements from the root down: the body, one with a single child, one whose
    children reach beyond it or have another background, one that is large. Neighbours are then joined where
    what separates them weighs little: their distance in lines, another font, a larger one below, another
    background, a place beside each other. No text of the report was at hand: the numbers are this project's,
    and so is that neighbours in document order are joined once, in the place of a hierarchy that is built
    round by round. Linear in the page's size.

    Args:
        page: the page.
        boxes: the boxes that a browser noted on its elements.
        coherence: the permitted degree of coherence: an element that reaches it is not divided.

    """
    if not page.blocks:
        return []
    containers = Containers.of(page)
    owners = _owners(containers, boxes, coherence)
    starts = np.concatenate([[0], np.flatnonzero(owners[1:] != owners[:-1]) + 1])
    nodes = np.fromiter([block.node for block in page.blocks], np.int64, len(page.blocks))
    apart = _separation(nodes, boxes)[starts[1:] - 1] >= 10 - coherence
    bounds = [0, *starts[1:][apart].tolist(), len(page.blocks)]
    return list(pairwise(bounds))


def _owners(containers: Containers, boxes: Boxes, coherence: float) -> NDArray[np.int64]:
    """The topmost element around each block that is not divided; of a block in none the element it is in."""
    size, parent = len(containers.nodes), containers.parent
    area = boxes.area[containers.nodes]
    colour = boxes.colour[containers.nodes]
    around, areas = parent[1:], area[1:]
    children = np.bincount(around, minlength=size)
    loose = np.bincount(containers.of_block, minlength=size)
    covered = np.bincount(around, areas, size)
    largest = np.zeros(size)
    np.maximum.at(largest, around, areas)
    other = np.bincount(around, colour[1:] != colour[around], size) > 0
    whole = max(float(area.max()), 1.0)
    small = np.where(loose > 0, area, largest) / whole
    degree = _COHERENT - (_COHERENT - _LOOSE) * np.minimum(small / _SMALL, 1)
    stays = (small < _SMALL) & (degree >= coherence)
    is_page = containers.numbered({"html": 1, "body": 1}) == 1
    divided = ((children == 1) & (loose == 0)) | (covered > area) | other | ~stays | is_page
    divided &= children > 0
    topmost = np.where(divided, -1, np.arange(size)).tolist()
    for place, above in enumerate(parent.tolist()):
        if topmost[above] >= 0:
            topmost[place] = topmost[above]
    owners = np.array(topmost)[containers.of_block]
    return np.where(owners < 0, size + containers.of_block, owners)


def _separation(nodes: NDArray[np.int64], boxes: Boxes) -> Floats:
    """Weighs the separators between b blocks, given their elements: float64[b - 1]."""
    above, below = nodes[:-1], nodes[1:]
    line = np.maximum(np.minimum(boxes.size[above], boxes.size[below]), 1)
    down = boxes.top[below] - (boxes.top[above] + boxes.height[above])
    right = boxes.left[below] - (boxes.left[above] + boxes.width[above])
    beside = (down < 0) & ((right >= 0) | (boxes.left[below] + boxes.width[below] <= boxes.left[above]))
    distance = np.where(beside, np.maximum(right, 0), np.maximum(down, 0)) / line
    larger = boxes.size[below] > boxes.size[above]
    other = (boxes.size[below] != boxes.size[above]) | (boxes.weight[below] != boxes.weight[above])
    colours = boxes.colour[below] != boxes.colour[above]
    weights: Floats = distance + 1.0 * other + 1.0 * larger + _BORDER * (colours | beside)
    return weights
