"""Counters are what a site says on most of its pages but for a number."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagelets
from pagelets.block_keys import placed_key
from pagelets.judging.counters import NAMED_SHARE, SHARE, least_share, written_forms

PROSE = "Bread is made of flour, water and salt, and of time more than of anything else that is in a kitchen"


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("1,234 views", NAMED_SHARE),
        ("17 people have this in their basket", NAMED_SHARE),
        ("Lu 12 fois", NAMED_SHARE),
        ("浏览 12 次", NAMED_SHARE),
        ("Generated in 12 ms", NAMED_SHARE),
        ("Temps : 0.031s | 15 requêtes", NAMED_SHARE),
        ("Page 9 of 11", SHARE),
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


@given(st.integers(0, 999_999_999), st.sampled_from([",", ".", " ", "’"]), st.integers(0, 999_999_999))
def test_a_text_with_another_number_has_the_same_forms(number: int, gap: str, other: int) -> None:
    forms = {placed_key(form, 5) for form in written_forms(f"Read {number:,} times".replace(",", gap))}
    assert placed_key(f"Read {other:,} times".replace(",", gap), 5) in forms
    assert placed_key(f"Read {other} times", 5) in forms


def test_a_text_of_several_numbers_has_one_form() -> None:
    assert written_forms("Page 9 of 11") == ["Page 9 of 11"]


def kept(pages: int, line: Any, others: int = 0, **arguments: Any) -> list[str]:
    """What a site keeps of a line of each of its pages; takes what makes it, and further pages without it."""
    with pagelets.Site(**arguments) as site:
        for number in range(pages + others):
            words = " ".join(f"{word}{number}" for word in PROSE.split())
            own = line(number) if number < pages else ""
            site.add(
                f"https://a.example/{number}",
                f"<title>Bread {number}</title><main><article><h1>Bread {number}</h1>{own}"
                f"<p>{PROSE}, {words}.</p><p>{words}, {PROSE}.</p></article></main>",
            )
        return [
            found[0]
            for document in site.documents(["text"])
            if (found := re.findall(r"(?m)^.*(?:views|Note|NO).*$", document["text"]))
        ]


def views(number: int) -> str:
    return f"<p>{990 + number:,} views</p>"


def test_a_counter_goes_from_all_pages_whatever_its_number() -> None:
    assert len(kept(9, views)) == 9
    assert kept(12, views) == []
    assert kept(12, views, 12) == []
    assert len(kept(12, views, 13)) == 12


def test_what_names_no_event_of_the_site_goes_from_nearly_all_pages_alone() -> None:
    assert kept(18, lambda number: f"<p>Note {number} of ours</p>", 2) == []
    assert len(kept(17, lambda number: f"<p>Note {number} of ours</p>", 3)) == 17
    assert len(kept(18, lambda number: f"<h2>Note {number} of ours</h2>")) == 18


def test_a_list_of_such_lines_is_no_counter() -> None:
    def twice(number: int) -> str:
        return f"<p>Note {number} of bread</p><p>Note {number + 50} of bread</p>"

    assert len(kept(12, twice)) == 12


def test_people_who_teach_or_select_a_counter_keep_it() -> None:
    def marked(number: int) -> str:
        return views(number).replace("<p>", "<p class=count>")

    assert kept(12, marked) == []
    assert len(kept(12, marked, taught={".count": 4.0})) == 12
    assert len(kept(12, marked, keep=[".count"])) == 12
