from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.duplicates import BANDS, ROWS, VALUES, NearDuplicates, bands, signature, similarity
from pagelets.sketch import Scheme

WORDS = st.lists(st.sampled_from(["red", "blue", "grün", "五", "x1", "one", "two"]), min_size=1, max_size=30)
SIGNATURES = st.lists(st.integers(0, 2**32 - 1), min_size=VALUES, max_size=VALUES).map(
    lambda values: np.array(values, np.uint32)
)


def prose(words: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(5000)}" for _ in range(words)]


def jaccard(a: list[str], b: list[str]) -> float:
    left, right = ({tuple(words[i : i + 4]) for i in range(len(words) - 3)} for words in (a, b))
    return len(left & right) / len(left | right)


@pytest.mark.parametrize("text", ["", " \n\t", "…—!", "\x00", "\u200b"])
def test_a_text_without_words_has_no_signature(text: str) -> None:
    assert signature(text) is None


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_with_words_has_one(text: str) -> None:
    values = signature(text)
    assert values is None or (values.dtype == np.uint32 and values.shape == (VALUES,))


@given(WORDS)
def test_case_punctuation_and_space_do_not_count(words: list[str]) -> None:
    plain, shouted = signature(" ".join(words)), signature("\n… ".join(words).upper() + "!")
    assert plain is not None
    assert shouted is not None
    assert plain.tolist() == shouted.tolist()


@given(WORDS, WORDS)
def test_texts_of_a_few_words_are_the_same_or_not_at_all(a: list[str], b: list[str]) -> None:
    left, right = signature(" ".join(a[:3])), signature(" ".join(b[:3]))
    assert left is not None
    assert right is not None
    assert similarity(left, right) == (a[:3] == b[:3])


@pytest.mark.parametrize("changed", [0, 3, 10, 30, 80, 300])
def test_the_estimate_is_near_the_similarity_of_the_shingles(changed: int) -> None:
    errors = []
    for seed in range(20):
        a = prose(600, seed)
        b = list(a)
        for place in random.Random(seed).sample(range(600), changed):
            b[place] = "another"
        left, right = signature(" ".join(a)), signature(" ".join(b))
        assert left is not None
        assert right is not None
        errors.append(similarity(left, right) - jaccard(a, b))
    # The standard deviation of one estimate is at most 1/16, of the mean of 20 a quarter of that.
    assert abs(np.mean(errors)) < 3 / 16 / 20**0.5
    assert max(map(abs, errors)) < 4 / 16


def test_a_long_text_is_worked_on_in_parts() -> None:
    words = prose(20_000, 1)
    whole, half = signature(" ".join(words)), signature(" ".join(words[:10_003]))
    assert whole is not None
    assert half is not None
    assert abs(similarity(whole, half) - 0.5) < 0.25
    rest = signature(" ".join(words[10_000:]))
    assert rest is not None
    assert whole.tolist() == np.minimum(half, rest).tolist()


@given(SIGNATURES, SIGNATURES, st.lists(st.integers(0, VALUES - 1), max_size=VALUES))
def test_a_key_is_shared_where_the_values_of_a_band_are(
    a: np.ndarray, b: np.ndarray, same: list[int]
) -> None:
    b[same] = a[same]
    left, right = bands(a), bands(b)
    assert len(left) == BANDS
    assert all(0 <= key < 2**63 for key in left)
    rows = (a == b).reshape(BANDS, ROWS).all(axis=1).tolist()
    assert [x == y for x, y in zip(left, right, strict=True)] == rows
    assert similarity(a, b) == np.mean(a == b)


def test_bands_of_equal_values_have_keys_of_their_own() -> None:
    assert len(set(bands(np.zeros(VALUES, np.uint32)))) == BANDS


def test_values_and_keys_are_the_same_on_every_machine() -> None:
    values = signature("The quick brown fox jumps over the lazy dog, and the dog does not care.")
    assert values is not None
    assert values[:3].tolist() == [203632873, 26207901, 512344106]
    assert bands(values)[:2] == [2019627787111245651, 1970013512835790598]


def test_no_shingle_has_no_smallest() -> None:
    with pytest.raises(ValueError, match="no shingle"):
        Scheme().minima(np.empty(0, np.uint64))


def test_of_texts_one_after_the_other_the_first_that_is_nearly_the_same_is_told() -> None:
    text, other = prose(400, 1), prose(400, 2)
    near = NearDuplicates(0.9)
    texts = [text, [], other, [*text, "more"], [*other, "more"], text, []]
    assert [near.first(signature(" ".join(one))) for one in texts] == [None, None, None, 0, 2, 0, None]


def test_those_of_long_ago_are_found_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    drawn = [random.integers(0, 1 << 32, VALUES, dtype=np.uint32) for _ in range(10)]
    given = [None if place % 13 == 0 else drawn[place * 7 % 10].copy() for place in range(90)]
    for place, values in enumerate(given):
        if values is not None and place % 3 == 0:
            values[place % VALUES] ^= 1
    at_once = NearDuplicates(0.9)
    expected = [at_once.first(values) for values in given]
    monkeypatch.setattr("pagelets.duplicates._RECENT", 4)
    near = NearDuplicates(0.9)
    assert [near.first(values) for values in given] == expected
    assert max(place for place in expected if place is not None) < 11
    assert sum(place is not None for place in expected) > 70
