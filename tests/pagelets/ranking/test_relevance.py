from __future__ import annotations

import math

import numpy as np
import pytest

from pagelets.ranking.relevance import MOST_WORDS, Topic, bm25, idf


def test_words_are_counted_whole_and_in_any_case() -> None:
    topic = Topic.of("Falcon falcons, falcon")
    assert topic.weights.tolist() == [2, 1]
    found = topic.counts("The FALCON and the falconer: a falcon")
    assert found is not None
    assert found.tolist() == [2, 0]
    assert topic.counts("falconry") is None
    assert topic.counts("") is None


def test_a_topic_has_words_and_not_too_many() -> None:
    with pytest.raises(ValueError, match="no word"):
        Topic.of(" … ")
    assert len(Topic.of(" ".join(f"w{number}" for number in range(2 * MOST_WORDS)))) == MOST_WORDS


def test_bm25_is_the_formula() -> None:
    # Two words, in three texts of 10, 20 and 30 words.
    weights = idf(3, np.array([2.0, 1.0]))
    assert weights == pytest.approx([math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)])
    scores = bm25(np.array([[2.0, 0], [0, 0], [1, 1]]), np.array([10.0, 20, 30]), 20, weights)
    short, long = 1.2 * (0.25 + 0.75 * 0.5), 1.2 * (0.25 + 0.75 * 1.5)
    assert scores == pytest.approx([weights[0] * 2 * 2.2 / (2 + short), 0, weights.sum() * 2.2 / (1 + long)])


def test_a_word_of_all_texts_counts_for_little_and_never_against() -> None:
    assert 0 < idf(10, np.array([10.0]))[0] < 0.05
