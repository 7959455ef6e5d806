from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring import Score, mean, score, words

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "Ünï", "1_2", ",", "\n", "\0", "石"])).map(" ".join)


def test_repetition_counts_and_order_does_not():
    found = score("the stone The stone sea", "Sea, stone; the hill")
    assert found.precision == pytest.approx(3 / 5)
    assert found.recall == pytest.approx(3 / 4)
    assert found.f1 == pytest.approx(2 * 0.6 * 0.75 / 1.35)


@pytest.mark.parametrize(
    ("text", "reference", "agreement"),
    [
        ("", "", 1),
        ("", "...", 1),
        ("stone", "", 0),
        ("", "stone", 0),
        ("stone", "sea", 0),
        ("Stone!", "stone", 1),
    ],
)
def test_texts_without_common_or_any_words(text, reference, agreement):
    assert score(text, reference) == Score(agreement, agreement, agreement)


def test_words_are_runs_of_word_characters_in_lower_case():
    assert words("Don't re_use ŠKODA 12,5") == {"don": 1, "t": 1, "re_use": 1, "škoda": 1, "12": 1, "5": 1}


@given(TEXTS, TEXTS)
def test_measures_lie_between_nothing_and_all(text, reference):
    found = score(text, reference)
    assert all(0 <= value <= 1 for value in found)
    assert min(found.precision, found.recall) <= found.f1 + 1e-12
    assert found.f1 <= max(found.precision, found.recall) + 1e-12


@given(TEXTS, TEXTS)
def test_precision_and_recall_change_places_with_the_texts(text, reference):
    one, other = score(text, reference), score(reference, text)
    assert one == Score(other.f1, other.recall, other.precision)


@given(TEXTS)
def test_a_text_agrees_with_itself_wholly(text):
    assert score(text, text) == Score(1, 1, 1)


def test_a_mean_is_taken_of_each_measure():
    assert mean([Score(1, 0.5, 0), Score(0, 0.5, 1)]) == Score(0.5, 0.5, 0.5)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="no scores"):
        mean([])
