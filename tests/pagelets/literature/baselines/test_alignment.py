from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.literature.baselines.alignment import aligned

BLOCKS = ["Home", "News today", "", "A long article about news of the world.", "…", "It goes on, with words.",
          "Home"]  # fmt: skip
WORDS = st.lists(st.sampled_from("a b c d e f g".split()), max_size=30).map(" ".join)


def test_blocks_are_found_in_order_whatever_stands_between_their_words() -> None:
    text = "A LONG article: about news of the world\n\nIt goes on with words"
    assert aligned(BLOCKS, text).tolist() == [0, 0, 0, 1, 1, 1, 0]


def test_a_part_of_a_block_counts_by_its_words() -> None:
    assert aligned(["one two three four", "five"], "two three four").tolist() == [0.75, 0]


@pytest.mark.parametrize(("blocks", "text"), [([], "x"), (["", "…"], "x"), (["a b"], ""), (["a"], "b")])
def test_nothing_in_common(blocks: list[str], text: str) -> None:
    assert aligned(blocks, text).tolist() == [0.0] * len(blocks)


def test_every_block_of_a_text_that_is_the_whole_page_is_found() -> None:
    blocks = [*(f"paragraph {number} of this page" for number in range(300)), "menu", "menu", "menu"]
    assert aligned(blocks, " ".join(blocks)).tolist() == [1.0] * len(blocks)


@given(st.lists(WORDS, max_size=8), st.integers(0, 7), st.integers(0, 7))
def test_shares_are_shares(blocks: list[str], start: int, stop: int) -> None:
    shares = aligned(blocks, "\n".join(blocks[start:stop]))
    assert len(shares) == len(blocks)
    assert ((shares >= 0) & (shares <= 1)).all()
    # No word of the text is found twice.
    found = sum(share * len(block.split()) for share, block in zip(shares, blocks, strict=True))
    assert found <= len(" ".join(blocks[start:stop]).split()) + 1e-9
