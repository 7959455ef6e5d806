"""Figure 4 on examples made by hand, and what `find_templates` refuses."""

from __future__ import annotations

import duckdb
import pytest

from pagelets.detection import find_templates
from tests.pagelets.detection.naive_detection import Relations, connect, readable

NAV, TEASER, OTHER = 100, 200, 300


@pytest.fixture(scope="module")
def con():
    with connect() as con:
        yield con


def local(con, relations, min_pages=2, min_share=0.0):
    relations.load(con)
    return readable(relations, find_templates(con, "local", min_pages, min_share))


def site(*sketches_of_pages, host=0, fingerprints=None):
    """Page i of `host`, at URL /i, with one pagelet a sketch; a sketch is a fragment of its own."""
    sketches = sorted({sketch for held in sketches_of_pages for sketch in held})
    return Relations(
        [
            (page, host, f"https://example.org/{page}", fingerprints[page] if fingerprints else page)
            for page in range(len(sketches_of_pages))
        ],
        [
            (page, position, sketches.index(sketch))
            for page, held in enumerate(sketches_of_pages)
            for position, sketch in enumerate(held)
        ],
        list(enumerate(sketches)),
    )


def test_support_and_share_of_each_template_are_told(con):
    templates = local(con, site([NAV, TEASER], [NAV], [OTHER, TEASER, NAV], [NAV]))
    assert [(found.sketch, found.pages, found.share) for found in templates] == [
        (NAV, 4, 1.0),
        (TEASER, 2, 0.5),
    ]


def test_a_sketch_twice_on_one_page_is_support_from_one_page(con):
    assert local(con, site([NAV, NAV, NAV])) == []
    (template,) = local(con, site([NAV, NAV], [NAV]))
    assert (template.pages, template.share) == (2, 1.0)


def test_contents_with_one_sketch_are_one_template(con):
    relations = site([1], [2])
    relations.fragments = [(0, NAV), (1, NAV)]
    (template,) = local(con, relations)
    assert (template.sketch, template.pages) == (NAV, 2)


def test_duplicate_pages_count_once_and_in_the_shares_too(con):
    assert local(con, site([NAV], [NAV], fingerprints=[7, 7])) == []
    (template,) = local(con, site([NAV], [NAV], [NAV], [OTHER], fingerprints=[7, 7, 8, 9]))
    assert (template.pages, template.share) == (2, 2 / 3)


def test_the_duplicate_with_the_smallest_url_stands_for_the_others(con):
    relations = site([NAV], [OTHER, NAV], [NAV, NAV], fingerprints=[7, 7, 8])
    relations.pages = [
        (0, 0, "https://example.org/z", 7),
        (1, 0, "https://example.org/a", 7),
        (2, 0, "https://example.org/b", 8),
    ]
    (template,) = local(con, relations)
    assert (template.sample_url, template.sample_position) == ("https://example.org/a", 1)


def test_the_same_text_on_a_sister_host_is_no_duplicate(con):
    relations = site([NAV], [NAV], fingerprints=[7, 7])
    relations.pages[1] = (1, 1, "https://sister.example.org/", 7)
    (template,) = local(con, relations)
    assert (template.pages, template.share) == (2, 1.0)


def test_a_share_is_over_the_pages_of_the_hosts_where_the_template_is(con):
    relations = site([NAV, TEASER], [NAV, TEASER], [NAV], [NAV], [OTHER])
    for page in (2, 3, 4):
        relations.pages[page] = (page, 1, f"https://sister.example.org/{page}", page)
    nav, teaser = local(con, relations)
    assert (nav.pages, nav.share) == (4, 4 / 5)
    assert (teaser.pages, teaser.share) == (2, 1.0)


@pytest.mark.parametrize(
    ("min_pages", "min_share", "expected"),
    [
        (2, 0.0, [NAV, TEASER]),
        (3, 0.0, [NAV]),
        (2, 0.5, [NAV, TEASER]),
        (2, 0.51, [NAV]),
        (5, 0.0, []),
        (4, 1.0, [NAV]),
    ],
)
def test_both_limits_must_be_reached(con, min_pages, min_share, expected):
    relations = site([NAV, TEASER], [NAV, TEASER], [NAV], [NAV])
    assert [found.sketch for found in local(con, relations, min_pages, min_share)] == expected


def test_pagelets_of_pages_that_were_not_partitioned_count_nothing(con):
    relations = site([NAV], [NAV])
    del relations.pages[1]
    assert local(con, relations) == []


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_empty_relations_have_no_templates(con, algorithm):
    relations = Relations()
    relations.load(con)
    templates = find_templates(con, algorithm)
    assert len(templates) == len(templates.groups) == 0
    assert readable(relations, templates) == []


@pytest.mark.parametrize("algorithm", ["local", "global"])
def test_a_connection_is_left_as_it_was(con, algorithm):
    site([NAV], [NAV]).load(con)
    before = con.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
    find_templates(con, algorithm)
    assert con.sql("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall() == before
    con.execute("DROP TABLE fragments")
    with pytest.raises(duckdb.CatalogException, match="fragments"):
        find_templates(con, algorithm)
    assert con.sql("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall() == []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"min_pages": 1}, "min_pages must be an integer of 2 or more, not 1"),
        ({"min_pages": 2.0}, "min_pages"),
        ({"min_pages": True}, "min_pages"),
        ({"min_share": -0.1}, "min_share must be a number from 0 to 1, not -0.1"),
        ({"min_share": 1.01}, "min_share"),
        ({"min_share": float("nan")}, "min_share"),
        ({"min_share": "0.5"}, "min_share"),
        ({"batch_rows": 0}, "batch_rows"),
        ({"algorithm": "Local"}, "algorithm must be 'local' or 'global', not 'Local'"),
    ],
)
def test_parameters_out_of_range_are_named(con, wrong, text):
    with pytest.raises(ValueError, match=text):
        find_templates(con, **{"algorithm": "local", **wrong})
