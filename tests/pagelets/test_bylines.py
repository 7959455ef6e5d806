"""Bylines are found at the head of an article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.bylines import byline, names_date
from pagelets.reading import read
from tests.quality.annotated import MADE

TEXT = "<p>" + "The bread rose all night in a cold kitchen, and nobody in the house looked after it. " * 4
URL = "https://a.example/bread"


def found(head: str, before: str = "", meta: str = "") -> list[str]:
    page = read(f"<head>{meta}</head><body>{before}<h1>Bread</h1>{head}{TEXT}", URL)
    return [page.blocks[place].text for place in byline(page)]


@pytest.mark.parametrize(
    "line",
    [
        "By Ann Smith",
        "Written by Ann Smith, May 3, 2024",
        "Von Anna Schmidt",
        "Par Jean Petit",
        "作者：王小明",
        "Автор: Анна Иванова",
        "ByAnn Smith",
        "Posted on May 3, 2024 by Ann",
        '<a href="/author/ann/">Ann</a>',
    ],
)
def test_lines_that_name_an_author(line: str) -> None:
    assert len(found(f"<div>{line}</div>")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "Bye bye, bread",
        "By clicking here you agree",
        "May 3, 2024",
        "Discard the first loaf",
        "Di solito il pane",
        f"By Ann Smith {'who bakes ' * 20}",
        "",
    ],
)
def test_lines_that_name_none(line: str) -> None:
    assert found(f"<div>{line}</div>") == []


def test_a_paragraph_without_spaces_is_no_line() -> None:
    spring = "2023年春天，我们第一次去山上看雪，那时候路还没有修好，大家走了三天三夜才到。"
    said = "李明说，山上的天气变得很快，早上还有太阳，下午就下起雪来了，必须带足衣服和干粮才可以上山。"
    head = f"<p>作者：李明</p><p>2024年5月3日 10:20</p><p>{spring}</p><p>{said}</p>"
    assert found(head, meta='<meta name="author" content="李明">') == ["作者：李明", "2024年5月3日 10:20"]


def test_what_stands_beside_a_name_belongs_to_it() -> None:
    head = "<div>By</div><div>Ann Smith</div><div>Staff writer</div><div>May 3, 2024</div><div>Kitchen</div>"
    assert found(head) == ["By", "Ann Smith", "Staff writer", "May 3, 2024"]
    assert found("<div>Ann Smith</div><div>May 3, 2024</div>") == ["Ann Smith", "May 3, 2024"]
    assert found("<div>ann smith</div><div>May 3, 2024</div>") == []


def test_a_declared_author_is_known_by_name() -> None:
    declared = '<meta name="author" content="Ann Smith">'
    assert found("<div>Ann Smith bakes</div>", meta=declared) == ["Ann Smith bakes"]
    assert found("<div>Ann Smith bakes</div>") == []


def test_bylines_stand_at_the_head_alone() -> None:
    assert found("", "<div>By Ann Smith</div>") == ["By Ann Smith"]
    assert found(f"{TEXT}<div>By Ann Smith</div>") == []
    assert byline(read(f"<p>By Ann Smith{TEXT}", URL)) == []
    assert byline(read("", URL)) == []


@pytest.mark.parametrize(("name", "line"), [("magazine", "By "), ("newspaper", "By ")])
def test_the_made_sites_have_theirs_on_each_article_and_nowhere_else(name: str, line: str) -> None:
    for made in MADE[name]():
        page = read(made.html, made.url)
        texts = [page.blocks[place].text for place in byline(page)]
        assert any(text.startswith(line) for text in texts) == (made.group == "article"), made.url


def test_days_are_known_in_many_languages_by_a_number_and_a_month() -> None:
    days = """
        May 5|5 May|3rd of May|Sept. 5|12-Jan-2020|1er mai|7 de enero|15 d’abril|12. září|6 maja
        elokuu 3|5 мая|12 במרץ|15 مارس|5月3日|2024년|2024-05-03|3.5.24
    """
    for day in days.replace("\n", "|").split("|"):
        assert names_date(day) or not day.strip(), day
    for other in "Chapter 12|Market 24|Gen 5|fra 5|tra 5 giorni|May 2024|12 items|5.3|may".split("|"):
        assert not names_date(other), other


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_stands_there_the_text_is_no_byline(first: str, second: str) -> None:
    page = read(f"<h1>{first}</h1><div>{second}</div>{TEXT}", URL)
    positions = byline(page)
    assert positions == sorted(set(positions))
    assert all(len(page.blocks[place].text.split()) <= 25 for place in positions)


def test_a_number_of_a_million_digits_takes_no_longer_than_a_word() -> None:
    # Nothing is timed: what is not linear in its digits takes hours.
    assert found(f"<div>By Ann Smith</div><div>{'1' * 1_000_000}</div><div>12 min read</div>") == [
        "By Ann Smith",
        "12 min read",
    ]
