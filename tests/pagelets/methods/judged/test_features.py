from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.containers import Containers
from pagelets.judging.page_facts import BlockSupport, PageFacts
from pagelets.methods.judged.features import Vocabularies, features
from pagelets.methods.judged.names import Vocabulary
from pagelets.methods.judged.site_features import NAMES
from pagelets.partition import partition
from pagelets.reading import read

if TYPE_CHECKING:
    from pagelets.methods.judged.table import Table
    from pagelets.page import Page

KNOWN = Vocabularies(Vocabulary(["<nav>", "menu", "content"]), Vocabulary(["og:article", "url:news"]))
PAGE = """<title>Bees in winter - The Hive</title><meta property="og:type" content="article">
<body><nav class="menu"><a href="/">Home</a> <a href="https://other.example/x">Elsewhere</a></nav>
<main><h1>Bees in winter</h1><p class="content">They sit close together, and eat, and wait. So do we.</p>
<ul><li>First</li><li>Second, €20</li><li>Third <img src=x></li></ul></main><footer>© 2026</footer>"""
TAGS = [
    "p",
    "div",
    "ul",
    "li",
    "h1",
    "h2",
    "a href='/x'",
    "table",
    "td",
    "span class='menu'",
    "br",
    "img src=y",
]


def built(html: str = PAGE, url: str = "https://hive.example/news/bees") -> Page:
    return read(html, url)


def evidence(page: Page, pages: int = 10) -> PageFacts:
    """What a site says of a page whose even blocks it repeats."""
    count, pagelets = len(page.blocks), len(partition(page))
    even = np.arange(count) % 2 == 0
    support = BlockSupport.none(count)
    support.pages[even], support.shares[even], support.tag_path_pages[:] = 5, 0.5, 5
    templates = [1] * pagelets
    return PageFacts(templates, [5] * pagelets, [0.5] * pagelets, support, even.tolist(), pages=pages)


def table_of(page: Page, facts: PageFacts | None = None, known: Vocabularies = KNOWN) -> Table:
    pagelets = partition(page)
    found = facts or PageFacts.none(len(pagelets), len(page.blocks))
    return features(page, pagelets, Containers.of(page), found, known)


def values(page: Page, facts: PageFacts | None = None) -> dict[str, np.ndarray]:
    table = table_of(page, facts)
    return dict(zip(table.names, table.matrix().T, strict=True))


def at(text: str, name: str, page: Page | None = None) -> float:
    page = page or built()
    (place,) = [place for place, block in enumerate(page.blocks) if block.text.startswith(text)]
    return float(values(page)[name][place])


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Home", "link_share", 13 / 14),
        ("Home", "links", 2),
        ("Home", "link_external", 0.5),
        ("Home", "near_<nav>", 1),
        ("Home", "inside_menu", 1),
        ("They sit", "inside_menu", 0),
        ("They sit", "near_content", 1),
        ("They sit", "tag_p", 1),
        ("They sit", "ends_stop", 1),
        ("They sit", "commas", 2),
        ("Bees", "heading", 1),
        ("Bees", "in_title", 1),
        ("Bees", "after_title", 0),
        ("They sit", "after_title", 1),
        ("They sit", "last_heading", 1),
        ("Home", "after_title", -1),
        ("Second", "own_siblings", 3),
        ("Second", "own_ordinal", 1),
        ("Second", "up1_blocks", float(np.float32(np.log1p(3)))),
        ("Third", "pictures", 1),
        ("Third", "list_has_title", 0),
        ("Third", "trunk80_has_title", 1),
        ("© 2026", "copyright_share", float(np.float32(1 / 6))),
        ("© 2026", "page_og:article", 1),
        ("© 2026", "page_url:news", 1),
        ("© 2026", "doc_h1", 1),
        ("© 2026", "from_end", 1),
    ],
)
def test_what_a_page_tells(text: str, name: str, value: float) -> None:
    assert at(text, name) == pytest.approx(value)


def test_words_of_names_have_no_feature_in_common_with_others() -> None:
    ends = {name.partition("_")[2] for name in table_of(built()).names}
    known = Vocabularies(Vocabulary(sorted(ends)), Vocabulary(sorted(ends)))
    names = table_of(built(), known=known).names
    assert len(names) == len(set(names))


def test_what_the_site_tells() -> None:
    page = built()
    found = values(page, evidence(page))
    even = np.arange(len(page.blocks)) % 2 == 0
    assert np.array_equal(found["site_block_share"] == 0.5, even)
    assert np.allclose(found["site_block_pages"], np.where(even, np.log2(5), 0))
    assert (found["site_template"] == 1).all()
    assert np.isnan(found["site_share_-1"][0])
    assert found["site_share_-1"][1] == 0.5


@pytest.mark.parametrize("pages", [0, 1])
def test_what_nobody_knows_of_the_site_is_missing_not_zero(pages: int) -> None:
    page = built()
    found = values(page, evidence(page, pages))
    assert all(np.isnan(found[name]).all() for name in NAMES)


def test_features_do_not_depend_on_the_language() -> None:
    other = "Пчёлы зимой. Они сидят"
    russian = built(f"<title>{other}</title><p>{other}</p>")
    assert at("Пчёлы", "upper_share", russian) == pytest.approx(2 / len(other))
    assert at("Пчёлы", "in_title", russian) == 1


@given(st.lists(st.one_of(st.sampled_from(TAGS), st.text(max_size=20)), max_size=40), st.booleans())
def test_every_page_has_the_same_features(parts: list[str], known: bool) -> None:
    html = "".join(f"<{part}>" if part in TAGS else part for part in parts)
    page = built(f"<p>one block at least</p>{html}")
    found = values(page, evidence(page) if known else None)
    assert list(found) == list(values(built()))
    assert len(set(found)) == len(found)
    for name, column in found.items():
        assert len(column) == len(page.blocks)
        assert not np.isinf(column).any(), name


def test_a_page_of_many_blocks() -> None:
    html = "<div>" * 500 + "".join(f"<p>{number}</p>" for number in range(30_000))
    assert len(values(built(html))["chars"]) == 30_000
