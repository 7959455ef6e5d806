from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.judging.title import clean, site_names

TITLES = [f"Page {number} | Example Press" for number in range(9)] + ["Example Press"]


def affixes(titles: list[str]) -> frozenset[str]:
    return site_names(titles)[0]


def test_part_that_most_titles_share_names_the_site() -> None:
    assert affixes(TITLES) == {"Example Press"}


def test_title_that_nearly_all_pages_have_names_the_site() -> None:
    assert affixes(["Example Press"] * 4 + ["Binding"]) == {"Example Press"}
    assert affixes(["Example Press"] * 3 + ["Binding", "Sewing"]) == frozenset()
    assert affixes([""] * 9) == frozenset()


def test_a_name_between_strokes_is_one_part() -> None:
    titles = [f"Page {number} | _| Example Press |_" for number in range(9)]
    assert affixes(titles) == {"_| Example Press |_"}
    assert clean(titles[0], affixes(titles)) == "Page 0"


def test_part_of_few_titles_is_no_name() -> None:
    assert affixes(["A - News", "B - News", "C", "D", "E", "F", "G"]) == frozenset()
    assert affixes(["A - News", "B - News"]) == frozenset()


def test_what_most_pages_share_names_the_site_and_what_is_left_is_the_title() -> None:
    pages = [f"Page {number}" for number in range(11)]
    for titles in (
        ["Example Press - News"] * 23 + ["Example Press"] * 4 + pages,
        ["News - Example Press"] * 23 + ["Example Press"] * 4 + pages,
        ["Example Press - News"] * 23 + [f"Example Press - {page}" for page in pages],
        ["News - Example Press"] * 23 + ["News - Other"] * 2 + [f"{page} - Example Press" for page in pages],
    ):
        site = affixes(titles)
        assert site == {"Example Press"}
        assert clean(titles[0], site) == "News"


def test_names_at_both_ends_are_both_the_sites() -> None:
    titles = [f"Example - Page {number} - Books and more" for number in range(9)]
    for home in ("Example - Books and more", "Example - Welcome - Books and more"):
        site = affixes([*titles, home])
        assert site == {"Example", "Books and more"}
        assert [clean(title, site) for title in titles] == [f"Page {number}" for number in range(9)]
        assert clean(home, site) in ("Example", "Welcome")
    assert affixes([f"Page {number} - Shop - Example" for number in range(9)]) == {"Example"}


def test_parts_that_nearly_all_titles_have_say_nothing_of_any() -> None:
    pages = [f"Page {number}" for number in range(9)]
    for form, names, beside in (
        ("{} | Example - Books and more", {"Books and more"}, {"Example"}),
        ("{} :: Fair :: Example", {"Example"}, {"Fair"}),
        ("{} [Example Press]", {"[Example Press]"}, set()),
        ("{} (Books 17 - Map)", {"(Books 17 - Map)"}, set()),
        ("Example Press: {}", set(), {"Example Press:"}),
        ("本の会：{}", set(), {"本の会："}),
    ):
        titles = [*map(form.format, pages), form.format("On (c) and: [d]"), "Something else"]
        assert site_names(titles) == (names, beside)
        cleaned = [clean(title, frozenset(names | beside)) for title in titles]
        assert cleaned == [*pages, "On (c) and: [d]", "Something else"]
    others = [f"Sheet {number}" for number in range(9)]
    for titles in (
        [f"Class: {page} | Example" for page in (*pages, *others)],
        [*(f"{page} | Fair | Example" for page in pages), *others],
        [*(f"Chapter: {page}" for page in pages), *others],
    ):
        assert site_names(titles)[1] == frozenset()


def test_scripts_without_spaces_have_none_around_a_separator() -> None:
    for separator in ("_", "-", "——", "－", "|", "｜", " - "):
        titles = [f"第{number}个装订方法{separator}书籍-出版社" for number in "一二三四"]
        assert affixes(titles) == {"出版社"}
        assert clean(titles[0], frozenset({"出版社"})) == f"第一个装订方法{separator}书籍"
    assert affixes([f"How to {word} e-books" for word in ("bind", "sew", "read")]) == frozenset()
    assert affixes([f"How to {word} books|Example" for word in ("bind", "sew", "read")]) == {"Example"}


@pytest.mark.parametrize(
    "separator", [" -- ", " || ", " |", "| ", " › ", " < ", " ∙ ", " │ ", " − ", " ― ", " → ", " :: "]
)
def test_separators_of_many_kinds_part_a_title_from_the_site(separator: str) -> None:
    titles = [f"How to {word} x|y-z{separator}Example" for word in ("bind", "sew", "read")]
    site = affixes(titles)
    assert site == {"Example"}
    assert clean(titles[0], site) == "How to bind x|y-z"


def test_what_closes_a_bracket_parts_no_title() -> None:
    titles = [f"Docs > Map{number}< K, Ref< V > > Class Reference | Example" for number in range(9)]
    assert affixes(titles) == {"Docs", "Example"}
    assert clean(titles[0], affixes(titles)) == "Map0< K, Ref< V > > Class Reference"


@pytest.mark.parametrize("part", ["-", "|", "｜", "_-", "日-", "- ", "a -", " (", "： ", "a: "])
def test_titles_are_parted_in_linear_time(part: str) -> None:
    """Nothing is timed: what is not linear takes minutes."""
    for title in (part * 150_000, f"日{part * 150_000}", f"{part * 150_000}日)"):
        assert clean(title, frozenset({"Example"})) == title


def test_a_title_of_names_that_all_pages_have_says_nothing_of_any() -> None:
    assert affixes(["Example - Books and more"] * 9) == {"Example", "Books and more"}


@pytest.mark.parametrize(
    ("title", "cleaned"),
    [
        ("How to bind a book | Example Press", "How to bind a book"),
        ("Example Press – How to bind a book", "How to bind a book"),
        ("Example Press", "Example Press"),
        ("How to bind - a book | Example Press", "How to bind - a book"),
        ("A well-known book", "A well-known book"),
        ("A | Example Press | Example Press", "A"),
        ("Example Press | ", "Example Press"),
        ("- Example Press", "Example Press"),
        ("| A", "| A"),
    ],
)
def test_clean(title: str, cleaned: str) -> None:
    assert clean(title, frozenset({"Example Press"})) == cleaned


def test_clean_of_names_of_several_parts() -> None:
    site = frozenset({"Quire - Books | Bindings"})
    for title in ("A - B | Quire - Books | Bindings", "Quire - Books | Bindings – A - B"):
        assert clean(title, site) == "A - B"
    assert clean("Quire - Books", site) == "Quire - Books"


@given(st.text("ab |-–:日_", max_size=30), st.frozensets(st.text("ab 日", max_size=4), max_size=3))
def test_clean_gives_a_part_of_the_title_and_never_loses_all(title: str, site: frozenset[str]) -> None:
    cleaned = clean(title, site)
    assert cleaned in title
    assert bool(cleaned) == bool(title) or not title.strip(" |-–:_")
