from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.title import affixes, clean

TITLES = [f"Page {number} | Example Press" for number in range(9)] + ["Example Press"]


def test_part_that_most_titles_share_names_the_site() -> None:
    assert affixes(TITLES) == {"Example Press"}


def test_title_that_nearly_all_pages_have_names_the_site() -> None:
    assert affixes(["Example Press"] * 4 + ["Binding"]) == {"Example Press"}
    assert affixes(["Example Press"] * 3 + ["Binding", "Sewing"]) == frozenset()
    assert affixes([""] * 9) == frozenset()


def test_part_of_few_titles_is_no_name() -> None:
    assert affixes(["A - News", "B - News", "C", "D", "E", "F", "G"]) == frozenset()
    assert affixes(["A - News", "B - News"]) == frozenset()


@pytest.mark.parametrize(
    ("title", "cleaned"),
    [
        ("How to bind a book | Example Press", "How to bind a book"),
        ("Example Press – How to bind a book", "How to bind a book"),
        ("Example Press", "Example Press"),
        ("How to bind - a book | Example Press", "How to bind - a book"),
        ("A well-known book", "A well-known book"),
        ("A | Example Press | Example Press", "A"),
    ],
)
def test_clean(title: str, cleaned: str) -> None:
    assert clean(title, frozenset({"Example Press"})) == cleaned


@given(st.text("ab |-–:", max_size=30), st.frozensets(st.text("ab ", max_size=4), max_size=3))
def test_clean_gives_a_part_of_the_title_and_never_loses_all(title: str, site: frozenset[str]) -> None:
    cleaned = clean(title, site)
    assert cleaned in title
    assert bool(cleaned) == bool(title) or not title.strip(" |-–:")
