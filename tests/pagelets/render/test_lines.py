from __future__ import annotations

import pytest

from pagelets.overrides import Selectors
from pagelets.reading import read
from pagelets.render import Rendering

URL = "https://example.org/"


@pytest.mark.parametrize(
    ("html", "text", "markdown"),
    [
        ("<p>Bees fly<sup class=x>[1]</sup>, and wasps.", "Bees fly, and wasps.", "Bees fly, and wasps."),
        ("<p>Bees <i class=x>may</i> fly.", "Bees fly.", "Bees fly."),
        ("<p>Bees<i class=x> may </i>fly.", "Bees fly.", "Bees fly."),
        ("<p>Bees<i class=x>s</i>fly.", "Beesfly.", "Beesfly."),
        ("<p>Bees <b>fly<i class=x>!</i></b> far", "Bees fly far", "Bees **fly** far"),
        ("<p>Bees<br><i class=x>may</i><br>fly", "Bees\nfly", "Bees\n\nfly"),
        ("<p><i class=x>Bees</i> fly<i class=x> far</i></p><p>x", "fly\n\nx", "fly\n\nx"),
        ("<h2>Bees<a class=x href=#b>¶</a></h2>x", "Bees\n\nx", "## Bees\n\nx"),
        ("<ul><li>a <i class=x>b</i><li><i class=x>c</i> d</ul>", "a\nd", "- a\n- d"),
        ("a<i class=x></i><hr>b", "a\n\nb", "a\n\nb"),
        ("<p>a <span><p class=x>b</p> c</span>", "a\n\nc", "a\n\nc"),
        ("<pre>a\n <i class=x>b</i>\n c</pre>", "a\n\n c", "```\na\n\n c\n```"),
    ],
)
def test_a_line_without_a_part_of_it_is_one_line(html: str, text: str, markdown: str) -> None:
    page = read(html, URL, Selectors((), (".x",)))
    mask = [
        not any(page.tree.get(node, "class") == "x" for node in _around(page, block)) for block in page.blocks
    ]
    rendering = Rendering(page, mask)
    assert rendering.text() == text
    assert rendering.markdown() == markdown


def test_what_alone_is_kept_of_a_line_is_of_the_kind_of_the_line() -> None:
    page = read("<h2>Bees <b class=x>fly</b></h2><p>far", URL, Selectors((".x",)))
    assert Rendering(page, [False, True, True]).markdown() == "## **fly**\n\nfar"


def _around(page, block):
    node = block.runs[0][1] if block.runs else block.node
    return [node, *page.tree.ancestors(node)]
