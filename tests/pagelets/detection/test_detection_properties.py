"""What must hold for all relations: agreement with the naive reference, independence of order and ids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.detection import find_templates
from pagelets.detection.links import ComponentFinder, LinkGraph
from tests.pagelets.detection.naive_detection import Relations, connect, naive_global, naive_local, readable

NAIVE = {"local": naive_local, "global": naive_global}
BIG = 2**63 - 1


@st.composite
def relations(draw) -> Relations:
    count = draw(st.integers(0, 9))
    urls = draw(
        st.lists(
            st.text(alphabet="ab/é\U0001f600", min_size=1, max_size=5),
            min_size=count,
            max_size=count,
            unique=True,
        )
    )
    ids = draw(st.lists(st.integers(0, 40), min_size=count, max_size=count, unique=True))
    found = Relations()
    found.pages = [
        (page, draw(st.sampled_from([-3, 0, 7])), url, draw(st.sampled_from([-BIG, 0, 1, 2, 3, BIG])))
        for page, url in zip(ids, urls, strict=True)
    ]
    fragments = draw(st.integers(1, 7))
    found.fragments = [
        (fragment, draw(st.sampled_from([-BIG - 1, -1, 0, 1, BIG]))) for fragment in range(fragments)
    ]
    found.fragment_links = draw(
        st.lists(
            st.tuples(st.integers(0, fragments - 1), st.sampled_from([*ids, 41, 42])), max_size=8, unique=True
        )
    )
    # One page of pagelets belongs to no partitioned page.
    for page in [*ids, 43]:
        held = draw(st.lists(st.integers(0, fragments - 1), max_size=4))
        found.pagelets += [(page, position, fragment) for position, fragment in enumerate(held)]
    return found


parameters = st.tuples(
    st.integers(2, 4), st.sampled_from([0, 0.25, 1 / 3, 0.5, 1.0]), st.sampled_from([1, 3, 1000])
)


@pytest.fixture(scope="module")
def con():
    with connect() as con:
        yield con


@pytest.mark.parametrize("algorithm", ["local", "global"])
@settings(deadline=None, max_examples=settings.default.max_examples // 2)
@given(relations=relations(), parameters=parameters)
def test_agrees_with_the_figures(con, algorithm, relations, parameters):
    min_pages, min_share, batch_rows = parameters
    relations.load(con)
    templates = find_templates(con, algorithm, min_pages, min_share, batch_rows=batch_rows)
    assert readable(relations, templates) == NAIVE[algorithm](relations, min_pages, min_share)


@pytest.mark.parametrize("algorithm", ["local", "global"])
@settings(deadline=None, max_examples=settings.default.max_examples // 5)
@given(relations=relations(), random=st.randoms(use_true_random=False))
def test_ids_and_order_of_rows_decide_nothing(con, algorithm, relations, random):
    def shuffled(rows):
        rows = list(rows)
        random.shuffle(rows)
        return rows

    pages, fragments = shuffled(range(44)), shuffled(range(7))
    renamed = Relations(
        shuffled((pages[page], *rest) for page, *rest in relations.pages),
        shuffled(
            (pages[page], position, fragments[fragment]) for page, position, fragment in relations.pagelets
        ),
        shuffled((fragments[fragment], sketch) for fragment, sketch in relations.fragments),
        shuffled((fragments[fragment], pages[target]) for fragment, target in relations.fragment_links),
    )
    relations.load(con)
    before = find_templates(con, algorithm, 2, 0.0)
    renamed.load(con)
    after = find_templates(con, algorithm, 2, 0.0)
    assert readable(relations, before) == readable(renamed, after)
    assert before.group.tolist() == after.group.tolist()


@settings(deadline=None, max_examples=25)
@given(
    pages=st.integers(1, 40),
    count=st.integers(0, 120),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    random=st.randoms(use_true_random=False),
    cells=st.sampled_from([1, 100, 10_000]),
    batch_rows=st.sampled_from([1, 7, 1000]),
)
def test_components_of_sets_of_every_size(pages, count, sizes, random, cells, batch_rows):
    pairs = [(a, b) for a in range(pages) for b in range(pages) if a != b]
    links = sorted(random.sample(pairs, min(count, len(pairs))))
    sets = sorted(
        (set(random.sample(range(pages), min(size, pages))) for size in sizes), key=len, reverse=True
    )
    counts = np.bincount([a for a, _ in links], minlength=pages)
    graph = LinkGraph(
        np.cumsum(counts) - counts, counts.astype(np.int32), np.array([b for _, b in links], np.int32)
    )
    finder = ComponentFinder(graph, batch_rows, cells)
    sizes = np.array([len(held) for held in sets])
    rounds = list(finder.rounds(sizes))
    assert [i for begin, stop in rounds for i in range(begin, stop)] == list(range(len(sets)))
    for begin, stop in rounds:
        members = [(i, page) for i in range(begin, stop) for page in sorted(sets[i])]
        labels = finder.components(sizes[begin:stop], np.array([page for _, page in members], np.int32))
        assert set(labels.tolist()) == set(range(labels.max() + 1))
        found = {}
        for label, member in zip(labels.tolist(), members, strict=True):
            found.setdefault(label, set()).add(member)
        edges = {((i, a), (i, b)) for i in range(begin, stop) for a, b in links if {a, b} <= sets[i]}
        expected = []
        left = set(members)
        while left:
            component, queue = set(), [left.pop()]
            while queue:
                one = queue.pop()
                component.add(one)
                reached = {other for other in left if (one, other) in edges or (other, one) in edges}
                left -= reached
                queue.extend(reached)
            expected.append(component)
        assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected))
