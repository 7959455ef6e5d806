from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.methods.judged.choice import (
    MARGIN,
    buttons,
    choose,
    choose_own,
    controls,
    field_labels,
    hidden_copies,
    repeats,
    unfilled,
)
from pagelets.methods.judged.text import words
from pagelets.reading import read

BLOCKS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50)), min_size=1, max_size=7)


def expected(likely: np.ndarray, sizes: np.ndarray, mask: np.ndarray) -> float:
    return 2 * (likely * sizes)[mask].sum() / max(sizes[mask].sum() + (likely * sizes).sum(), 1e-9)


@given(BLOCKS)
def test_no_other_choice_promises_more(blocks: list[tuple[float, int]]) -> None:
    likely, sizes = (np.array(column, float) for column in zip(*blocks, strict=True))
    mask, threshold = choose(likely, sizes)
    assert np.array_equal(mask, likely >= threshold)
    assert mask.any()
    best = max(
        expected(likely, sizes, np.array(other)) for other in product((True, False), repeat=len(likely))
    )
    assert threshold == pytest.approx(min(best / 2, likely.max()), abs=1e-9)
    assert expected(likely, sizes, mask) >= best - 1e-9


def test_where_much_is_unsure_more_is_kept() -> None:
    sizes = np.full(10, 10.0)
    sure, _ = choose(np.array([0.99] * 5 + [0.4] + [0.01] * 4), sizes)
    unsure, _ = choose(np.array([0.6] * 5 + [0.4] + [0.1] * 4), sizes)
    assert sure.tolist() == [True] * 5 + [False] * 5
    assert unsure.tolist() == [True] * 6 + [False] * 4


def test_a_block_without_words_is_compared_with_half_of_the_best_f1() -> None:
    likely, sizes = np.array([0.99, 0.98, 0.95, 0.4, 0.01]), np.array([50.0, 40.0, 0.0, 0.0, 30.0])
    mask, threshold = choose(likely, sizes)
    assert mask.tolist() == [True, True, True, False, False]
    assert threshold == pytest.approx((0.99 * 50 + 0.98 * 40) / (90 + 0.99 * 50 + 0.98 * 40 + 0.3))


def test_what_is_never_content_is_not_taken_however_likely() -> None:
    never = np.array([False, True, False])
    assert choose_own(np.array([0.9, 0.9, 0.1]), np.full(3, 9.0), never).tolist() == [True, False, False]


def test_form_controls_are_told() -> None:
    html = "<form><legend>A <h2>b</h2></legend><p>c<select><optgroup><option>d<option>e</select></form>f"
    html += "<fieldset><legend>g</legend><p>h</fieldset><p><input>"
    page = read(html, "https://hive.example/")
    marked = controls(page, Containers.of(page)).tolist()
    told = [block.text for block, is_control in zip(page.blocks, marked, strict=True) if is_control]
    assert told == ["A", "b", "d", "e"]
    empty = read("", "https://hive.example/")
    assert controls(empty, Containers.of(empty)).tolist() == []


def test_buttons_of_a_site_are_told_but_for_headings_of_parts() -> None:
    parts = "<h2><button>Size</button></h2><details><summary><button>Care</button></summary></details>"
    html = f"<button>Buy</button>{parts}<p>Buy"
    page = read(html, "https://a.example/")
    texts = [block.text for block in page.blocks]
    assert texts == ["Buy", "Size", "Care", "Buy"]
    assert buttons(page, np.full(4, 3, np.int32), "").tolist() == [True, False, False, False]
    assert not buttons(page, np.full(4, 2, np.int32), "").any()


def test_buttons_go_that_a_page_repeats_or_that_have_its_title() -> None:
    texts = [
        "Buy",
        "Buy",
        "Buy",
        "One more Kettle of brass",
        "Kettle of brass",
        "Is a Kettle of brass a kettle for me?",
    ]
    page = read("".join(f"<button>{text}</button>" for text in texts), "https://a.example/")
    found = buttons(page, np.zeros(6, np.int32), "Kettle of brass").tolist()
    assert found == [True, True, True, True, True, False]


def test_labels_of_fields_to_fill_in_are_told() -> None:
    html = (
        "<div><label for=n>Number</label><input id=n type=number></div><label><p>Name<input></label>"
        "<div><label for=c>Red</label><input id=c type=checkbox></div><label>Colour</label>"
        "<p>Of <label for=n>all</label>"
    )
    page = read(html, "https://a.example/")
    told = dict(zip([block.text for block in page.blocks], field_labels(page).tolist(), strict=True))
    assert told == {"Number": True, "Name": True, "Red": False, "Colour": False, "Of all": False}
    assert not field_labels(read("<p>a", "https://a.example/")).any()


def test_a_long_block_that_repeats_an_earlier_kept_one_is_told() -> None:
    long, short = "word " * 20, "word " * 19
    texts = [long, long, short, short, "other " * 30, long]
    mask = np.array([False, True, True, True, True, True])
    assert repeats(texts, words(texts), mask).tolist() == [False, False, False, False, False, True]


def test_a_copy_that_is_hidden_or_for_other_screens_is_told() -> None:
    text = "The kettle sings when the water boils."
    for name, copies in (
        ("d-none", [1]),
        ("visible-xs", [1]),
        ("mobile-only", [1]),
        ("hideous", []),
        ("box", []),
    ):
        for body in (f"<p>{text}<div class={name}>{text}</div>", f"<div class={name}>{text}</div><p>{text}"):
            page = read(body + "<p>Buy now<p class=d-none>Buy now", "https://a.example/")
            texts = [block.text for block in page.blocks]
            found = hidden_copies(texts, words(texts), np.ones(len(texts), bool), Containers.of(page))
            assert np.flatnonzero(found).tolist() == copies, name


def test_nothing_to_choose_from() -> None:
    mask, _ = choose(np.empty(0), np.empty(0))
    assert mask.tolist() == []


def test_a_block_in_doubt_stays_what_it_was():
    sizes, never = np.full(40, 10.0), np.zeros(40, bool)
    likely = np.linspace(0.02, 0.98, 40)
    _, threshold = choose(likely, sizes)
    anew = choose_own(likely, sizes, never)
    near = np.abs(likely - threshold) <= MARGIN
    assert near.any()
    for before in (0, 1):
        earlier = np.full(40, before, np.int8)
        mask = choose_own(likely, sizes, never, earlier)
        assert (mask[near] == bool(before)).all()
        # Clear evidence decides anew, whatever was.
        assert (mask[~near] == anew[~near]).all()
        # What is kept by it stays kept: the same evidence gives the same choice.
        assert (choose_own(likely, sizes, never, mask.astype(np.int8)) == mask).all()
        assert not choose_own(likely, sizes, ~never, earlier).any()
    for unknown in (np.full(40, -1, np.int8), np.zeros(0, np.int8), None):
        assert (choose_own(likely, sizes, never, unknown) == anew).all()


def test_what_no_script_has_filled_is_told_from_code_and_from_texts_about_it() -> None:
    machine = ["{{price.total}}", "Price: {{ price }} {{ unit }}", '[{"id": 5, "name": {"a": 1}}]']
    prose = ["Write {{ name }} where the name of the reader is to stand in the text of a letter.", "{a}", "5"]
    bodies = [f"<p>{text}</p>" for text in (*machine, *prose)]
    bodies += [f"<pre>{text}</pre><p><code>{text}</code></p>" for text in machine]
    page = read("".join(bodies), "https://a.example/")
    marked = unfilled(page, Containers.of(page))
    assert marked.tolist() == [True] * 3 + [False] * 9
