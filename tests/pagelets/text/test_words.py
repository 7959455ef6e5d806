import re
import unicodedata

import pytest
from hypothesis import given

from pagelets.text.words import BETWEEN, PART, character_kinds, tokens, words
from tests.pagelets.test_sketch import ANY_TEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n…—!", []),
        ("Hello, World! It's 3.14", ["hello", "world", "it", "s", "3", "14"]),
        ("snake_case", ["snake", "case"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("İstanbul ISPARTA", ["i", "stanbul", "isparta"]),
        ("我是学生。ok", ["我", "是", "学", "生", "ok"]),
        ("東京タワーへ", ["東", "京", "タ", "ワ", "ー", "へ"]),
        ("กา ดี", ["ก", "า", "ด", "ี"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("ΟΔΟΣ", ["οδοσ"]),
        ("ﬁne Ⅷ x²", ["fine", "ⅷ", "x²"]),
        ("caf\u00e9", ["café"]),
        ("e\u0301t", ["e", "t"]),
        ("a\ud800b", ["a", "b"]),
        ("a\U0010ffffb\U0003ffffc", ["a", "b", "\U0003ffff", "c"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(ANY_TEXT)
def test_words_are_all_letters_and_digits_in_order(text: str) -> None:
    found = words(text)
    assert words(" ".join(found)) == found
    kept = "".join(character for character in "".join(found) if unicodedata.category(character)[0] in "LN")
    assert kept == re.sub(
        r"[\W_]", "", "".join(c for c in text.casefold() if unicodedata.category(c)[0] in "LN")
    )
    assert all(found)


def test_tokens_keep_what_joins_words() -> None:
    assert tokens("Snake_Case, it's 東京 3.14") == ["snake_case", "it", "s", "東京", "3", "14"]


def test_letters_and_digits_of_all_scripts_belong_to_words():
    kinds = enumerate(character_kinds()[:0x20000].tolist())
    assert all((kind == PART) == chr(code).isalnum() for code, kind in kinds if kind in (BETWEEN, PART))
