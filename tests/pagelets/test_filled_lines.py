"""Sentences with the title of the page filled in."""

from __future__ import annotations

import pytest
from hypothesis import given

from pagelets.block_keys import block_keys
from pagelets.containers import Containers
from pagelets.filled_lines import FILLED, filled_lines
from pagelets.reading import read
from pagelets.record import RecordParameters, page_record
from tests.pagelets.reading.test_reading import HTML, URL


def lines(body: str, title: str = "Rye bread | The Mill") -> list[str]:
    found = filled_lines(read(f"<title>{title}</title><body>{body}", URL))
    return [line.replace(FILLED, "_") for line in found.values()]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Did you like “Rye bread”? Tell a friend.", "Did you like “_”? Tell a friend."),
        ("Never miss a page like Rye bread!", "Never miss a page like _!"),
        ("Rye bread was last changed in 2019.", "_ was last changed in 2019."),
        ("「Rye bread」はいかがでしたか。", "「_」はいかがでしたか。"),
    ],
)
def test_a_sentence_with_the_title_in_it_is_one(text: str, line: str) -> None:
    assert lines(f"<h1>Rye bread</h1><p>{text}</p>") == [line]
    assert lines(f"<p>{text}</p>") == [line]
    assert lines(f"<h1>Rye bread</h1><p>{text}</p>", title="The Mill") == [line]
    assert lines(f"<div>Rye bread</div><p>{text}</p>", title="Mill: Rye bread") == [line]


@pytest.mark.parametrize(
    "text",
    [
        "Rye bread", "Job title: Rye bread.", "Home Bread Of grain Rye bread",
        "Did you like it? Tell a friend.",
        f"Rye bread is old. {'It rises for a day and a night. ' * 6}",
    ],
)  # fmt: skip
def test_titles_fields_trails_and_longer_texts_are_none(text: str) -> None:
    assert lines(f"<h1>Rye bread</h1><p>{text}</p>") == []


def test_a_heading_has_to_be_two_sentences() -> None:
    assert lines("<h2>What do they say of Rye bread?</h2>") == []
    assert lines("<h2>Questions on Rye bread? Write to us.</h2>") == ["Questions on _? Write to us."]


def test_pages_count_such_a_line_together_at_its_place() -> None:
    def placed(title: str, text: str) -> int:
        page = read(f"<title>{title}</title><p>{text}", URL)
        return int(block_keys(page, Containers.of(page))["placed"][0])

    line = "Did you like {}? Tell a friend."
    rye = placed("Rye", line.format("Rye"))
    assert rye == placed("Oats", line.format("Oats"))
    assert rye != placed("Oats", line.format("Rye"))
    assert placed("Rye", "Rye is old.") != placed("Oats", "Oats is old.")


def test_the_same_line_on_a_page_of_another_title_is_another_fragment() -> None:
    line = "<p>Did you like Rye? Tell a friend."
    records = [
        page_record(f"<title>{title}</title>{line}", URL, RecordParameters()) for title in ("Rye", "Oats")
    ]
    assert records[0].fingerprints != records[1].fingerprints
    assert records[0].fingerprint == records[1].fingerprint


@given(HTML)
def test_the_rest_of_a_line_and_the_title_are_its_text(html: str) -> None:
    page = read(html, URL)
    for place, line in filled_lines(page).items():
        first, *others = line.split(FILLED)
        text = page.blocks[place].text
        assert others and text.startswith(first) and text.endswith(others[-1])
