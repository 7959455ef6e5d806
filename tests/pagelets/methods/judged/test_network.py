"""The network over a page's blocks, and the words that it is asked with."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.methods.judged.model.network import MEANINGS, Network
from pagelets.methods.judged.model.tokens import BUCKETS, Numbers, tokens
from pagelets.reading import read
from tests.networks import network, random_tokens

NUMBERS = Numbers({"views": 1, "w3": 2, "日": 3})


def features(blocks: int) -> np.ndarray:
    made = np.random.default_rng(3).normal(scale=50, size=(blocks, 5)).astype(np.float32)
    made[::4, 2] = np.nan
    made[::7, 1] = np.inf
    return made


def test_what_is_read_again_judges_alike() -> None:
    made = network(5)
    content = made.to_bytes()
    assert content == made.to_bytes()
    again = Network.from_bytes(content, made.shapes, made.arrays[MEANINGS]).odds(
        features(40), random_tokens(40)
    )
    assert (again == made.odds(features(40), random_tokens(40))).all()


def test_pages_of_any_length_have_a_finite_judgement_of_each_block() -> None:
    for blocks in (1, 2, 16, 17, 33, 5_000):
        odds = network(5).odds(features(blocks), random_tokens(blocks))
        assert odds.shape == (blocks,)
        assert np.isfinite(odds).all()


def test_a_block_is_judged_by_those_around_it() -> None:
    made, given_features, words = network(5), features(60), random_tokens(60)
    odds = made.odds(given_features, words)
    changed = given_features.copy()
    changed[30] = 40.0
    assert abs(made.odds(changed, words) - odds)[25:36].min() > 0


@given(st.lists(st.text() | st.text("aé1_ -日ा\ud800", max_size=40), max_size=6))
def test_words_are_numbers_whatever_they_are(texts: list[str]) -> None:
    page = read("".join(f"<p class='a-{n} bigMenu'>{n}" for n in range(len(texts))), "https://a.example/")
    found = tokens(texts, Containers.of(page), NUMBERS)
    for numbers in (found.words, found.near, found.far):
        assert len(numbers) == len(texts)
        assert ((numbers >= 0) & (numbers < BUCKETS)).all()


def test_beginning_and_end_of_a_text_are_looked_at() -> None:
    page = read("<div id=main><p class=note>1</p><p>2</p><p>3</p></div>", "https://a.example/")
    numbered = [" ".join(f"w{n}" for n in range(size)) for size in (3, 20, 90)]
    found = tokens(numbered, Containers.of(page), NUMBERS)
    assert [(row > 0).sum() for row in found.words] == [3, 20, 20]
    assert (found.words[1, :16] == found.words[2, :16]).all()
    assert (found.words[1, 16:] != found.words[2, 16:]).all()
    assert (found.near[1] == found.near[2]).all()
    assert (found.near[0] != found.near[1]).any()


def test_of_numbers_the_digits_count_and_case_does_not() -> None:
    page = read("<p>1<p>2", "https://a.example/")
    found = tokens(["Views: 12", "views 34"], Containers.of(page), NUMBERS)
    assert (found.words[0] == found.words[1]).all()
    assert found.meanings[:, :3].tolist() == [[1, 0, 0]] * 2
