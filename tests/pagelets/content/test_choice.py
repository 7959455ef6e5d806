from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.content.choice import choose

BLOCKS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50)), min_size=1, max_size=7)


def expected(likely: np.ndarray, words: np.ndarray, mask: np.ndarray) -> float:
    return 2 * (likely * words)[mask].sum() / max(words[mask].sum() + (likely * words).sum(), 1e-9)


@given(BLOCKS)
def test_no_other_choice_promises_more(blocks: list[tuple[float, int]]) -> None:
    likely, words = (np.array(column, float) for column in zip(*blocks, strict=True))
    mask, threshold = choose(likely, words)
    assert np.array_equal(mask, likely >= threshold)
    assert mask.any()
    best = max(
        expected(likely, words, np.array(other)) for other in product((True, False), repeat=len(likely))
    )
    assert expected(likely, words, mask) >= best - 1e-9


def test_where_much_is_unsure_more_is_kept() -> None:
    words = np.full(10, 10.0)
    sure, _ = choose(np.array([0.99] * 5 + [0.4] + [0.01] * 4), words)
    unsure, _ = choose(np.array([0.6] * 5 + [0.4] + [0.1] * 4), words)
    assert sure.tolist() == [True] * 5 + [False] * 5
    assert unsure.tolist() == [True] * 6 + [False] * 4


def test_nothing_to_choose_from() -> None:
    mask, _ = choose(np.empty(0), np.empty(0))
    assert mask.tolist() == []
