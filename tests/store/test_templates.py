from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pagelets.detection import PageSets, Templates
from pagelets.judging.decisions import sketch_name
from store.occurrences import template_frequency
from store.templates import DECIDED, ETDM
from tests.store.sites import Pagelet, begin, count, record

if TYPE_CHECKING:
    from store.site import Store


def found(*templates: tuple[int, set[int] | None]) -> Templates:
    """Templates as detection gives them: (sketch, pages of its component; None for everywhere)."""
    sets = [sorted(pages) for _, pages in templates if pages is not None]
    numbers = iter(range(len(sets)))
    size = len(templates)
    return Templates(
        sketch=np.array([sketch for sketch, _ in templates], np.int64),
        pages=np.full(size, 3, np.int32),
        share=np.full(size, 0.5),
        group=np.array([-1 if pages is None else next(numbers) for _, pages in templates], np.int32),
        sample_page=np.array([min(pages) if pages else 1 for _, pages in templates], np.int32),
        sample_position=np.zeros(size, np.int32),
        groups=PageSets(
            np.array([page for pages in sets for page in pages], np.int32),
            np.cumsum([0, *map(len, sets)]),
        ),
    )


def replace(store: Store, templates: Templates, run: int = 1) -> list[int]:
    """Stores templates; returns their ids in the order in which they were given."""
    with store.transaction():
        store.templates.replace(templates, "global", 3, 0.1, run)
    ids = {}
    for template in store.templates.all():
        pages = (
            None
            if template.page_set is None
            else frozenset(store.templates.page_set(template.page_set).tolist())
        )
        ids[template.sketch, pages] = template.template
    return [
        ids[int(sketch), None if group < 0 else frozenset(templates.groups[int(group)].tolist())]
        for sketch, group in zip(templates.sketch, templates.group, strict=True)
    ]


@pytest.fixture
def site(store: Store) -> Store:
    """A store with forty pages, numbered from 1."""
    run = begin(store)
    for number in range(1, 41):
        assert record(store, f"p{number}", [Pagelet(f"text {number}")], run) == number
    return store


def test_ids_stay_from_run_to_run(site: Store) -> None:
    ids = replace(site, found((5, None), (7, {1, 2, 3}), (7, {4, 5, 6})), run=1)
    assert len(set(ids)) == 3
    assert replace(site, found((5, None), (7, {1, 2, 3}), (7, {4, 5, 6})), run=2) == ids
    assert {(template.first_run, template.last_run) for template in site.templates.all()} == {(1, 2)}


def test_the_largest_overlap_wins_whatever_comes_first(site: Store) -> None:
    one, other = replace(site, found((7, {1, 2, 3, 4, 5, 6, 7}), (7, {10, 11, 12})))
    # The first component shares two pages with the earlier one, the second five: it is the one that goes on.
    new = replace(site, found((7, {1, 2, 20}), (7, {3, 4, 5, 6, 7}), (7, {12, 13})))
    assert new[1] == one
    assert new[2] == other
    assert new[0] not in (one, other)


def test_components_that_grow_together_keep_the_id_of_the_larger(site: Store) -> None:
    small, large = replace(site, found((7, {1, 2, 3}), (7, {4, 5, 6, 7})))
    assert replace(site, found((7, {1, 2, 3, 4, 5, 6, 7}))) == [large]
    assert replace(site, found((7, {1, 2, 3}), (7, {4, 5, 6, 7})))[1] == large
    assert small != large


def test_a_sketch_on_other_pages_is_another_template(site: Store) -> None:
    (one,) = replace(site, found((7, {1, 2, 3})))
    (other,) = replace(site, found((7, {4, 5, 6})))
    assert other != one


def test_local_after_global_takes_the_largest_component(site: Store) -> None:
    _, large = replace(site, found((7, {1, 2, 3}), (7, {4, 5, 6, 7})))
    assert replace(site, found((7, None))) == [large]


def test_global_after_local_leaves_the_id_to_the_largest_component(site: Store) -> None:
    (one,) = replace(site, found((7, None)))
    small, large = replace(site, found((7, {1, 2, 3}), (7, {4, 5, 6, 7})))
    assert large == one
    assert small != one


def test_ids_are_never_used_again(site: Store) -> None:
    seen: set[int] = set()
    for number in range(4):
        (new,) = replace(site, found((number, None)))
        assert new not in seen
        seen.add(new)
        assert replace(site, found()) == []


def test_new_ids_do_not_take_those_that_stay(site: Store) -> None:
    (kept,) = replace(site, found((9, None)))
    new, still = replace(site, found((1, None), (9, None)))
    assert still == kept
    assert new != kept


def test_page_sets_come_back(site: Store) -> None:
    replace(site, found((7, {5, 3, 40}), (8, {1, 2})))
    sets = {t.sketch: site.templates.page_set(t.page_set).tolist() for t in site.templates.all()}
    assert sets == {7: [3, 5, 40], 8: [1, 2]}
    replace(site, found((7, None)))
    assert count(site, "page_sets") == 0


