"""Blocks and links whose texts are titles of a site's other pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.block_keys import block_fingerprint
from pagelets.judging.other_titles import NO_TITLES, are_titles, other_titles, title_keys
from pagelets.reading import read

TITLES = ["Mending a kettle | Shed", "Painting a wall | Shed", "Oiling a hinge | Shed", "Glue | Shed"]
AFFIXES = frozenset({"Shed"})


def named(html: str, title: str = "Mending a kettle | Shed") -> list[float]:
    page = read(f"<title>{title}</title>{html}", "https://a.example/kettle")
    keys = title_keys(TITLES, AFFIXES)
    blocks = np.array([block_fingerprint(block.text) for block in page.blocks], np.int64)
    return other_titles(page, are_titles(blocks, keys), keys, AFFIXES).tolist()


@pytest.mark.parametrize(
    ("html", "share"),
    [
        ("<h3>Painting a wall</h3>", 1.0),
        ("<p><a href=/w>Painting a wall</a></p>", 1.0),
        ("<p>Also: <a href=/w>Painting a wall</a></p>", 0.75),
        ("<p><a href=/w>Painting a wall</a> <a href=/h>Oiling a hinge</a></p>", 1.0),
        ("<p>Painting a wall and more</p>", 0.0),
        ("<h1>Mending a kettle</h1>", 0.0),
        ("<p>Read <a href=/k>Mending a kettle</a></p>", 0.0),
        ("<p>Glue</p>", 0.0),
    ],
)
def test_the_share_of_a_block_that_names_other_pages(html: str, share: float) -> None:
    assert named(html) == [share]


@given(st.lists(st.text(max_size=40)), st.lists(st.text(min_size=1, max_size=40)))
def test_a_text_is_a_title_of_the_site_or_it_is_not(titles: list[str], texts: list[str]) -> None:
    keys = title_keys(titles, frozenset())
    assert (keys[1:] > keys[:-1]).all()
    assert np.array_equal(title_keys(reversed(titles), frozenset()), keys)
    blocks = np.array([block_fingerprint(text) for text in texts], np.int64)
    wanted = [float(text in titles and len(text) >= 6) for text in texts]
    assert are_titles(blocks, keys).tolist() == wanted


def test_an_unknown_site_has_no_titles() -> None:
    assert are_titles(np.array([1, 2], np.int64), NO_TITLES).tolist() == [0.0, 0.0]
