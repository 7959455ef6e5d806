"""Figure 5 on examples made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pagelets.detection import find_templates
from tests.pagelets.detection.naive_detection import Relations, connect, naive_global, readable

NAV, FOOT = 100, 200


@pytest.fixture(scope="module")
def con():
    with connect() as con:
        yield con


def found(con, relations, min_pages=2, min_share=0.0):
    """Of each template: sketch, the pages of its group by number, share."""
    relations.load(con)
    templates = find_templates(con, "global", min_pages, min_share)
    readable(relations, templates)
    return [
        (sketch, templates.groups[group].tolist(), share)
        for sketch, group, share in zip(
            templates.sketch.tolist(), templates.group.tolist(), templates.share.tolist(), strict=True
        )
    ]


def site(sketches_of_pages, links, hosts=None):
    """Page i at URL /i with one pagelet a sketch, and a pagelet of its own with its links."""
    sketches = sorted({sketch for held in sketches_of_pages for sketch in held})
    relations = Relations(fragments=list(enumerate(sketches)))
    for page, held in enumerate(sketches_of_pages):
        relations.pages.append((page, hosts[page] if hosts else 0, f"https://example.org/{page:04}", page))
        own = len(sketches) + page
        relations.fragments.append((own, 1_000_000 + page))
        fragments = [*map(sketches.index, held), own]
        relations.pagelets += [(page, position, fragment) for position, fragment in enumerate(fragments)]
        relations.fragment_links += [(own, target) for source, target in links if source == page]
    return relations


def test_a_group_is_cut_into_linked_components_and_singletons_go(con):
    relations = site([[NAV]] * 6, [(0, 1), (1, 2), (3, 4)])
    assert found(con, relations) == [(NAV, [0, 1, 2], 3 / 6), (NAV, [3, 4], 2 / 6)]


def test_pages_that_do_not_link_have_no_template(con):
    assert found(con, site([[NAV]] * 4, [])) == []


def test_a_link_in_one_direction_joins(con):
    assert found(con, site([[NAV]] * 3, [(0, 2), (1, 2)])) == [(NAV, [0, 1, 2], 1.0)]


@pytest.mark.parametrize("pages", [3, 40])
def test_the_links_of_one_page_join_all_that_it_links_to(con, pages):
    relations = site([[NAV]] * pages, [(1, page) for page in range(pages)])
    assert found(con, relations) == [(NAV, list(range(pages)), 1.0)]


def test_a_path_through_a_page_outside_the_group_does_not_join(con):
    assert found(con, site([[NAV], [], [NAV]], [(0, 1), (1, 2)])) == []


def test_links_to_pages_that_were_not_crawled_join_nothing(con):
    assert found(con, site([[NAV], [NAV]], [(0, 99), (1, 99)])) == []


def test_a_page_that_links_to_itself_stays_single(con):
    assert found(con, site([[NAV], [NAV]], [(0, 0), (1, 1)])) == []


def test_the_links_of_the_template_itself_count(con):
    relations = site([[NAV]] * 3, [])
    relations.fragment_links = [(0, 1)]
    assert found(con, relations) == [(NAV, [0, 1, 2], 1.0)]


def test_sketches_on_the_same_pages_share_one_group(con):
    relations = site([[NAV, FOOT]] * 3, [(0, 1), (1, 2)])
    relations.load(con)
    templates = find_templates(con, "global")
    assert templates.group.tolist() == [0, 0]
    assert len(templates.groups) == 1


def test_equal_components_of_unequal_groups_share_one_entry(con):
    relations = site([[NAV, FOOT], [NAV, FOOT], [NAV], [NAV]], [(0, 1), (2, 3)])
    relations.load(con)
    templates = find_templates(con, "global")
    assert templates.sketch.tolist() == [NAV, NAV, FOOT]
    assert templates.group.tolist() == [0, 1, 0]
    assert [group.tolist() for group in templates.groups] == [[0, 1], [2, 3]]


def test_duplicates_of_a_page_are_pages(con):
    relations = site([[NAV], [NAV]], [(0, 1)])
    relations.pages = [(page, host, url, 7) for page, host, url, _ in relations.pages]
    assert found(con, relations) == [(NAV, [0, 1], 1.0)]


def test_a_share_is_over_the_hosts_that_the_component_touches(con):
    relations = site([[NAV]] * 4 + [[]] * 2, [(0, 1), (2, 3)], hosts=[0, 0, 1, 1, 0, 2])
    assert found(con, relations) == [(NAV, [0, 1], 2 / 3), (NAV, [2, 3], 1.0)]
    assert found(con, relations, min_share=0.7) == [(NAV, [2, 3], 1.0)]
    across = site([[NAV]] * 4 + [[]] * 2, [(0, 1), (2, 3), (1, 2)], hosts=[0, 0, 1, 1, 0, 2])
    assert found(con, across) == [(NAV, [0, 1, 2, 3], 4 / 5)]


def test_min_pages_is_asked_of_the_component_not_of_the_group(con):
    relations = site([[NAV]] * 5, [(0, 1), (1, 2), (3, 4)])
    assert found(con, relations, min_pages=3) == [(NAV, [0, 1, 2], 3 / 5)]


def test_the_sample_is_the_first_position_on_the_page_with_the_smallest_url(con):
    relations = site([[NAV], [FOOT, NAV, NAV], [NAV]], [(0, 1), (1, 2)])
    relations.pages = [(0, 0, "https://example.org/c", 0), (1, 0, "https://example.org/a", 1)]
    relations.pages.append((2, 0, "https://example.org/b", 2))
    relations.load(con)
    templates = find_templates(con, "global")
    assert (templates.sample_page.tolist(), templates.sample_position.tolist()) == ([1], [1])


@pytest.mark.parametrize("batch_rows", [1, 50, 100_000])
def test_groups_of_all_sizes_on_a_larger_site(con, batch_rows):
    random = np.random.default_rng(5)
    count = 90
    held = [
        [
            sketch
            for sketch, share in enumerate([1.0, 0.9, 0.6, 0.4, 0.2, 0.1, 0.05, 0.05])
            if random.random() < share
        ]
        for _ in range(count)
    ]
    links = {tuple(pair) for pair in random.integers(0, count, (count, 2)).tolist()}
    relations = site(held, sorted(links), hosts=[page % 3 for page in range(count)])
    relations.load(con)
    templates = find_templates(con, "global", batch_rows=batch_rows)
    assert len(templates) > 20
    assert readable(relations, templates) == naive_global(relations, 2, 0.0)


def test_page_sets_read_like_a_list(con):
    site([[NAV]] * 5, [(0, 1), (1, 2), (3, 4)]).load(con)
    groups = find_templates(con, "global").groups
    assert groups[-1].tolist() == [3, 4]
    assert [group.tolist() for group in groups[:1]] == [[0, 1, 2]]
    assert [len(group) for group in groups] == [3, 2]
    with pytest.raises(IndexError):
        groups[2]