def test_the_digest_tells_sets_of_templates_apart(site: Store) -> None:
    def digest(*templates: tuple[int, set[int] | None]) -> bytes:
        replace(site, found(*templates))
        return site.templates.digest()

    digests = [
        digest(),
        digest((5, None)),
        digest((6, None)),
        digest((5, None), (6, None)),
        digest((5, {1, 2, 3})),
        # The page with the smallest URL is the same.
        digest((5, {1, 2, 3, 4})),
        digest((5, {2, 3})),
        digest((5, {1, 2}), (5, {3, 4})),
    ]
    assert len(set(digests)) == len(digests)
    assert digest((5, None)) == digests[1]
    assert digest((6, None), (5, None)) == digests[3]


def sketch(store: Store, page: int, position: int = 0) -> int:
    return store.pages.keyed(page)[position][0]


def test_pages_with_a_template_are_counted_once_without_rejected_ones(store: Store) -> None:
    run, menu, foot = begin(store), Pagelet("home news about us"), Pagelet("all rights are reserved")
    pages = [[menu, foot], [menu, Pagelet("two")], [foot, Pagelet("three")], [Pagelet("four")]]
    for number, pagelets in enumerate([*pages, pages[1]]):
        record(store, f"p{number}", pagelets, run)
    of_menu, of_foot = sketch(store, 1), sketch(store, 1, 1)

    def counted(*templates: tuple[int, set[int] | None]) -> str:
        replace(store, found(*templates))
        return str(template_frequency(store.connection))

    assert counted() == "0 of 4 pages (0%) contain a template"
    # The last page has the text of the second.
    assert counted((of_menu, None)) == "2 of 4 pages (50%) contain a template"
    assert counted((of_menu, None), (of_foot, None)) == "3 of 4 pages (75%) contain a template"
    assert counted((of_menu, {1, 2}), (of_foot, {1, 3})) == "3 of 4 pages (75%) contain a template"
    with store.transaction():
        store.decisions.apply([], [sketch_name(of_menu)])
    assert str(template_frequency(store.connection)) == "2 of 4 pages (50%) contain a template"


def test_a_site_without_pages_has_no_share_of_them(store: Store) -> None:
    assert str(template_frequency(store.connection)) == "0 of 0 pages contain a template"


def counted(store: Store, pages: int) -> None:
    with store.transaction():
        store.connection.execute("UPDATE hosts SET pages = ?", (pages,))


def kept(store: Store) -> list[tuple[int, str, int]]:
    return sorted((one.template, one.algorithm, one.pages) for one in store.templates.all())


def test_what_a_key_page_shows_stays_until_detection_knows_enough(site: Store) -> None:
    first, second = sketch(site, 1), sketch(site, 2)
    with site.transaction():
        assert site.templates.show(1, {first: 0, second: 1}, run=1)
        assert not site.templates.show(1, {first: 0, second: 1}, run=2)
    assert kept(site) == [(1, ETDM, 1), (2, ETDM, 1)]
    counted(site, 29)
    assert replace(site, found((first, None), (9, None)))[1] == 3
    assert kept(site) == [(1, ETDM, 1), (2, ETDM, 1), (3, "global", 3)]
    counted(site, 30)
    assert replace(site, found((first, None), (9, None))) == [1, 3]
    assert kept(site) == [(1, "global", 3), (3, "global", 3)]


def test_without_a_share_it_is_the_number_of_pages_that_counts(site: Store) -> None:
    shown = sketch(site, 1)
    with site.transaction():
        site.templates.show(1, {shown: 0}, run=1)
    for pages, stays in ((2, True), (3, False)):
        counted(site, pages)
        with site.transaction():
            site.templates.replace(found(), "local", 3, 0.0, 1)
        assert bool(kept(site)) is stays


def test_a_key_page_replaces_its_own_alone(site: Store) -> None:
    one, two, three = (sketch(site, page) for page in (1, 2, 3))
    with site.transaction():
        site.templates.show(1, {one: 0, two: 1}, run=1)
        site.templates.show(3, {three: 0, two: 1}, run=2)
        assert site.templates.show(1, {one: 5}, run=3)
    assert {(t.sketch, t.sample_page, t.sample_position) for t in site.templates.all()} == {
        (one, 1, 5),
        (three, 3, 0),
    }


def test_what_no_page_has_is_let_go(site: Store) -> None:
    with site.transaction():
        site.templates.show(1, {12345: 0}, run=1)
    counted(site, 6)
    assert [one.pages for one in site.templates.all()] == [0]
    replace(site, found())
    assert kept(site) == []


def test_what_was_decided_of_it_outlives_it(site: Store) -> None:
    one, two = sketch(site, 1), sketch(site, 2)
    counted(site, 6)
    with site.transaction():
        site.templates.show(1, {one: 0, two: 1}, run=1)
        site.decisions.apply([sketch_name(one)], [sketch_name(two)])
    states = {(t.sketch, t.state, t.algorithm) for t in site.templates.all()}
    assert states == {(one, "pinned", ETDM), (two, "rejected", ETDM)}
    replace(site, found())
    assert {(t.sketch, t.state, t.algorithm) for t in site.templates.all()} == states
    with site.transaction():
        site.templates.show(1, {one: 0}, run=2)
    assert {(t.template, t.algorithm) for t in site.templates.all()} == {(1, ETDM), (2, DECIDED)}
    counted(site, 40)
    replace(site, found())
    assert {(t.template, t.state, t.algorithm) for t in site.templates.all()} == {
        (1, "pinned", DECIDED),
        (2, "rejected", DECIDED),
    }
    with site.transaction():
        site.decisions.reset()
    assert kept(site) == []
