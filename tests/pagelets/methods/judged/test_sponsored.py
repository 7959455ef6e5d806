"""Entries that a label says are paid for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.methods.judged.sponsored import sponsored_entries
from pagelets.methods.judged.text import words as count_words
from pagelets.reading import read

ENTRY = "<div><h3>A kettle for you</h3><p>It sings when it is done.</p></div>"
TEXTS = ["A kettle for you", "It sings when it is done."]


def removed(body: str) -> list[str]:
    page = read(f"<body>{body}", "https://a.example/")
    words = count_words([block.text for block in page.blocks])
    entries = sponsored_entries(page, Containers.of(page), words)
    return [block.text for block, entry in zip(page.blocks, entries, strict=True) if entry and block.text]


def labelled(label: str) -> str:
    return ENTRY.replace("<div>", f"<div><span>{label}</span>")


def test_an_entry_goes_with_its_label_and_its_neighbours_stay() -> None:
    for label in (
        "Sponsored by Kettle & Sons",
        "Gesponsert",
        "Contenu sponsorisé",
        "На правах рекламы",
        "提供：湯",
    ):
        assert removed(f"<main>{ENTRY}{labelled(label)}{ENTRY}</main>") == [label, *TEXTS]


@pytest.mark.parametrize(
    "body",
    [
        labelled("He sponsored a kettle"),
        labelled("Sponsored by nobody at all, which is why this line is long"),
        f"<div><span>Sponsored</span><h1>A kettle</h1><p>{'word ' * 50}</div>",
        f"<div><span>Sponsored</span><p>{'word ' * 130}</div>",
        f"<div><p>Words before.</p><span>Sponsored</span>{ENTRY}</div>",
        "<p>Sponsored</p>",
    ],
)
def test_what_is_no_paid_entry_stays(body: str) -> None:
    assert removed(body) == []


@given(
    st.lists(st.sampled_from((ENTRY, labelled("Sponsored"), "<h1>Head</h1>", "<p>Sponsored</p>")), max_size=8)
)
def test_a_headline_stays(parts: list[str]) -> None:
    assert "Head" not in removed(f"<div>{''.join(parts)}</div>")
