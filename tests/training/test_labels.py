from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring import score
from training.labels import label

WORDS = st.lists(st.sampled_from("a b c d e f g h".split()), max_size=8).map(" ".join)


def content(texts: list[str], gold: str) -> list[bool]:
    return label(texts, gold).content.tolist()


def test_blocks_of_the_gold_text_are_content() -> None:
    texts = ["Home About", "Bees in winter", "They sit close together", "Read more about bees", "© the hive"]
    assert content(texts, "Bees in winter\n\nThey sit close together") == [False, True, True, False, False]


def test_a_text_that_stands_twice_is_content_once() -> None:
    texts = ["Bees in winter", "They sit close together", "Bees in winter"]
    assert sum(content(texts, "Bees in winter\nThey sit close together")) == 2


def test_a_title_is_content_and_not_the_trail_that_ends_in_it() -> None:
    texts = ["Home › Insects › Bees sit in winter", "Bees sit in winter", "They sit close together"]
    gold = "Bees sit in winter They sit close together"
    assert content(texts, gold) == [False, True, True]
    assert content(texts[:1] + texts[2:], gold) == [True, True]


def test_of_equal_texts_the_one_among_content_is_content() -> None:
    menu = ["Ants", "Wasps in autumn", "Bees in winter", *"Flies Moths Beetles Lice Fleas Ticks".split()]
    text = ["They sit close together", "Cold does no harm", "Honey is their food"]
    gold = " ".join(["Bees in winter", *text])
    assert content([*menu, "Bees in winter", *text], gold) == [False] * len(menu) + [True] * 4
    assert content(["Bees in winter", *text, *menu], gold) == [True] * 4 + [False] * len(menu)


def test_of_equal_texts_side_by_side_the_alignment_tells() -> None:
    texts = ["Home", "Bees in winter", "Bees in winter", "They sit close together"]
    assert sum(content(texts, "Bees in winter They sit close together")[1:3]) == 1


def test_words_in_another_order_are_found_all_the_same() -> None:
    texts = ["price 20", "name of the thing", "menu"]
    assert content(texts, "name of the thing price 20") == [True, True, False]


def test_blocks_without_words_are_no_content() -> None:
    assert content(["", "***", "text"], "text ***") == [False, False, True]


def test_no_gold_text() -> None:
    found = label(["some text"], "")
    assert found.content.tolist() == [False]
    assert found.gold == 0


@given(st.lists(WORDS, min_size=1, max_size=8), st.data())
def test_gold_made_of_blocks_is_found(texts: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    gold = "\n".join(text for text, keep in zip(texts, kept, strict=True) if keep)
    found = label(texts, gold)
    chosen = "\n".join(text for text, keep in zip(texts, found.content, strict=True) if keep)
    # No single change of a block's side makes a better text.
    best = score(chosen, gold).f1
    for place in range(len(texts)):
        other = found.content.copy()
        other[place] = not other[place]
        changed = "\n".join(text for text, keep in zip(texts, other, strict=True) if keep)
        assert score(changed, gold).f1 <= max(best, 2 / 3) + 1e-9
    assert np.array_equal(found.words, [len(text.split()) for text in texts])
