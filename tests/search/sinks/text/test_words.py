from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.sinks.text.words import RUN, normalised, segmented, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Quick_brown fox's 2nd—den.", "the quick brown fox s 2nd den"),
        ("Ærøskøbing Łódź Çeşme ÉCOLE e\u0301cole naïve", "aeroskobing lodz cesme ecole ecole naive"),
        ("Straße STRASSE ﬁn Ｆｕｌｌ ①", "strasse strasse fin full 1"),
        ("Ёлка Ἀθῆναι ΣΊΣΥΦΟΣ", "елка αθηναι σισυφοσ"),
        ("İstanbul ışık", "istanbul isik"),
        ("مُحَمَّد שָׁלוֹם", "محمد שלום"),
        ("हिन्दी में।", "हिन्दी में"),
        ("東京タワー2階", "東 京 タ ワ ー 2 階"),
        ("が カ\u3099", "が ガ"),
        ("학교에서", "학 교 에 서"),
        ("ไทย", "ไ ท ย"),
        ("Donau\u00addampf\u200bschiff \u202eabc\u202c", "donaudampf schiff abc"),
        ("a\0b\ufffd\U0001f600c", "a b c"),
        ("", ""),
    ],
)
def test_texts_are_words_without_case_and_accents(text, expected):
    assert words(text) == expected.split()


def test_a_stemmer_gets_words_with_their_accents():
    assert normalised("Écoles e\u0301lues, Straße", accents=True).split() == ["écoles", "élues", "straße"]


@given(st.text())
def test_words_are_their_own_words(text):
    said = words(text)
    assert words(" ".join(said)) == said
    assert all(word and not word.isspace() for word in said)


@given(st.text().map(lambda text: unicodedata.normalize("NFKC", text)))
def test_the_runs_of_a_text_have_all_its_words(text):
    assert [word for run in RUN.finditer(text) for word in words(run[0])] == words(text)


def test_only_scripts_without_spaces_are_segmented():
    assert segmented("Ελληνικά and हिन्दी") == "Ελληνικά and हिन्दी"
    assert segmented("in 東京").split() == ["in", "東", "京"]
