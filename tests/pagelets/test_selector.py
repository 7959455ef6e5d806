from __future__ import annotations

from itertools import product

import pytest

from pagelets.reading import read
from pagelets.selector import BlockSelectors

PAGE = """
<nav id=menu><ul><li><a href=/>Home</a><li><a href=/a>About</a></ul></nav>
<div class="box wide"><h2>First</h2><p>One</p></div>
<div class="box note"><h2>Second</h2><p>Two</p><p class="by x1">Three</p></div>
<p>Four</p><p class=by>Five</p>
<a class=skip href=#>Six</a> <p><b>Se</b>ven</p> <div class=form>Eight <button>Nine</button><p>Ten</p></div>
"""


def selectors(html: str) -> dict[str, str | None]:
    page = read(html, "https://stones.example/")
    found = BlockSelectors(page)
    return {block.text: found.of(number) for number, block in enumerate(page.blocks)}


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("Home", "li > a"),
        ("One", "div.box.wide > p"),
        ("Three", "div.box.note > p.by"),
        ("Four", "html > body > p"),
        ("Five", "body > p.by"),
        ("Six", "a.skip"),
        # Their elements hold others too.
        ("Eight", None),
    ],
)
def test_a_selector_is_of_one_place_and_as_short_as_it_can_be(text: str, selector: str | None) -> None:
    assert selectors(PAGE)[text] == selector


def test_a_page_of_many_elements_with_names_of_their_own_takes_no_time() -> None:
    names = ["".join(letters) for letters in product("abcdefghijklmnop", repeat=3)]
    for others in "", "post.":
        classes = [f"{others}{name}" for name in names]
        of_names = dict(zip(names, classes, strict=True))
        entries = (
            f"<div class='{of.replace('.', ' ')}'><p>{name}</p></div>" for name, of in of_names.items()
        )
        assert selectors("".join(entries)) == {name: f"div.{of} > p" for name, of in of_names.items()}
