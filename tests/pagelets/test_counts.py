"""What a site counts is told from other numbers by the words beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.block_keys import placed_key
from pagelets.counts import LISTED_SHARE, NAMED_SHARE, SHARE, least_share, names_event, written_forms

PROSE = "Bread is made of flour, water and salt, and of time more than of anything else that is in a kitchen"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("1,234 views", NAMED_SHARE),
        ("Beitragsaufrufe: 3.364", NAMED_SHARE),
        ("812 pageviews", NAMED_SHARE),
        ("17 people have this in their basket", NAMED_SHARE),
        ("Lu 12 fois", NAMED_SHARE),
        ("浏览 12 次", NAMED_SHARE),
        ("145 compartidos", NAMED_SHARE),
        ("12 udostępnień", NAMED_SHARE),
        ("3 репоста", NAMED_SHARE),
        ("Generated in 12 ms", NAMED_SHARE),
        ("Temps : 0.031s | 15 requêtes", NAMED_SHARE),
        ("4 min read", NAMED_SHARE),
        ("阅读约 4 分钟", NAMED_SHARE),
        ("Lesezeit: 4 Minuten", NAMED_SHARE),
        ("Updated 3 hours ago", NAMED_SHARE),
        ("Today is 04.07.2007", NAMED_SHARE),
        ("आज 16/6/2024 है", NAMED_SHARE),
        ("Today only: 10.99", None),
        ("Open on 04.07.2007", None),
        ("3 hours ago", None),
        ("4 min read, updated May 2, 2024", None),
        ("Page 9 of 11", SHARE),
        ("Showing 1–12 of 40 results", LISTED_SHARE),
        ("Ergebnisse 7 bis 8 von 8 werden angezeigt", LISTED_SHARE),
        ("Mostrando 1 a 8 de 9 (2 páginas)", LISTED_SHARE),
        ("Showing all 14 results", LISTED_SHARE),
        ("Hiển thị tất cả 14 kết quả", LISTED_SHARE),
        ("Wyświetlanie wszystkich wyników: 14", LISTED_SHARE),
        ("1 Item(s)", LISTED_SHARE),
        ("共 2页19条", LISTED_SHARE),
        ("Results of 12 teams that met twice", SHARE),
        ("Box of 12 items", SHARE),
        ("Week 12 results", SHARE),
        ("Items 9-1 of 3", SHARE),
        ("From 1 to 3 of 5 years", None),
        ("Generated in 2024, 12 kWh", None),
        ("12 ms", None),
        ("1,234 comments on May 12, 2024", None),
        ("12 sold for $3", None),
        ("Only 3 left in stock, 12 sold", None),
        ("1234", None),
        (f"12 views of the matter: {PROSE}", None),
    ],
)
def test_words_tell_from_which_share_of_pages_a_text_is_a_counter(text: str, share: float | None) -> None:
    assert least_share(text) == share
    assert names_event(text) == (share == NAMED_SHARE)


@given(st.integers(0, 999_999_999), st.sampled_from([",", ".", " ", "’"]), st.integers(0, 999_999_999))
def test_a_text_with_another_number_has_the_same_forms(number: int, gap: str, other: int) -> None:
    forms = {placed_key(form, 5) for form in written_forms(f"Read {number:,} times".replace(",", gap))}
    assert placed_key(f"Read {other:,} times".replace(",", gap), 5) in forms
    assert placed_key(f"Read {other} times", 5) in forms


def test_a_text_of_several_numbers_has_one_form() -> None:
    assert written_forms("Page 9 of 11") == ["Page 9 of 11"]
