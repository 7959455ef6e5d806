from __future__ import annotations

import random

from benchmarks.search_queries import (
    SENTENCES,
    SENTENCES_A_PAGE,
    TITLES,
    WORDS_OF_A_SENTENCE,
    GoldText,
    Query,
    queries,
    sentences,
    terms,
    title,
)


def page(name: str, text: str, group: str | None = "article", html: str = "") -> GoldText:
    return GoldText(f"https://a.example/{name}", text, group, html)


def of(kind: str, found: list[Query]) -> list[Query]:
    return [query for query in found if query.kind == kind]


HARBOUR = page("harbour", "The harbour\nOld cranes unload timber beside the granite quay every morning.")
ORCHARD = page("orchard", "The orchard\nRusset apples ripen late; pickers climb ladders among the branches.")
QUARRY = page("quarry", "The quarry\nDynamite split the slate while masons shaped roof tiles by hand.")
NEWS = page("news", "The news\nOld cranes unload timber beside the granite quay every morning.", "listing")
SITE = [HARBOUR, ORCHARD, QUARRY, NEWS]


def test_a_title_is_asked_for_without_common_words() -> None:
    assert {query.words: query.answers for query in of(TITLES, queries(SITE))} == {
        ("harbour",): {HARBOUR.url},
        ("orchard",): {ORCHARD.url},
        ("quarry",): {QUARRY.url},
    }


def test_words_of_a_sentence_are_uncommon_and_in_its_page() -> None:
    found = of(SENTENCES, queries(SITE))
    assert {query.page.url for query in found} == {HARBOUR.url, ORCHARD.url, QUARRY.url}
    for query in found:
        assert len(set(query.words)) == WORDS_OF_A_SENTENCE
        assert "the" not in query.words
        assert set(query.words) <= set(terms(query.page.text))


def test_every_page_that_holds_the_sentence_answers() -> None:
    answers = {query.page.url: query.answers for query in of(SENTENCES, queries(SITE))}
    assert answers[HARBOUR.url] == {HARBOUR.url, NEWS.url}
    assert answers[QUARRY.url] == {QUARRY.url}


def test_a_page_asks_for_a_bounded_number_of_sentences() -> None:
    colours = ("amber", "azure", "coral", "ivory", "khaki", "olive", "umber", "white")
    long = page("long", "\n".join(f"Paint {colour} walls here." for colour in colours))
    found = of(SENTENCES, queries([long, *SITE]))
    assert sum(query.page == long for query in found) == SENTENCES_A_PAGE


def test_pages_of_the_same_gold_text_answer_together() -> None:
    twin = page("harbour?print", HARBOUR.text)
    found = queries([*SITE, twin])
    assert len([query for query in of(TITLES, found) if "harbour" in query.words]) == 1
    for query in found:
        assert (HARBOUR.url in query.answers) == (twin.url in query.answers)


def test_pages_of_the_same_title_answer_together() -> None:
    other = page("quarry-2", "Quarry\nFlooded since spring, divers now explore rusted engines.")
    (query,) = [query for query in of(TITLES, queries([*SITE, other])) if "quarry" in query.words]
    assert query.answers == {QUARRY.url, other.url}


def test_queries_are_the_same_whatever_the_order_of_pages() -> None:
    shuffled = SITE.copy()
    random.Random(3).shuffle(shuffled)
    assert queries(shuffled) == queries(SITE) == queries(SITE)


def test_a_site_of_overviews_has_no_queries() -> None:
    assert queries([NEWS]) == []
    assert queries([]) == []


def test_the_title_is_the_first_h1_that_is_gold() -> None:
    html = "<h1>My Site</h1><p>News</p><h1>The  <em>old</em> harbour</h1>"
    assert title(page("a", "News\nThe old harbour!\nCranes.", html=html)) == "The old harbour!"


def test_without_a_heading_the_first_line_is_the_title() -> None:
    assert title(page("a", "\n—\nThe harbour\nCranes.", html="<h1>My Site</h1>")) == "The harbour"
    assert title(page("a", "words " * 31)) is None
    assert title(page("a", " \n")) is None


def test_hostile_html_has_a_title_too() -> None:
    assert title(page("a", "Gold", html="\0<!-- \ud800")) == "Gold"


def test_scripts_without_spaces_are_asked_for_by_two_characters() -> None:
    assert terms("Perl 技術力 とは何か") == ["perl", "技術", "術力", "とは", "は何", "何か"]
    assert terms("字 Ünïcode_x") == ["字", "ünïcode_x"]


def test_sentences_end_at_marks_and_lines() -> None:
    text = 'One. Two "three?" Four 3.5 miles\n技術。技能。\n\nOne.'
    assert sentences(text) == ["One.", 'Two "three?', "Four 3.5 miles", "技術。", "技能。"]
