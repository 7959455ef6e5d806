from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.safe_css import safe_css


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


@given(st.text(alphabet=st.sampled_from("url(@import)\\75\\'\"/*</style> {};:x"), max_size=80))
def test_no_sheet_ends_its_element_or_calls_url(text):
    found = safe_css(text)
    assert "<" not in found
    assert not re.search(r"(?<![\w\\-])url\(", found, re.IGNORECASE)
