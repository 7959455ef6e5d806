from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.page_classes import SIMILARITY, group, url_pattern


def schema(*paths: int) -> np.ndarray:
    return np.array(sorted(paths), np.uint64)


def grouped(schemas: list[np.ndarray], pages: list[int] | None = None) -> list[int]:
    return group(schemas, pages or [1] * len(schemas)).of.tolist()


def planted(draw: random.Random, classes: int, pages: int) -> list[tuple[int, np.ndarray]]:
    """Pages of classes, each with 20 paths of its own of which a page lacks two, beside five of all pages and
    one of its own.
    """
    return [
        (of, schema(*range(5), *draw.sample(range(100 * of, 100 * of + 20), 18), 10**6 + page))
        for of in range(1, classes + 1)
        for page in range(100 * of, 100 * of + pages * of)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_planted_classes_are_found_whatever_the_order(seed: int) -> None:
    draw = random.Random(seed)
    found = planted(draw, classes=6, pages=4)
    expected = {of: 6 - of for of, _ in found}
    for _ in range(3):
        draw.shuffle(found)
        assert grouped([each for _, each in found]) == [expected[of] for of, _ in found]


@given(st.lists(st.frozensets(st.integers(0, 12)), min_size=1, max_size=12, unique=True), st.randoms())
def test_classes_depend_on_no_order_and_are_numbered_by_their_pages(sets, draw) -> None:
    schemas = [schema(*each) for each in sets]
    pages = [1 + number % 3 for number in range(len(sets))]
    found = group(schemas, pages)
    sizes = np.bincount(found.of, pages).tolist()
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0
    assert {found.of[place] for place in np.flatnonzero(found.typical).tolist()} == set(range(len(sizes)))
    order = list(range(len(sets)))
    draw.shuffle(order)
    other = group([schemas[place] for place in order], [pages[place] for place in order])
    assert other.of.tolist() == found.of[order].tolist()
    assert other.typical.tolist() == found.typical[order].tolist()


@given(st.lists(st.frozensets(st.integers(0, 30), min_size=1), min_size=2, max_size=30, unique=True))
def test_each_page_is_similar_to_a_typical_one_of_its_class(sets) -> None:
    found = group([schema(*each) for each in sets], [1] * len(sets))
    counts = {path: sum(path in each for each in sets) for path in range(31)}
    telling = {path for path, count in counts.items() if 2 <= count <= 0.8 * len(sets)}
    for place, each in enumerate(sets):
        typical = sets[np.flatnonzero(found.typical & (found.of == found.of[place]))[0]]
        one, other = each & telling, typical & telling
        assert one == other or len(one & other) >= SIMILARITY * len(one | other)


def test_what_all_pages_have_or_one_alone_tells_nothing() -> None:
    assert grouped([schema(1, 2, 10), schema(1, 2, 20), schema(1, 2)]) == [0, 0, 0]
    assert grouped([schema(1, 7, 8), schema(1, 7, 8, 9), schema(1, 3, 4)], [1, 1, 3]) == [1, 1, 0]


def test_the_page_that_most_are_built_like_is_typical() -> None:
    schemas = [schema(1, 2, 3, 4), schema(1, 2, 3), schema(8, 9), schema(8)]
    assert group(schemas, [2, 5, 3, 1]).typical.tolist() == [False, True, True, False]


@pytest.mark.parametrize("schemas", [[], [schema()], [schema(1, 2)]])
def test_a_site_without_pages_or_of_one_has_no_or_one_class(schemas: list[np.ndarray]) -> None:
    assert grouped(schemas) == [0] * len(schemas)


@pytest.mark.parametrize(
    ("urls", "pattern"),
    [
        ([], ""),
        (["http://a.example/one"], "http://a.example/one"),
        (["http://a.example/x/1.html", "http://a.example/x/22.html"], "http://a.example/x/*.html"),
        (["http://a.example/1/c", "http://a.example/2/c", "http://a.example/"], "http://a.example/*/c"),
        (["http://a.example/?p=/a/b", "http://a.example/?p=c"], "http://a.example/?p=*"),
        ([*(f"http://a.example/sql-{n}" for n in range(9)), "http://a.example/x"], "http://a.example/sql-*"),
        ([*["http://a.example/1"] * 9, "http://a.example/12"], "http://a.example/1"),
        (["http://a.example/ab", "http://b.example/ab", "http://a.example/a"], "http://*.example/a*"),
    ],
)
def test_what_addresses_have_in_common(urls: list[str], pattern: str) -> None:
    assert url_pattern(urls) == pattern
    assert url_pattern(urls[::-1]) == pattern


@given(st.lists(st.text("ab/?"), min_size=1), st.randoms())
def test_a_pattern_depends_on_no_order_and_has_as_many_parts_as_most_addresses(urls, draw) -> None:
    pattern = url_pattern(urls)
    parts = [url.partition("?")[0].count("/") for url in urls]
    assert parts.count(pattern.partition("?")[0].count("/")) >= 1
    draw.shuffle(urls)
    assert url_pattern(urls) == pattern
