"""The structure of a site: classes of pages, the links between them, its template graph; and a picture of it.

The picture is SVG: a box a class, and arrows for the links between them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING, Any, Final

from inspection.svg import drawn
from pagelets.judging.decisions import sketch_name
from store.structure import Structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store.site import Store

MOST_CLASSES: Final = 11
"""So many classes have a box, those of most pages; the others share one."""
MOST_ARROWS: Final = 12
"""So many arrows are drawn on either side, those of most links."""
TOP, ROW, BOX = 92, 62, 44
LEFT, RIGHT = 210, 750
_REACH: Final = 150
"""How far the longest arrow goes out from the boxes."""


@dataclass(slots=True, frozen=True)
class PageClass:
    """Pages that are built alike: what their addresses have in common (``pattern``), and a typical one."""

    number: int
    pages: int
    pattern: str
    sample_url: str
    title: str


@dataclass(slots=True, frozen=True)
class ClassLink:
    """The links from pages of one class to pages of another: those that templates hold, or the others.
    ``pages`` of the first class have such a link.
    """

    source: int
    target: int
    template: bool
    links: int
    pages: int


@dataclass(slots=True, frozen=True)
class OnClass:
    """On so many pages of a class."""

    number: int
    pages: int


@dataclass(slots=True, frozen=True)
class LinkedUrl:
    """A page that is linked to, from so many pages."""

    url: str
    pages: int


@dataclass(slots=True, frozen=True)
class TemplateNode:
    """A template of the template graph: the classes that it stands on, and the pages that it links to."""

    id: int
    name: str
    classes: list[OnClass]
    links: list[LinkedUrl]


@dataclass(slots=True, frozen=True)
class SiteStructure:
    """The classes of a site's pages, those of most pages first, the links between them, and its templates."""

    site: str
    classes: list[PageClass]
    class_links: list[ClassLink]
    templates: list[TemplateNode]


def page_classes(store: Store) -> list[PageClass]:
    """Returns the classes of a site's pages alone. Raises StoreHalfDerived."""
    store.derivation.check()
    return _classes(store, Structure(store.connection))


def classes_of_pages(store: Store) -> tuple[list[PageClass], dict[int, int]]:
    """Returns the classes of a site's pages, and of each page the number of its class.

    Raises StoreHalfDerived.
    """
    store.derivation.check()
    structure = Structure(store.connection)
    return _classes(store, structure), {page: number for page, number, *_ in structure.page_classes()}


def site_structure(store: Store) -> SiteStructure:
    """The structure of a site, of its pages that have a document. Raises StoreHalfDerived."""
    store.derivation.check()
    structure = Structure(store.connection)
    classes = _classes(store, structure)
    links = [
        ClassLink(source, target, bool(template), count, pages)
        for source, target, template, count, pages in structure.class_links()
    ]
    standing, linked = defaultdict[int, list[OnClass]](list), defaultdict[int, list[LinkedUrl]](list)
    for template, number, pages in structure.template_classes():
        standing[template].append(OnClass(number, pages))
    for template, target, pages in structure.template_links():
        linked[template].append(LinkedUrl(store.frontier.url(target), pages))
    templates = [
        TemplateNode(row.template, sketch_name(row.sketch), standing[row.template], linked[row.template])
        for row in store.templates.all()
        if row.template in standing
    ]
    return SiteStructure(store.name, classes, links, templates)


def _classes(store: Store, structure: Structure) -> list[PageClass]:
    return [
        PageClass(row.number, row.pages, row.pattern, *store.pages.named(row.sample_page))
        for row in structure.classes()
    ]


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
        [_drawn(*arrow, len(boxes), edge, outward) for arrow in arrows[:MOST_ARROWS]]
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


def _arrows(structure: SiteStructure, *, templates: bool) -> list[tuple[tuple[int, int], int]]:
    """The arrows of one side, those of most links first: from row, to row, and for how many links. The
    classes without a box are joined in the last row.
    """
    rows = {page_class.number: min(row, MOST_CLASSES) for row, page_class in enumerate(structure.classes)}
    counts = Counter[tuple[int, int]]()
    for link in structure.class_links:
        if link.template == templates:
            counts[rows[link.source], rows[link.target]] += link.links
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _drawn(ends: tuple[int, int], links: int, rows: int, edge: int, outward: int) -> dict[str, Any]:
    """An arrow, which leaves a box below its middle and comes to one above, and its number of links."""
    start, stop = (TOP + ROW * row + BOX / 2 + side for row, side in zip(ends, (9, -9), strict=True))
    far = 40 + (_REACH - 40) * abs(ends[0] - ends[1]) / max(1, rows - 1)
    # A curve comes three quarters of the way to where its handles are.
    handle = edge + outward * far / 0.75
    return {
        "path": f"M{edge} {start:.1f}C{handle:.1f} {start:.1f} {handle:.1f} {stop:.1f} {edge} {stop:.1f}",
        "thickness": 1 + 0.6 * log10(links),
        "x": edge + outward * (far + 4),
        "y": (start + stop) / 2 + (4 if ends[0] == ends[1] else -2 if start < stop else 10),
        "links": f"{links:,}",
    }


def _many(count: int, what: str) -> str:
    several = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count:,} {what if count == 1 else several}"
