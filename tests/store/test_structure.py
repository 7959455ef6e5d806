from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pagelets.judging.parameters import Detection
from release.detection import Detector
from store.structure import MOST_PATHS, Structure, read_classes
from tests.store.sites import Pagelet, begin, in_memory, record, url

if TYPE_CHECKING:
    from store.site import Store

MENU = Pagelet("home news about", ("list", "article0"), "html/body/nav")


def article(number: int) -> list[Pagelet]:
    more = [Pagelet(f"note {number}", (), "html/body/main/aside")] * (number % 2)
    text = Pagelet(f"text of article {number}", (f"article{number + 1}",), f"html/body/main#a{number}/p")
    return [MENU, text, Pagelet(f"by {number}", (), f"html/body/main#b{number}/h1"), *more]


def listing(number: int) -> list[Pagelet]:
    links = tuple(f"article{each}" for each in range(number, number + 3))
    return [MENU, Pagelet(f"list {number}", links, f"html/body/div#list{number}/ul"),
            Pagelet(f"{number} on", ("list",), "html/body/div/form")]  # fmt: skip


PAGES = {
    **{f"article{number}": article(number) for number in range(7)},
    "list": listing(0),
    **{f"list{number}": listing(number) for number in (1, 2)},
}


def recorded(store: Store, names: list[str]) -> Store:
    run = begin(store)
    for name in names:
        record(store, name, PAGES[name], run)
    detector = Detector(Detection(min_pages=2, min_share=0.5))
    detector.save(store, detector.find(store), run)
    return store


def classes(store: Store) -> dict[str, int]:
    found = read_classes(store.connection)
    return {
        store.frontier.url(page): of for page, of in zip(found.page.tolist(), found.of.tolist(), strict=True)
    }


@pytest.mark.parametrize("names", [list(PAGES), list(reversed(PAGES))])
def test_pages_that_are_built_alike_are_a_class_whatever_their_order_and_ids(
    store: Store, names: list[str]
) -> None:
    recorded(store, names)
    assert classes(store) == {url(name): 1 if name.startswith("article") else 2 for name in PAGES}
    rows = list(Structure(store.connection).classes())
    assert [(row.number, row.pages, row.pattern) for row in rows] == [
        (1, 7, url("article*")),
        (2, 3, url("list*")),
    ]
    assert [store.frontier.url(row.sample_page) for row in rows] == [url("article0"), url("list")]


def test_links_between_classes_are_counted_with_those_of_templates_apart(store: Store) -> None:
    recorded(store, list(PAGES))
    assert list(Structure(store.connection).class_links()) == [
        (1, 1, False, 6, 6),
        (1, 1, True, 6, 6),
        (1, 2, True, 7, 7),
        (2, 1, False, 9, 3),
        (2, 1, True, 3, 3),
        (2, 2, False, 2, 2),
        (2, 2, True, 2, 2),
    ]


def test_the_template_graph_tells_where_templates_stand_and_what_they_link_to(store: Store) -> None:
    recorded(store, list(PAGES))
    structure, (template,) = Structure(store.connection), store.templates.all()
    assert list(structure.template_classes()) == [(template.template, 1, 7), (template.template, 2, 3)]
    links = [(one, store.frontier.url(page), pages) for one, page, pages in structure.template_links()]
    assert sorted(links) == [
        (template.template, url("article0"), 9),
        (template.template, url("list"), 9),
    ]


@pytest.mark.parametrize("names", [[], ["list"]])
def test_a_store_without_pages_or_of_one(store: Store, names: list[str]) -> None:
    for name in names:
        record(store, name, PAGES[name], begin(store))
    structure = Structure(store.connection)
    assert [row.pages for row in structure.classes()] == [1] * len(names)
    assert len(list(structure.page_classes())) == len(names)
    for rows in (structure.class_links(), structure.template_classes(), structure.template_links()):
        assert list(rows) == []


def test_a_page_without_pagelets_has_a_class_and_one_with_many_is_bounded() -> None:
    store = in_memory()
    run = begin(store)
    record(store, "empty", [], run)
    for name in ("one", "other"):
        paths = [Pagelet(f"{name} {number}", (), f"html/x{number}") for number in range(MOST_PATHS + 40)]
        record(store, name, paths, run)
    assert classes(store) == {url("empty"): 2, url("one"): 1, url("other"): 1}
