"""The tokens of a source, compiled and in plain code: the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.compiled import compiled, why_plain
from pagelets.methods.source import plain

NATIVE = "pagelets.methods.source.native"
MARKUP = """< > </ <! <!- <!-- --> --!> -- - ! <? <p <p> </p> </ p> <script> <SCRIPT <scripts> </script>
</scripts </Script/ <ſcript> <style> </style> <title> </title> </title/ <plaintext> </plaintext>
<textarea </textarea> <xmp/> </xmp> <iframe> </iframe> <noembed> <noframes> = =' =" ' " a>b é 字 😀 / ]]>"""
SPACE = ["\n", " ", "\t\n", "\x0b", "\x1c", "\x85", "\u2028", "\r\n"]
PARTS = st.sampled_from([*MARKUP.split(), *SPACE, "\ud800", "\0"])


@pytest.mark.skipif(bool(why_plain(NATIVE)), reason=why_plain(NATIVE))
@given(st.lists(PARTS | st.text(max_size=5), max_size=40).map("".join))
def test_compiled_code_reads_the_same_tokens(html: str) -> None:
    native = compiled(NATIVE)
    assert native is not None
    for found, expected in zip(native.scan(html), plain.scan(html), strict=True):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected), html


@given(st.lists(PARTS, max_size=20).map("".join))
def test_tokens_are_all_of_a_source_and_end_with_their_line(html: str) -> None:
    found = plain.scan(html)
    stop = np.append(found.start, len(html))[1:]
    assert found.start[:1].tolist() == [0] * bool(html)
    for start, end, kind, line, further, blank in zip(found.start, stop, *found[1:], strict=True):
        text = html[start:end]
        assert text
        assert line == html.count("\n", 0, start)
        assert blank == (kind == plain.TEXT and text.isspace())
        assert "\n" not in text[:-1] or kind != plain.TEXT
        assert not further or (kind == plain.TEXT and html[start - 1] == "\n")
