"""Counts of repeated blocks, against a plain count in Python."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.detection.blocks import RepeatedBlocks, find_repeated_blocks
from tests.pagelets.detection.naive_detection import Relations, connect

BIG = 2**63 - 1
KEYS = {"fragment": "BIGINT", "block": "BIGINT", "tag_path_key": "BIGINT", "placed": "BIGINT"}


@dataclass
class Keyed(Relations):
    fragment_blocks: list[tuple[int, int, int, int]] = field(default_factory=list)

    def load(self, con) -> None:
        super().load(con)
        columns = ", ".join(f"UNNEST(CAST(? AS {kind}[])) AS {name}" for name, kind in KEYS.items())
        values = [[row[i] for row in self.fragment_blocks] for i in range(len(KEYS))]
        con.execute(f"CREATE OR REPLACE TABLE fragment_blocks AS SELECT {columns}", values)


Counts = dict[int, tuple[int, Fraction]]


@dataclass
class Expected:
    """What each key stands on: pages and their share; of tag paths the two other figures as well."""

    blocks: Counts
    placed: Counts
    tag_paths: Counts
    singleton_share: dict[int, Fraction]
    document_frequency: dict[int, Fraction]
    hosts: dict[int, int]


def naive(relations: Keyed) -> Expected:
    first: dict[tuple[int, int], tuple[str, int]] = {}
    for page, host, url, fingerprint in relations.pages:
        key = host, fingerprint
        first[key] = min(first.get(key, (url, page)), (url, page))
    host_of = {page: host for (host, _), (_, page) in first.items()}
    sizes = Counter(host_of.values())
    stands = {
        (page, block, place, placed)
        for page, _, fragment in relations.pagelets
        if page in host_of
        for holder, block, place, placed in relations.fragment_blocks
        if holder == fragment and block
    }

    def support(column: int) -> Counts:
        pages: dict[int, set[int]] = {}
        for row in stands:
            pages.setdefault(row[column], set()).add(row[0])
        return {
            key: (len(on), Fraction(len(on), sum(sizes[host] for host in {host_of[page] for page in on})))
            for key, on in pages.items()
            if len(on) >= 2
        }

    blocks, places = support(1), support(2)
    singleton_share, document_frequency = {}, {}
    for place in places:
        here = {(page, block) for page, block, at, _ in stands if at == place}
        texts = {block for _, block in here}
        singleton_share[place] = Fraction(len(texts - blocks.keys()), len(texts))
        document_frequency[place] = Fraction(len(here), len(texts))
    return Expected(blocks, support(3), places, singleton_share, document_frequency, dict(sizes))


def readable(found: RepeatedBlocks) -> Expected:
    """The arrays as objects; checks what they promise of themselves."""
    supports = []
    for support in (found.blocks, found.placed, found.tag_paths):
        assert (support.key.dtype, support.pages.dtype, support.share.dtype) == (
            *(np.int64, np.int32, np.float64),
        )
        assert (np.diff(support.key.astype(object)) > 0).all()
        rows = zip(support.key.tolist(), support.pages.tolist(), map(near, support.share), strict=True)
        supports.append({key: (pages, share) for key, pages, share in rows})
    assert (found.singleton_share.dtype, found.document_frequency.dtype) == (np.float64, np.float64)
    assert (found.hosts.dtype, found.host_pages.dtype) == (np.int64, np.int32)
    places = found.tag_paths.key.tolist()
    return Expected(
        *supports,
        dict(zip(places, map(near, found.singleton_share), strict=True)),
        dict(zip(places, map(near, found.document_frequency), strict=True)),
        dict(zip(found.hosts.tolist(), found.host_pages.tolist(), strict=True)),
    )


def near(number: float) -> Fraction:
    return Fraction(float(number)).limit_denominator(1000)


@pytest.fixture(scope="module")
def con():
    with connect() as con:
        yield con


def found(con, relations: Keyed, **limits: int) -> Expected:
    relations.load(con)
    return readable(find_repeated_blocks(con, **limits))


@st.composite
def keyed_relations(draw) -> Keyed:
    count = draw(st.integers(0, 9))
    ids = draw(st.lists(st.integers(0, 40), min_size=count, max_size=count, unique=True))
    urls = draw(
        st.lists(
            st.text(alphabet="ab/é", min_size=1, max_size=4), min_size=count, max_size=count, unique=True
        )
    )
    made = Keyed()
    made.pages = [
        (page, draw(st.sampled_from([-3, 0, 7])), url, draw(st.sampled_from([-BIG, 0, 1, 2, 3, BIG])))
        for page, url in zip(ids, urls, strict=True)
    ]
    fragments = draw(st.integers(1, 7))
    made.fragments = [(fragment, fragment) for fragment in range(fragments)]
    keys = st.tuples(
        st.integers(0, fragments - 1),
        st.sampled_from([-BIG - 1, 0, 1, 2, 3, BIG]),
        st.sampled_from([0, 1, 2, 2**32 - 1]),
        st.sampled_from([0, 5, 2**32 - 1]),
    )
    made.fragment_blocks = draw(st.lists(keys, max_size=14))
    # One page of pagelets belongs to no partitioned page.
    for page in [*ids, 43]:
        held = draw(st.lists(st.integers(0, fragments - 1), max_size=4))
        made.pagelets += [(page, position, fragment) for position, fragment in enumerate(held)]
    return made


@settings(deadline=None, max_examples=settings.default.max_examples // 3)
@given(relations=keyed_relations(), batch_rows=st.sampled_from([1, 2, 1000]))
def test_agrees_with_a_plain_count(con, relations, batch_rows) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pagelets.detection.blocks._BLOCKS", 1)
        assert found(con, relations, batch_rows=batch_rows) == naive(relations)


@settings(deadline=None, max_examples=settings.default.max_examples // 5)
@given(relations=keyed_relations(), random=st.randoms(use_true_random=False))
def test_ids_and_order_of_rows_decide_nothing(con, relations, random) -> None:
    def shuffled(rows):
        rows = list(rows)
        random.shuffle(rows)
        return rows

    pages, fragments = shuffled(range(44)), shuffled(range(7))
    renamed = Keyed(
        shuffled((pages[page], *rest) for page, *rest in relations.pages),
        shuffled((pages[page], at, fragments[fragment]) for page, at, fragment in relations.pagelets),
        shuffled((fragments[fragment], sketch) for fragment, sketch in relations.fragments),
        fragment_blocks=shuffled(
            (fragments[fragment], *rest) for fragment, *rest in relations.fragment_blocks
        ),
    )
    assert found(con, relations) == found(con, renamed)


def site(*pages: list[tuple[int, int, int]], hosts: str = "", fingerprints: str = "") -> Keyed:
    """Page i has one pagelet, whose blocks these are: (text, place, text at place). One letter a page names
    its host and its fingerprint.
    """
    numbers = range(len(pages))
    return Keyed(
        [
            (page, ord((hosts or "a" * len(pages))[page]), f"https://example.org/{page}", print_)
            for page, print_ in zip(numbers, map(ord, fingerprints) if fingerprints else numbers, strict=True)
        ],
        [(page, 0, page) for page in numbers],
        [(page, page) for page in numbers],
        fragment_blocks=[(page, *keys) for page in numbers for keys in pages[page]],
    )


MENU, FOOTER, TITLE = (1, 10, 100), (2, 20, 200), 30


def test_texts_places_and_texts_at_places_are_counted_for_themselves(con) -> None:
    # The titles have one place; two of them differ in digits alone; one text stands at two places.
    counts = found(con, site([MENU, (3, TITLE, 31)], [MENU, (4, TITLE, 31)], [(1, TITLE, 32)]))
    assert counts.blocks == {1: (3, 1)}
    assert counts.tag_paths == {10: (2, Fraction(2, 3)), TITLE: (3, 1)}
    assert counts.placed == {100: (2, Fraction(2, 3)), 31: (2, Fraction(2, 3))}


def test_what_is_twice_on_a_page_stands_on_one_page(con) -> None:
    counts = found(con, site([MENU, MENU], [FOOTER]))
    assert counts == Expected({}, {}, {}, {}, {}, {97: 2})
    twice = site([MENU], [FOOTER])
    twice.pagelets.append((0, 1, 0))
    assert found(con, twice).blocks == {}


def test_a_share_is_of_the_pages_of_the_hosts_that_have_it(con) -> None:
    relations = site([MENU], [MENU], [], [FOOTER], [FOOTER, MENU], [], [], hosts="aaabbbc")
    counts = found(con, relations)
    assert counts.blocks == {1: (3, Fraction(1, 2)), 2: (2, Fraction(2, 3))}
    assert counts.hosts == {ord("a"): 3, ord("b"): 3, ord("c"): 1}


def test_duplicates_of_a_host_count_once_and_mirrors_for_themselves(con) -> None:
    counts = found(con, site([MENU], [MENU], [MENU], [FOOTER], hosts="aaba", fingerprints="xxxy"))
    assert counts.blocks == {1: (2, Fraction(2, 3))}
    assert counts.hosts == {ord("a"): 2, ord("b"): 1}


def test_of_duplicates_that_with_the_smallest_url_is_read(con) -> None:
    # The same words at other places.
    relations = site([(1, 11, 111)], [(1, 12, 112)], [(1, 12, 112)], fingerprints="xxy")
    assert found(con, relations).tag_paths == {}
    relations.pages[0] = (0, 97, "https://example.org/9", ord("x"))
    assert found(con, relations).tag_paths == {12: (2, 1)}


def test_blocks_without_text_do_not_count(con) -> None:
    assert found(con, site([(0, 10, 10)], [(0, 10, 10)])).tag_paths == {}


def test_a_place_is_fresh_where_its_texts_are_of_one_page(con) -> None:
    pages = [[MENU, (number, TITLE, number)] for number in range(3, 7)]
    # A text of another place is not fresh anywhere; one that some pages share is repeated.
    counts = found(con, site(*pages, [(1, TITLE, 40), FOOTER], [(3, TITLE, 3), (3, TITLE, 3)]))
    assert counts.singleton_share == {10: 0, TITLE: Fraction(3, 5)}
    assert counts.document_frequency == {10: 4, TITLE: Fraction(6, 5)}


def test_nothing_is_left_on_the_connection(con) -> None:
    found(con, site([MENU], [MENU]))
    names = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert names == {"pages", "pagelets", "fragments", "fragment_links", "fragment_blocks"}
