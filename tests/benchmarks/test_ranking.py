from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ranking import ndcg, reciprocal_rank

RANKED = list("abcdefghijkl")
lists = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=16)
answer_sets = st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [({"a"}, 1.0), ({"c"}, 1 / 3), ({"c", "b"}, 1 / 2), ({"j"}, 1 / 10), ({"k"}, 0.0), ({"z"}, 0.0)],
)
def test_reciprocal_rank_is_that_of_the_first_answer_among_ten(answers: set[str], expected: float) -> None:
    assert reciprocal_rank(RANKED, answers) == expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"a"}, 1.0),
        ({"b"}, 1 / log2(3)),
        ({"a", "b"}, 1.0),
        ({"a", "c"}, (1 + 1 / 2) / (1 + 1 / log2(3))),
        ({"a", "z"}, 1 / (1 + 1 / log2(3))),
        ({"k"}, 0.0),
        (set(RANKED), 1.0),
    ],
)
def test_ndcg_of_cases_counted_by_hand(answers: set[str], expected: float) -> None:
    assert ndcg(RANKED, answers) == pytest.approx(expected)


def test_results_beyond_the_cutoff_are_not_seen() -> None:
    assert reciprocal_rank(RANKED, {"c"}, cutoff=2) == 0
    assert ndcg(RANKED, {"c"}, cutoff=2) == 0


def test_a_result_that_comes_twice_gains_once() -> None:
    assert ndcg(["a", "a", "b"], {"a", "b"}) == pytest.approx((1 + 1 / 2) / (1 + 1 / log2(3)))


def test_a_query_without_an_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="without an answer"):
        ndcg(RANKED, set())


@given(lists, answer_sets)
def test_both_are_shares_and_nothing_but_the_place_of_answers_counts(
    ranked: list[str], answers: set[str]
) -> None:
    renamed = [result if result in answers else f"other {result}" for result in ranked]
    for figure in (reciprocal_rank, ndcg):
        assert 0 <= figure(ranked, answers) <= 1 + 1e-9
        assert figure(ranked, answers) == figure(renamed, answers)


@given(lists, answer_sets)
def test_answers_first_is_the_best_order(ranked: list[str], answers: set[str]) -> None:
    best = sorted(ranked, key=lambda result: result not in answers)
    assert ndcg(best, answers) >= ndcg(ranked, answers)
    assert reciprocal_rank(best, answers) == float(bool(answers & set(ranked)))
