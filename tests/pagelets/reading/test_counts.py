"""Counts inside a line are blocks of their own, and the line is one again where all of it is kept."""

from __future__ import annotations

import pytest

from pagelets.reading import read

URL = "https://a.example/"
LONG = "a sentence that says how often the bread of the village was praised by all who came, "


@pytest.mark.parametrize(
    ("line", "blocks"),
    [
        ("By Ann <b>12 views</b> <i>4 min read</i>", ["By Ann", "12 views", "4 min read"]),
        ("By Ann <a href=/c>\n  12\n  comments\n</a>", ["By Ann", "12 comments"]),
        ("By Ann <b><i>•</i> 4 min read</b>", ["By Ann", "• 4 min read"]),
        ("<b>12 views</b>", ["12 views"]),
        ("By Ann <b>12 <i>views</i></b>", ["By Ann 12 views"]),
        ("By Ann <b>12 May</b>", ["By Ann 12 May"]),
        (f"{LONG}<b>12 views</b>", [f"{LONG}12 views"]),
    ],
)
def test_a_count_beside_a_short_text_is_a_block(line: str, blocks: list[str]) -> None:
    assert [block.text for block in read(f"<p>{line}</p>", URL).blocks] == blocks


def test_many_counts_in_a_deep_line_are_found_at_once() -> None:
    """Nothing is timed: to climb from each of them takes a quarter of a minute."""
    page = read(f"<p>{'<b>' * 1500}{'By Ann <i>12 views</i> ' * 25_000}", URL)
    assert len(page.blocks) == 50_000
