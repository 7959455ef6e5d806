"""The classes of a site's pages as a picture: SVG, a box a class, and arrows for the links between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any, Final

from inspection.svg import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspection.structure import SiteStructure

MOST_CLASSES: Final = 11
"""So many classes have a box, those of most pages; the others share one."""
MOST_ARROWS: Final = 12
"""So many arrows are drawn on either side, those of most links."""
TOP, ROW, BOX = 92, 62, 44
LEFT, RIGHT = 210, 750
_REACH: Final = 150
"""How far the longest arrow goes out from the boxes."""


@dataclass(slots=True, frozen=True)
class _Arrow:
    """From row, to row, and for how many links."""

    source: int
    target: int
    links: int


def structure_svg(structure: SiteStructure) -> str:
    """The picture of a site's classes, each with its number of pages, what their addresses have in common and
    the title of one of them. Links of templates are at the left, the others at the right. Its size is
    bounded, however many classes there are.
    """
    boxes = list(_boxes(structure))
    pages = sum(page_class.pages for page_class in structure.classes)
    sides = [_arrows(structure, templates=templates) for templates in (True, False)]
    left_out = sum(max(0, len(arrows) - MOST_ARROWS) for arrows in sides)
    of_templates, others = (
        [_drawn(arrow, len(boxes), edge, outward) for arrow in arrows[:MOST_ARROWS]]
        for arrows, edge, outward in zip(sides, (LEFT, RIGHT), (-1, 1), strict=True)
    )
    return drawn(
        "classes.svg.j2",
        TOP + ROW * len(boxes) + 16,
        f"Page classes of {structure.site}",
        f"{_many(pages, 'page')} in {_many(len(structure.classes), 'class')}",
        left=LEFT,
        right=RIGHT,
        top=TOP,
        row=ROW,
        box=BOX,
        left_out=_many(left_out, "arrow") if left_out else "",
        of_templates=of_templates,
        others=others,
        boxes=boxes,
    )


def _boxes(structure: SiteStructure) -> Iterator[tuple[str, str, str]]:
    """Of each box the number of pages, and two lines: what the addresses have in common, and a title."""
    shown, others = structure.classes[:MOST_CLASSES], structure.classes[MOST_CLASSES:]
    origins = {"/".join(page_class.pattern.split("/")[:3]) for page_class in structure.classes}
    for page_class in shown:
        # What all have in common tells none from another.
        pattern = page_class.pattern if len(origins) > 1 else "/" + page_class.pattern.split("/", 3)[-1]
        yield _many(page_class.pages, "page"), pattern, page_class.title
    if others:
        yield _many(sum(page_class.pages for page_class in others), "page"), f"others ({len(others):,})", ""


def _arrows(structure: SiteStructure, *, templates: bool) -> list[_Arrow]:
    """The arrows of one side, those of most links first; the classes without a box are joined in the last."""
    rows = {page_class.number: min(row, MOST_CLASSES) for row, page_class in enumerate(structure.classes)}
    counts = Counter[tuple[int, int]]()
    for link in structure.class_links:
        if link.template == templates:
            counts[rows[link.source], rows[link.target]] += link.links
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [_Arrow(source, target, links) for (source, target), links in order]


def _drawn(arrow: _Arrow, rows: int, edge: int, outward: int) -> dict[str, Any]:
    """An arrow, which leaves a box below its middle and comes to one above, and its number of links."""
    start, stop = (TOP + ROW * row + BOX / 2 + side for row, side in ((arrow.source, 9), (arrow.target, -9)))
    far = 40 + (_REACH - 40) * abs(arrow.source - arrow.target) / max(1, rows - 1)
    # A curve comes three quarters of the way to where its handles are.
    handle = edge + outward * far / 0.75
    return {
        "path": f"M{edge} {start:.1f}C{handle:.1f} {start:.1f} {handle:.1f} {stop:.1f} {edge} {stop:.1f}",
        "thickness": 1 + 0.6 * log10(arrow.links),
        "x": edge + outward * (far + 4),
        "y": (start + stop) / 2 + (4 if arrow.source == arrow.target else -2 if start < stop else 10),
        "links": f"{arrow.links:,}",
    }


def _many(count: int, what: str) -> str:
    several = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count:,} {what if count == 1 else several}"
