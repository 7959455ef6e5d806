from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pagelets.judging.decisions import sketch_name
from pagelets.judging.parameters import Detection
from release.detection import Detector
from store.links import read_links
from tests.store.sites import Pagelet, add, begin, record, url

if TYPE_CHECKING:
    from store.site import Store

MENU = Pagelet("home news about", ("p0", "p1"), "html/body/nav")


def linked(store: Store) -> set[tuple[str, str, bool]]:
    """The links between pages: from, to, whether a template holds them."""
    found = read_links(store.connection)
    names = [store.pages.named(page)[0] for page in found.page.tolist()]
    links = found.links
    return {
        (names[links.owner[pagelet]], names[target], bool(links.template[pagelet]))
        for pagelet, target in zip(links.pagelet.tolist(), links.target.tolist(), strict=True)
    }


def test_links_of_fragments_are_links_of_each_page_that_has_them(store: Store) -> None:
    run = begin(store)
    for number in range(4):
        record(store, f"p{number}", [MENU, Pagelet(f"text of {number}", (f"p{(number + 1) % 4}",))], run)
    detector = Detector(Detection(min_pages=2, min_share=0))
    detector.save(store, detector.find(store), run)
    menu = {(url(f"p{number}"), url(target), True) for number in range(4) for target in ("p0", "p1")}
    own = {(url(f"p{number}"), url(f"p{(number + 1) % 4}"), False) for number in range(4)}
    assert linked(store) == menu | own

    name = sketch_name(next(one.sketch for one in store.templates.all()))
    with store.transaction():
        store.decisions.apply([], [name])
    assert not any(template for _, _, template in linked(store))


def test_a_link_leads_where_its_target_has_moved_to(store: Store) -> None:
    run = begin(store)
    record(store, "p0", [Pagelet("a list", ("old", "gone", "round"))], run)
    end = record(store, "p1", [Pagelet("the text")], run)
    old, older, one, other = (add(store, name) for name in ("old", "older", "round", "round2"))
    with store.transaction():
        for page, target in ((old, older), (older, end), (one, other), (other, one)):
            store.outcomes.settle(page, "redirected", run, target=target)
    assert linked(store) == {(url("p0"), url("p1"), False)}


def test_anchors_are_those_of_the_links(store: Store) -> None:
    record(store, "p0", [Pagelet("one", ("p1",)), Pagelet("two", ("outside", "p0"))], begin(store))
    record(store, "p1", [Pagelet("one", ("p1",))])
    assert read_links(store.connection).anchors == []
    found = read_links(store.connection, anchors=True)
    # Links of these tests have their target for a text.
    said = [found.anchors[place] for place in found.anchor.tolist()]
    assert sorted(said) == ["p0", "p1", "p1"]


def test_a_store_without_pages_has_no_links(store: Store) -> None:
    found = read_links(store.connection)
    assert (found.links.pages, len(found.links.target)) == (0, 0)
    assert found.links.pagelet.dtype == np.int64
