from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings

from pagelets.block_keys import BLOCK_KEYS, block_fingerprint, block_fingerprints, block_keys
from pagelets.containers import Containers
from pagelets.reading import read
from pagelets.sketch import fingerprint
from tests.pagelets.reading.test_reading import HTML, URL

if TYPE_CHECKING:
    import numpy as np


def of(html: str) -> np.ndarray:
    page = read(html, URL)
    return block_keys(page, Containers.of(page))


PAGE = """<html class=js><body class="home page"><div id=main class="a b"><p>One 12 of 345</p><p>Two</p>
<img src=x></div><ul class="menu c2"><li><a href=/x>Home</a></ul>"""


def test_they_are_the_same_on_every_machine() -> None:
    # Stores keep them: values that change make every store one of another version.
    assert BLOCK_KEYS.itemsize == 16
    assert of(PAGE).tolist() == [
        (7986158690164258763, 3451032939, 2261336617),
        (-1863344609909786766, 3451032939, 1146897525),
        (0, 1187127576, 1187127576),
        (-8128205333668242657, 1729458895, 1289548655),
    ]


def test_a_text_is_known_by_its_fingerprint_wherever_it_stands() -> None:
    one, other = of("<div><p>Same</p></div><ul><li>Same</ul>")
    assert one["block"] == other["block"] == block_fingerprint("Same") == fingerprint(("Same",))
    assert one["tag_path"] != other["tag_path"]
    assert one["placed"] != other["placed"]
    assert block_fingerprint("") == 0
    assert block_fingerprints(["Same", "", "7"]).tolist() == [*map(block_fingerprint, ("Same", "", "7"))]


def test_digits_of_a_placed_text_are_masked() -> None:
    texts = ["12 March 2024", "7 March 1999", "٣ March 5", "March", "12  May 2024"]
    first, second, third, *others = of("".join(f"<p>{text}</p>" for text in texts))
    assert first["placed"] == second["placed"] == third["placed"]
    assert len({trace["placed"] for trace in (first, *others)}) == 3
    assert len({int(trace["block"]) for trace in (first, second, third, *others)}) == 5


@pytest.mark.parametrize(
    "same",
    [
        PAGE.replace("home page", "search").replace("class=js", "id=top"),
        PAGE.replace("<body", "<body id=front-page"),
        PAGE.replace("c2", "c3 item-4"),
        # Where an element stands among its neighbours says nothing, nor what it is called beyond two classes.
        PAGE.replace("<div", "<p></p><div").replace("menu c2", "menu"),
    ],
)
def test_the_page_s_own_names_make_no_place(same: str) -> None:
    assert of(same).tolist() == of(PAGE).tolist()


@pytest.mark.parametrize(
    "other", [PAGE.replace("main", "aside"), PAGE.replace("<ul", "<nav><ul"), PAGE.replace("menu", "list")]
)
def test_names_around_a_block_make_its_place(other: str) -> None:
    assert set(of(other)["tag_path"].tolist()) != set(of(PAGE)["tag_path"].tolist())


def test_blocks_of_one_element_have_one_place() -> None:
    first, inner, last = of("<div>before<p>inner</p>after</div>")
    assert first["tag_path"] == last["tag_path"] != inner["tag_path"]


@settings(deadline=None)
@given(HTML)
@example("<div id='\ud800' class='1 \udfff'>\ud800 9</div>")
@example("<p\x00>1\x1e2</p>")
def test_there_is_one_for_every_block_of_every_page(html: str) -> None:
    page = read(html, URL)
    found = of(html)
    assert (found.dtype, found.shape) == (BLOCK_KEYS, (len(page.blocks),))
    assert [bool(trace) for trace in found["block"]] == [bool(block.text) for block in page.blocks]
    assert (found == of(html)).all()
    by_node: dict[int, set[int]] = {}
    for block, trace in zip(page.blocks, found, strict=True):
        by_node.setdefault(block.node, set()).add(int(trace["tag_path"]))
    assert all(len(places) == 1 for places in by_node.values())


def test_elements_nested_as_deep_as_parsers_go() -> None:
    found = of("<div class=a>x" * 3_000)
    assert len(found) > 2_000
    assert len(set(found["tag_path"].tolist())) == len(found)


def test_names_and_texts_as_long_as_a_page() -> None:
    (trace,) = of(f"<p id={'n' * 500_000}>{'7' * 500_000}</p>")
    assert trace["placed"] == of(f"<p id={'n' * 500_000}>1</p>")[0]["placed"]
