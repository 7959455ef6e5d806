from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagelets.partition import DEFAULT_K, Pagelet, partition, tag_paths
from pagelets.reading import parse, read

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.page import Block, Page

URL = "https://example.org/"

TAGS = [
    "div",
    "p",
    "ul",
    "li",
    "span",
    "b",
    "td",
    "table",
    "section",
    "svg",
    "noscript",
    "template",
    "center",
]
LEAVES = st.sampled_from(
    [
        *(
            "one ",
            "two",
            " ",
            "<br>",
            "<img src=p>",
            "<!-- c -->",
            "<p>",
            "</p>",
            "</div>",
            "</span>",
            "<hr>",
        ),
        *(
            "<a href=/x>x</a>",
            "<a href=#>y</a>",
            "<a href=mailto:x>m</a>",
            "<a name=n>n</a>",
            "<a href=/h hidden>h</a>",
        ),
        *("<a href=/i><img src=i></a>", "<a href=/u>u", "<script>s</script>"),
    ]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from([*TAGS, "a href=/z"]), st.lists(inner, max_size=6)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0].split()[0]}>"
    ),
    max_leaves=40,
)
HTML = st.lists(TREES, max_size=5).map("".join)


def figure_3(root: HtmlElement, k: int) -> list[HtmlElement]:
    """The pagelets of a page as the paper's Figure 3 finds them."""

    def links(element: HtmlElement) -> int:
        return sum(anchor.get("href") is not None for anchor in element.iter("a"))

    queue, pagelets = [root], []
    while queue:
        element = queue.pop(0)
        children = [child for child in element if isinstance(child.tag, str)]
        if any(links(child) >= k for child in children):
            queue += children
        else:
            pagelets.append(element)
    return pagelets


def shown(block: Block) -> list[int]:
    """The elements that hold what a block shows; its own where it shows nothing."""
    return [holder for text, holder in block.runs if not text.isspace()] or [block.node]


def blocks_of(page: Page, pagelet: Pagelet) -> range:
    assert pagelet.stop <= len(page.blocks)
    return range(pagelet.start, pagelet.stop)


@given(HTML, st.integers(1, 5))
@settings(deadline=None)
@example("", 3)
@example("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>", 3)
@example("<body>x<span><a href=/a>a</a><a href=/b>b</a></span>", 2)
@example("<body><span><a href=/a><img src=a></a><a href=/b><img src=b></a></span><p>y<p><a href=/c>c</a>", 2)
def test_pagelets_are_those_of_the_paper(html: str, k: int) -> None:
    page = read(html, URL)
    pagelets = partition(page, k)
    assert [position for pagelet in pagelets for position in blocks_of(page, pagelet)] == list(
        range(len(page.blocks))
    )
    assert all(pagelet.start < pagelet.stop for pagelet in pagelets)
    root = parse(html)
    elements = list(root.iter("*"))
    expected = []
    for pagelet in figure_3(root, k):
        held = {elements.index(element) for element in pagelet.iter("*")}
        expected.append([at for at, block in enumerate(page.blocks) if held.issuperset(shown(block))])
    found = [list(blocks_of(page, pagelet)) for pagelet in pagelets if not pagelet.anonymous]
    assert found == sorted(positions for positions in expected if positions)
    assert all(pagelet.stop - pagelet.start == 1 for pagelet in pagelets if pagelet.anonymous)
    assert partition(read(html, URL), k) == pagelets


def cut(html: str, k: int = DEFAULT_K) -> list[tuple[str, bool]]:
    page = read(html, URL)
    return [
        (" ".join(block.text for block in page.blocks[pagelet.start : pagelet.stop]), pagelet.anonymous)
        for pagelet in partition(page, k)
    ]


def menu(name: str, count: int) -> str:
    return f"<ul>{''.join(f'<li><a href=/{name}{number}>{name}</a>' for number in range(count))}</ul>"


def test_page_with_few_links_is_one_pagelet() -> None:
    assert cut(f"<h1>t</h1><p>x</p>{menu('m', 2)}") == [("t x m m", False)]


def test_page_is_cut_where_children_have_k_links() -> None:
    html = f"<div>{menu('m', 3)}</div><div><h1>t</h1><p>x</p></div><div>{menu('n', 2)}</div>"
    assert cut(html) == [("m m m", False), ("t x", False), ("n n", False)]
    assert cut(html, k=4) == [("m m m t x n n", False)]
    assert cut(html, k=2)[-1] == ("n n", False)


def test_links_that_lead_nowhere_count() -> None:
    assert len(cut("<div><a href=#>a</a><a href=javascript:x>b</a><a href=mailto:y>c</a></div><p>t</p>")) == 2
    assert len(cut("<div><a name=a>a</a><a>b</a><a>c</a></div><p>t</p>")) == 1


def test_text_directly_in_a_split_element_is_anonymous() -> None:
    assert cut(f"before{menu('m', 3)}between<b>bold</b>{menu('n', 3)}<p>after</p>") == [
        *(("before", True), ("m m m", False), ("betweenbold", True), ("n n n", False), ("after", False)),
    ]


def test_run_that_one_inline_child_holds_is_that_child() -> None:
    links = "<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"
    assert cut(f"<p>x</p><span>{links}</span><p>y</p>") == [("x", False), ("a b c", False), ("y", False)]
    assert cut(f"<p>x</p><i>z</i><span>{links}</span><p>y</p>")[1] == ("za b c", True)


def test_paths() -> None:
    page = read(
        f"""<body class="page-17 home"><div id=nav>{menu("m", 3)}</div>text
            <div id=post12 class="post-12 entry wide x"><p>y</p></div><div id=" " class=""><p>z</p></div>""",
        URL,
    )
    assert tag_paths(page.tree, partition(page)) == [
        "html/body.home/div#nav/ul",
        "html/body.home",
        "html/body.home/div.entry.wide",
        "html/body.home/div",
    ]


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_one(k: int) -> None:
    with pytest.raises(ValueError, match="k = "):
        partition(read("<p>x</p>", URL), k)


def test_page_without_blocks_has_no_pagelets() -> None:
    assert partition(read("", URL)) == []


def test_many_blocks() -> None:
    page = read("<p>x</p>" * 100_000 + menu("m", 3), URL)
    pagelets = partition(page)
    assert len(pagelets) == 100_001
    assert pagelets[-1].stop - pagelets[-1].start == 3


def test_many_links() -> None:
    page = read("<div><a href=x>x</a></div>" * 50_000, URL)
    assert [(pagelet.start, pagelet.stop) for pagelet in partition(page)] == [(0, 50_000)]
    assert len(partition(page, 1)) == 50_000


def test_deep_pages_with_long_names_have_short_paths() -> None:
    deep = f'<div class="{"name " * 10_000}" id="{"i" * 10_000}">' * 500
    page = read(f"{deep}{menu('m', 3)}{'<p>x</p>' * 10_000}", URL)
    pagelets = partition(page)
    assert len(pagelets) == 10_001
    assert max(map(len, tag_paths(page.tree, pagelets))) < 1_500
    assert partition(read("<a href=/x><div>x" * 10_000, URL), 1)
