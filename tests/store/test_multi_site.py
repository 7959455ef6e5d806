"""Detection over the published tables of many stores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.detection.sites import SITE_BITS, find_over_sites
from store.errors import StoreUnusable
from store.multi_site import READ, Published, pages_of_sites, unchanged, united
from store.publish import TABLES
from tests.pagelets.detection.naive_detection import Relations, naive_global, naive_local, readable

if TYPE_CHECKING:
    from pathlib import Path

NAIVE = {"local": naive_local, "global": naive_global}
HOSTS = ["a.example", "b.example", "c.example"]
URLS = [f"https://example.org/{name}" for name in "abcdefgh"]


@st.composite
def site(draw) -> Relations:
    """The tables of a store: pages that were fetched, and addresses that were not; hosts by number."""
    urls = draw(st.lists(st.sampled_from(URLS), max_size=6, unique=True))
    ids = draw(st.lists(st.integers(0, 9), min_size=len(urls), max_size=len(urls), unique=True))
    fragments = [(fragment, draw(st.integers(-2, 2))) for fragment in range(4)]
    fetched = [page for page in ids if draw(st.booleans())]
    return Relations(
        [
            (page, draw(st.integers(0, 2)), url, draw(st.integers(0, 3)))
            for page, url in zip(ids, urls, strict=True)
        ],
        [
            (page, position, draw(st.integers(0, 3)))
            for page in fetched
            for position in range(draw(st.integers(1, 3)))
        ],
        fragments,
        draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10)), max_size=6, unique=True)),
    )


def publish(folder: Path, relations: Relations) -> Published:
    """Writes the tables that detection reads as a store does."""
    folder.mkdir(parents=True, exist_ok=True)
    cut = {page for page, _, _ in relations.pagelets}
    pages = [
        (page, url, HOSTS[host], fingerprint if page in cut else None)
        for page, host, url, fingerprint in relations.pages
    ]
    rows = {
        "pages": pages,
        "pagelets": relations.pagelets,
        "fragments": relations.fragments,
        "fragment_links": relations.fragment_links,
    }
    for name, columns in READ.items():
        schema = pa.schema([(column, TABLES[name][1][column]) for column in columns])
        table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows[name]], schema)
        pq.write_table(table, folder / f"{name}.parquet")
    return Published(folder.parent.name, folder)


def together(sites: list[Relations]) -> Relations:
    """The relations of all sites as one, worked out in plain Python."""
    whole, first, known = Relations(), {}, []
    for number, one in enumerate(sites):
        key = number << SITE_BITS
        cut = {page for page, _, _ in one.pagelets}
        known += [(key + page, url) for page, _, url, _ in one.pages]
        for page, host, url, fingerprint in sorted(one.pages):
            if page in cut and first.setdefault(url, key + page) == key + page:
                whole.pages.append((key + page, host, url, fingerprint))
        whole.pagelets += [
            (key + page, position, key + fragment) for page, position, fragment in one.pagelets
        ]
        whole.fragments += [(key + fragment, sketch) for fragment, sketch in one.fragments]
        whole.fragment_links += [(key + fragment, key + target) for fragment, target in one.fragment_links]
    same = {page: first[url] for page, url in known if url in first}
    whole.fragment_links = [(fragment, same.get(page, page)) for fragment, page in whole.fragment_links]
    return whole


@pytest.mark.parametrize("algorithm", ["local", "global"])
@settings(max_examples=max(8, settings.default.max_examples // 6))
@given(sites=st.lists(site(), min_size=1, max_size=3), min_pages=st.integers(2, 3))
def test_detection_over_sites_is_that_of_all_their_pages(tmp_path_factory, algorithm, sites, min_pages):
    folder = tmp_path_factory.mktemp("sites")
    published = [publish(folder / str(number) / "tables", one) for number, one in enumerate(sites)]
    with united(published, memory=256, threads=1, spill=folder) as con:
        templates, support = find_over_sites(con, algorithm, min_pages, 0.25)
        standing = pages_of_sites(con, range(-2, 3))
    whole = together(sites)
    found = readable(whole, templates)
    assert found == NAIVE[algorithm](whole, min_pages, 0.25)
    sums = Counter(dict.fromkeys(range(len(found)), 0))
    rows = list(zip(support.template.tolist(), support.site.tolist(), support.pages.tolist(), strict=True))
    assert rows == sorted(rows)
    site_of = {url: page >> SITE_BITS for page, _, url, _ in whole.pages}
    for template, number, pages in rows:
        sums[template] += pages
        assert standing[found[template].sketch][number] >= pages > 0
        if found[template].group is not None:
            assert pages == sum(site_of[url] == number for url in found[template].group)
    assert [sums[row] for row in range(len(found))] == [one.pages for one in found]
    assert not list(folder.glob(".*"))


ONE = Relations([(1, 0, URLS[0], 1)], [(1, 0, 1)], [(1, 5)], [(1, 1)])


def asked(tmp_path: Path, *published: Published) -> None:
    with united(published, memory=64, threads=1, spill=tmp_path):
        pass


def write(path: Path, **columns: pa.Array) -> None:
    pq.write_table(pa.table(columns), path)


def longs(*values: int | None) -> pa.Array:
    return pa.array(values, pa.int64())


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda path: path.unlink(), "there is no such table; scrapy publish b writes it anew"),
        (lambda path: path.write_bytes(b""), "cannot be read ("),
        (lambda path: path.write_bytes(b"PAR1" + bytes(50) + b"PAR1"), "cannot be read ("),
        (
            lambda path: write(path, content=longs(1)),
            "has no column 'fragment' of type int64: it is of another",
        ),
        (
            lambda path: write(path, fragment=pa.array([1], pa.int32())),
            "has no column 'fragment' of type int64",
        ),
        (lambda path: write(path, fragment=longs(None), sketch=longs(1)), "a row has no value, or an id"),
        (lambda path: write(path, fragment=longs(-1), sketch=longs(1)), "a row has no value, or an id"),
        (lambda path: write(path, fragment=longs(1 << SITE_BITS), sketch=longs(1)), "or an id that no store"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path, break_it, said):
    published = [publish(tmp_path / name / "tables", ONE) for name in "abc"]
    asked(tmp_path, *published)
    path = tmp_path / "b" / "tables" / "fragments.parquet"
    break_it(path)
    with pytest.raises(StoreUnusable) as told:
        asked(tmp_path, *published)
    assert str(told.value).startswith(f"{path}: ")
    assert said in str(told.value)


def test_a_table_that_is_replaced_meanwhile_is_named(tmp_path):
    published = [publish(tmp_path / name / "tables", ONE) for name in "ab"]
    again = "b/tables/pages.parquet: was published anew meanwhile; run the command again"
    for error in (None, duckdb.Error("a part of each")):
        with pytest.raises(StoreUnusable, match=again), unchanged(published):
            publish(tmp_path / "new", ONE).file("pages").replace(published[1].file("pages"))
            if error is not None:
                raise error


def test_a_table_whose_rows_are_broken_is_named(tmp_path):
    many = Relations(ONE.pages, ONE.pagelets, [(number, number * 7919 % 1000) for number in range(2000)], [])
    published = [publish(tmp_path / name / "tables", many) for name in "it's"]
    path = tmp_path / "s" / "tables" / "fragments.parquet"
    data = bytearray(path.read_bytes())
    data[40:-600] = b"\xff" * (len(data) - 640)
    path.write_bytes(data)
    with pytest.raises(StoreUnusable, match="cannot be read") as told:
        asked(tmp_path, *published)
    assert str(told.value).startswith(f"{path}: ")
