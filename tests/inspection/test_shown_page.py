from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from inspection.shown_page import KEPT, MOST_BLOCKS, MOST_CSS, REMOVED, safe_css, shown_page
from pagelets.reading import read

URL = "https://example.org/a/"
PARTS = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<div class=a>",
            "</div>",
            "<b>",
            "</b>",
            "<a href=/x>",
            "</a>",
            "<ul><li>",
            "</ul>",
        ),
        *("text ", "more text", "<br>", "<img src=a.png alt=A>", "<table><tr><td>", "</table>", "<details>"),
        *(
            "<script>x()</script>",
            "<style>p{color:red}</style>",
            "<svg><a>",
            "</svg>",
            "<math>",
            "<template>",
        ),
        *(
            "<noscript>",
            "</noscript>",
            "<textarea>",
            "</textarea>",
            "<iframe>",
            "<form onsubmit=x()>",
            "<!--",
        ),
        *(
            "-->",
            "<p hidden>",
            "<span style='display:none'>",
            "<title>",
            "<plaintext-a>",
            "<pre>\n",
            "\0",
            "&lt;b&gt;",
        ),
    ]
)


def marked(html: str) -> dict[int, str]:
    """The text of each block that is marked, without white space."""
    found: dict[int, str] = {}
    for element in lxml_html.fromstring(html).iter():
        position = element.get("data-pb")
        if position is not None and element.get("class") != "pagelets-picture":
            found[int(position)] = found.get(int(position), "") + "".join((element.text or "").split())
    return found


def texts(page) -> dict[int, str]:
    found = {at: "".join(block.text.split()) for at, block in enumerate(page.blocks)}
    return {at: text for at, text in found.items() if text}


@given(st.lists(PARTS, max_size=40).map("".join))
def test_every_text_of_every_block_is_shown_and_marked_as_it_is(source):
    page = read(source, URL)
    shown = shown_page(source, page, [KEPT] * len(page.blocks))
    assert marked(shown.html) == texts(page)


@given(st.lists(PARTS, max_size=40).map("".join), st.booleans(), st.booleans())
def test_whatever_a_page_says_nothing_is_shown_that_acts(source, images, styles):
    page = read(source, URL)
    shown = shown_page(source, page, [REMOVED] * len(page.blocks), images=images, styles=styles)
    tags = {
        element.tag for element in lxml_html.fromstring(shown.html).iter() if isinstance(element.tag, str)
    }
    assert not tags & {
        "script",
        "iframe",
        "form",
        "object",
        "embed",
        "link",
        "svg",
        "math",
        "base",
        "template",
    }
    assert not re.search(r"<[^>]* on\w+=", shown.html)
    assert ("img" in tags) <= images
    assert "href" not in shown.html


def test_a_block_is_shown_where_it_stands():
    source = (
        "<div class=a>One <b>bold</b><p>Two</p>Three</div><img src=p.png width=30 height=20 alt='A hill'>"
    )
    page = read(source, URL)
    html = shown_page(source, page, [KEPT, REMOVED, f"{KEPT} unsure", KEPT]).html
    kept = '<span data-pb="0" data-pv="kept">'
    assert f'<div class="a">{kept}One </span><b>{kept}bold</span></b><p><span data-pb="1"' in html
    assert (
        '<span data-pb="1" data-pv="removed">Two</span></p><span data-pb="2" data-pv="kept unsure">' in html
    )
    assert 'style="width:30px;height:20px" data-pb="3" data-pv="kept">A hill</span>' in html


def test_pictures_have_their_whole_address_where_they_are_asked_for():
    source = "<base href=https://cdn.example/x/><img src=a.png><img src=javascript:x()><img src='http://['>"
    source += "<img srcset='b.png 1x, c.png 2x'><img src=data:, data-src=/d.png>"
    page = read(source, URL)
    html = shown_page(source, page, [KEPT] * len(page.blocks), images=True).html
    assert re.findall(' src="([^"]*)"', html) == [
        f"https://cdn.example/{name}.png" for name in ("x/a", "x/c", "d")
    ]


def test_of_a_page_of_many_blocks_the_first_are_shown():
    source = "<p>a</p>" * (MOST_BLOCKS + 50)
    page = read(source, URL)
    shown = shown_page(source, page, [KEPT] * len(page.blocks))
    assert shown.shown == MOST_BLOCKS
    assert len(marked(shown.html)) == MOST_BLOCKS


def test_elements_nested_deeper_than_browsers_take_are_shown_without_their_own():
    source = "<div>" * 2000 + "deep" + "</div>" * 2000 + "<p>after"
    page = read(source, URL)
    assert marked(shown_page(source, page, [KEPT] * len(page.blocks)).html) == texts(page)


@pytest.mark.parametrize(
    "text",
    [
        "a{background:url(http://x.example/a)}",
        "a{background:URL( 'http://x.example/a' )}",
        r"a{background:u\72l(http://x.example/a)}",
        r"a{background:\75\72\6c (http://x.example/a)}",
        "a{background:u/**/rl(http://x.example/a)}",
        "a{background:image-set('http://x.example/a' 1x)}",
        "@import 'http://x.example/a';",
        r"@\69mport 'http://x.example/a';",
        "@font-face{font-family:a;src:url(http://x.example/a)}",
        "@namespace url(http://x.example/a);",
    ],
)
def test_what_loads_is_left_out(text):
    assert "x.example" not in safe_css(text) or "u rl(" in safe_css(text)


@pytest.mark.parametrize(
    "text",
    [
        ".menu > li:not(.x):nth-child(2n){color:rgb(1,2,3);width:calc(100% - 2px)}",
        "@media (max-width:40em){.a{display:none}}",
    ],
)
def test_other_rules_stay(text):
    assert safe_css(text) == text


def test_nothing_stays_over_the_page_when_it_is_scrolled():
    assert "fixed" not in safe_css("a{position:Fixed}")


def test_what_is_as_high_as_the_window_is_no_higher_than_one():
    given = ".h-50vh,#x1vh{height:100vh;margin:-.5vh 1.5DVH;width:calc(50vw - 1lvh)}"
    assert safe_css(given) == ".h-50vh,#x1vh{height:800px;margin:-4px 12px;width:calc(50vw - 8px)}"


@pytest.mark.parametrize("part", ["a", "-", "1", "1.", "+1", "\\", r"\41 ", "@a", "x-left-out(", "/*"])
def test_a_sheet_takes_time_in_proportion_to_its_size(part):
    safe_css(part * (MOST_CSS // len(part)))


@given(st.text(alphabet=st.sampled_from("url(@import)\\75\\'\"/*</style> {};:x"), max_size=80))
def test_no_sheet_ends_its_element_or_calls_url(text):
    found = safe_css(text)
    assert "<" not in found
    assert not re.search(r"(?<![\w\\-])url\(", found, re.IGNORECASE)
