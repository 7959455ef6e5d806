from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods.judged.text import (
    _BY_CATEGORY,
    _BY_CHARACTER,
    KINDS,
    _is_word,
    _kinds,
    count,
    spoken_words,
    words,
)
from pagelets.text.scripts import IDEOGRAPHS, ranges


def kinds(text: str) -> dict[str, int]:
    counts = count([text]).kinds[0]
    return {kind: int(found) for kind, found in zip(KINDS, counts, strict=True) if found}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ab c", {"upper": 1, "lower": 2, "space": 1}),
        ("12 €", {"digit": 2, "space": 1, "currency": 1}),
        ("日本語。", {"ideograph": 3, "stop": 1}),
        ("วันนี้", {"ideograph": 6}),
        ("سلام؟", {"letter": 4, "stop": 1}),
        ("a, b: (c) – © | »", {
            "lower": 3, "comma": 1, "colon": 1, "bracket": 2, "dash": 1, "copyright": 1, "mark": 2,
            "space": 6,
        }),
        ("", {}),
    ],
)  # fmt: skip
def test_characters_are_counted_by_kind(text: str, found: dict[str, int]) -> None:
    assert kinds(text) == found


def test_every_character_is_of_the_kind_of_its_category_and_in_a_word_where_a_pattern_says_so() -> None:
    named = {character: kind for kind, characters in _BY_CHARACTER.items() for character in characters}
    ideographs = {code for block in ranges(IDEOGRAPHS) for code in range(block.start, block.stop)}
    for code, (kind, word) in enumerate(zip(_kinds().tolist(), _is_word().tolist(), strict=True)):
        character = chr(code)
        wanted = named.get(character) or _BY_CATEGORY.get(unicodedata.category(character), "other")
        assert KINDS[kind] == ("ideograph" if code in ideographs else wanted), hex(code)
        assert word == (re.match(r"\w", character) is not None), hex(code)


def test_words_are_runs_of_letters_and_half_an_ideograph_each() -> None:
    counted = count(["two words", "", "don't", "日本語文", "42", "слово и ещё"]).words
    assert counted.tolist() == [2, 0, 2, 2, 0, 3]


def test_how_texts_begin_and_end() -> None:
    counted = count(["One.", "2 things:", "", "cut off…", "cut off...", "..", "a\nb\n", "é"])
    assert [KINDS[kind] for kind in counted.first] == [
        "upper", "digit", "space", "lower", "lower", "stop", "lower", "lower",
    ]  # fmt: skip
    assert [KINDS[kind] for kind in counted.last] == [
        "stop", "colon", "space", "stop", "stop", "stop", "space", "lower",
    ]  # fmt: skip
    assert counted.cut.tolist() == [False, False, False, True, True, False, False, False]
    assert counted.lines.tolist() == [0, 0, 0, 0, 0, 0, 2, 0]


@given(st.lists(st.text() | st.text("aé1_ -\u0301日ा\n", max_size=12)))
def test_words_of_the_score_are_those_that_it_counts(texts: list[str]) -> None:
    assert words(texts).tolist() == [len(re.findall(r"\w+", text)) for text in texts]


@given(st.lists(st.text()))
def test_every_character_is_of_one_kind_and_counted_in_its_own_text(texts: list[str]) -> None:
    counted = count(texts)
    assert counted.kinds.shape == (len(texts), len(KINDS))
    assert counted.kinds.sum(axis=1).tolist() == [len(text) for text in texts]
    for place, text in enumerate(texts):
        alone = count([text])
        for name in ("kinds", "words", "first", "last", "lines", "cut"):
            assert np.array_equal(getattr(alone, name)[0], getattr(counted, name)[place])


def test_readers_find_words_without_spaces() -> None:
    texts = ["two words", "", "snake_case, too", "天气很好，我们去山上。", "วันนี้อากาศดีมาก", "слово и ещё"]
    told = dict(zip(texts, spoken_words(texts).tolist(), strict=True))
    assert [told[text] for text in (*texts[:3], texts[-1])] == [2, 0, 2, 3]
    assert all(told[text] >= 6 > words([text])[0] for text in texts[3:5])
