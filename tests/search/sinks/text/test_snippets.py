from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from search.query import Query
from search.sinks.text.snippets import SNIPPET_CHARS, snippet, wanted
from search.sinks.text.words import words

FILLER = "nothing of interest stands in this line, nor in the next one.\n"


def shown(text: str, query: str) -> str:
    pieces = snippet(text, wanted(Query.parse(query), words), words)
    return "".join(f"*{piece.text}*" if piece.hit else piece.text for piece in pieces)


def test_words_are_marked_as_the_text_has_them():
    assert shown("Die Straße nach Zürich,\n\n ZURICH!", "strasse zürich") == (
        "Die *Straße* nach *Zürich*, *ZURICH*!"
    )


def test_a_phrase_is_marked_as_one_and_its_words_elsewhere_are_not():
    text = "A stone. A dry-stone wall, dry as a stone."
    assert shown(text, '"dry stone"') == "A stone. A *dry-stone* wall, dry as a stone."


def test_parts_of_words_in_scripts_without_spaces_are_marked():
    assert shown("東京都は日本の首都である。京都", "京都") == "東*京都*は日本の首都である。*京都*"


def test_the_place_with_most_of_what_was_looked_for_is_shown():
    text = f"{FILLER * 20}wall {FILLER * 20}the stone of this wall {FILLER * 20}"
    found = shown(text, "stone wall")
    assert "*stone* of this *wall*" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert len(found) < SNIPPET_CHARS + 60


def test_the_beginning_is_shown_where_nothing_is_found():
    assert shown(FILLER * 20, "zebra").startswith("nothing of interest")
    assert shown("", "zebra") == ""


def test_what_is_excluded_is_not_marked():
    assert shown("a dry wall", "wall -dry") == "a dry *wall*"


@given(st.text(max_size=600), st.text(max_size=30))
def test_a_snippet_is_a_part_of_the_text(text, query):
    pieces = snippet(text, wanted(Query.parse(query), words), words)
    plain = "".join(piece.text for piece in pieces)
    assert plain.removeprefix("…").removesuffix("…").strip() in " ".join(text.split())
    assert all(piece.text for piece in pieces)
