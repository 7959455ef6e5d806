"""Counters are what a site says on most of its pages but for a number."""

from __future__ import annotations

import re
from typing import Any

import pagelets

PROSE = "Bread is made of flour, water and salt, and of time more than of anything else that is in a kitchen"


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
    assert len(kept(2, views)) == 2
    assert kept(3, views) == kept(12, views) == []
    assert kept(12, views, 48) == []
    assert len(kept(12, views, 49)) == 12


def test_what_names_no_event_of_the_site_goes_from_nearly_all_pages_alone() -> None:
    assert kept(18, lambda number: f"<p>Note {number} of ours</p>", 2) == []
    assert len(kept(9, lambda number: f"<p>Note {number} of ours</p>")) == 9
    assert len(kept(17, lambda number: f"<p>Note {number} of ours</p>", 3)) == 17
    for tag in ("h2", "pre"):
        assert len(kept(18, lambda number, tag=tag: f"<{tag}>Note {number} of ours</{tag}>")) == 18, tag


def test_which_entries_a_listing_shows_goes_from_few_pages() -> None:
    def line(number: int) -> str:
        return f"<p>Note {number + 1}-{number + 4} of 90</p>"

    assert kept(3, lambda number: line(number) * 2, 40) == []
    assert len(kept(2, line, 40)) == 2


def test_a_counter_goes_from_a_line_that_stays() -> None:
    def line(number: int) -> str:
        return f"<p>{note(number)} <span>\n{' ' * 40}{number % 3 + 3} min read\n</span></p>"

    def note(number: int) -> str:
        return f"Note: this bread is baked by {PROSE.split()[number].title()} and sons"

    assert sorted(kept(12, line)) == sorted(map(note, range(12)))
    assert f"{note(0)} 3 min read" in kept(2, line)


def test_a_count_in_a_sentence_is_part_of_it() -> None:
    def line(number: int) -> str:
        words = PROSE.split()
        turned = " ".join([*words[number:], *words[:number]])
        return f"<p>Note: this bread has had <b>{990 + number} views</b>, and {turned}</p>"

    assert len(kept(12, line)) == len([text for text in kept(12, line) if " views, and" in text]) == 12


def test_a_number_that_a_list_of_the_most_read_repeats_is_a_counter() -> None:
    def line(number: int) -> str:
        most_read = "".join(f"<li>Bread {other} <em>{views(other)[3:-4]}</em>" for other in range(9))
        return f"{views(number)}<aside><ul>{most_read}</ul></aside>"

    assert kept(12, line) == []


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
