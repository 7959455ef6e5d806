from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.query import (
    MAX_CLAUSES,
    MAX_QUERY_CHARS,
    Clause,
    Occur,
    Query,
    day_of,
    language_prefixes,
    path_of,
)

MAY, MUST, NOT = Occur.MAY, Occur.MUST, Occur.NOT


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("stone  wall", [("stone", MAY), ("wall", MAY)]),
        ('"dry stone" wall', [("dry stone", MUST), ("wall", MAY)]),
        ('+stone -wall -"old  mill"', [("stone", MUST), ("wall", NOT), ("old mill", NOT)]),
        ("“dry stone„", [("dry stone", MUST)]),
        ('"never closed', [("never closed", MUST)]),
        ("state-of-the-art C++", [("state-of-the-art", MAY), ("C++", MAY)]),
        ("title:stone", [("title:stone", MAY)]),
        ("東京 -京都", [("東京", MAY), ("京都", NOT)]),
        ('+ - "" "!!" -- ? * ( AND', [("AND", MAY)]),
        ("a\0b", [("a", MAY), ("b", MAY)]),
        ("", []),
    ],
)
def test_a_text_is_words_and_phrases(text, clauses):
    assert Query.parse(text).clauses == tuple(Clause(*clause) for clause in clauses)


@given(st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_every_text_is_a_query(text, language, path):
    query = Query.parse(text, language=language, path=path)
    for said in (*(clause.text for clause in query.clauses), query.language or "", query.path or ""):
        said.encode("utf-8")
        assert "\0" not in said


def test_a_query_is_bounded():
    assert len(Query.parse("word " * 10_000).clauses) == MAX_CLAUSES
    assert len(Query.parse("w" * 10_000).clauses[0].text) == MAX_QUERY_CHARS


def test_a_path_may_come_as_it_stands_in_a_url():
    assert Query.parse("", path="caf%C3%A9/").path == "/café/"
    assert path_of("https://site.example/caf%C3%A9/%00?q#f") == "/café/\ufffd"
    assert path_of("https://site.example") == path_of("http://[broken") == "/"


def test_a_language_is_found_by_the_beginnings_of_its_tag():
    assert language_prefixes("zh-Hant_TW") == ["zh", "zh-hant", "zh-hant-tw"]
    assert language_prefixes(None) == language_prefixes("") == []


@pytest.mark.parametrize(
    ("published", "fetched", "day"),
    [
        ("2024-05-31", "2026-01-01T00:00:00Z", date(2024, 5, 31)),
        ("2024-05-31T23:30:00-05:00", None, date(2024, 5, 31)),
        (None, "2026-01-01T00:00:00Z", date(2026, 1, 1)),
        ("long ago", "2026-01-01", date(2026, 1, 1)),
        (None, "never", None),
        (None, None, None),
    ],
)
def test_a_document_has_the_day_of_its_publication_else_of_its_fetch(published, fetched, day):
    assert day_of(published, fetched) == day
