"""The structure of a site: the classes of its pages, the links between them, and its template graph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelets.judging.decisions import sketch_name
from store.structure import Structure

if TYPE_CHECKING:
    from store.site import Store


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
