from __future__ import annotations

import numpy as np
import pytest

from pagelets.methods.judged.model.meanings import TABLE, WORDS, Meanings
from training.meanings import WIDTH, read, reduced


def test_what_is_written_is_read_again() -> None:
    meanings = read()
    contents = meanings.to_bytes()
    again = Meanings.from_bytes(contents)
    assert again.rows == meanings.rows
    assert (again.table == meanings.table).all()
    assert not again.table[0].any()
    with pytest.raises(ValueError, match="reshape"):
        Meanings.from_bytes({WORDS: b"one\ntwo\n", TABLE: contents[TABLE][:6]})


def test_words_of_like_meaning_are_near() -> None:
    rows, table = read()

    def alike(one: str, other: str) -> float:
        pair = table[rows[one]], table[rows[other]]
        return float(pair[0] @ pair[1] / np.prod([np.linalg.norm(each) for each in pair]))

    for word, near, far in (
        ("price", "cost", "author"),
        ("menu", "navigation", "river"),
        ("july", "june", "basket"),
    ):
        assert alike(word, near) > alike(word, far) + 0.2, word


def test_frequent_words_count_less() -> None:
    vectors = np.random.default_rng(1).normal(size=(5_000, 2 * WIDTH))
    found = reduced(vectors)
    assert found.shape == (5_000, WIDTH)
    lengths = np.linalg.norm(found, axis=1)
    assert lengths[:10].mean() < lengths[100:1_000].mean() / 2
    assert (reduced(vectors) == found).all()
