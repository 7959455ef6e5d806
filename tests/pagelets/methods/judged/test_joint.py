"""Blocks that a page writes alike share how likely they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.methods.judged.joint import NONE, joined, joints
from pagelets.methods.judged.text import words
from pagelets.reading import read

PARTS = st.recursive(
    st.sampled_from(["text", "two words", ""]),
    lambda inner: st.builds(
        lambda tag, name, children: f"<{tag}{name}>{''.join(children)}</{tag}>",
        st.sampled_from("div ul li table tr td dl dt dd p span".split()),
        st.sampled_from(["", ' class="a"', ' class="b"']),
        st.lists(inner, max_size=4),
    ),
    max_leaves=30,
)


def judged(html: str, likely: list[float]) -> dict[str, float]:
    page = read(html, "https://a.example/")
    texts = [block.text for block in page.blocks]
    found = joined(np.array(likely), words(texts), joints(Containers.of(page)))
    return dict(zip(texts, found.round(3).tolist(), strict=True))


def test_the_name_of_a_property_is_as_likely_as_its_value() -> None:
    pair = "<tr><th>Weight</th><td>3 kg</td></tr>"
    html = f"<table>{pair}<tr><td>a</td><th>b</th><td>c</td><th>d</th></tr></table>"
    found = judged(html, [0.1, 0.9, 0.2, 0.3, 0.4, 0.5])
    assert found == {"Weight": 0.9, "3 kg": 0.9, "a": 0.2, "b": 0.3, "c": 0.4, "d": 0.5}


def test_texts_in_one_cell_are_not_as_likely_as_each_other() -> None:
    cell = "<td><div>Modes</div><div>Kettles</div></td>"
    assert judged(f"<table><tr>{cell}</tr></table>", [0.1, 0.9]) == {"Modes": 0.1, "Kettles": 0.9}
    beside = judged(f"<table><tr>{cell}<td>3</td></tr></table>", [0.1, 0.2, 0.9])
    assert beside == {"Modes": 0.9, "Kettles": 0.9, "3": 0.9}


def test_a_term_is_as_likely_as_its_description() -> None:
    html = "<dl><dt>Weight</dt><dt>Colour</dt><dd>red</dd></dl>"
    assert judged(html, [0.2, 0.3, 0.8]) == {"Weight": 0.2, "Colour": 0.8, "red": 0.8}


def test_entries_of_a_list_move_towards_their_mean() -> None:
    html = "<p>before</p><ul><li>one</li><li>two</li><li>three</li></ul>"
    found = judged(html, [0.9, 0.9, 0.9, 0.1])
    assert found["before"] == 0.9
    assert 0.9 > found["one"] == found["two"] > 0.5
    assert 0.5 > found["three"] > 0.1
    unlike = '<ul><li class="a">one</li><li class="b">two</li><li class="c">three</li></ul>'
    assert judged(unlike, [0.9, 0.9, 0.1]) == {"one": 0.9, "two": 0.9, "three": 0.1}


def test_parts_of_entries_are_apart() -> None:
    entry = "<div class=e><h3>{0} title</h3><p>{0} text</p></div>"
    html = "".join(entry.format(name) for name in ("a", "b", "c"))
    found = judged(f"<div>{html}</div>", [0.9, 0.2] * 3)
    assert {value for text, value in found.items() if "title" in text} == {0.9}
    assert {value for text, value in found.items() if "text" in text} == {0.2}


@given(PARTS, st.randoms(use_true_random=False))
def test_nothing_leaves_the_range_of_the_page(html: str, draw) -> None:
    page = read(f"<body>x{html}</body>", "https://a.example/")
    texts = [block.text for block in page.blocks]
    likely = np.array([draw.uniform(0.001, 0.999) for _ in texts])
    groups = joints(Containers.of(page))
    found = joined(likely, words(texts), groups)
    assert found.min() >= likely.min() - 1e-9
    assert found.max() <= likely.max() + 1e-9
    alone = (groups == NONE).all(axis=0)
    assert (found[alone] == likely[alone]).all()


def test_a_sure_block_alone_stays_as_sure() -> None:
    assert judged("<p>a</p>", [1.0]) == {"a": 1.0}
