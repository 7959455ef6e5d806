"""The tokens of a source: all of it, and each text within a line."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.methods.source.tokens import TEXT, scan

MARKUP = """< > </ <! <!- <!-- --> --!> -- - ! <? <p <p> </p> </ p> <script> <SCRIPT <scripts> </script>
</scripts </Script/ <ſcript> <style> </style> <title> </title> </title/ <plaintext> </plaintext>
<textarea </textarea> <xmp/> </xmp> <iframe> </iframe> <noembed> <noframes> = =' =" ' " a>b é 字 😀 / ]]>"""
SPACE = ["\n", " ", "\t\n", "\x0b", "\x1c", "\x85", "\u2028", "\r\n"]
PARTS = st.sampled_from([*MARKUP.split(), *SPACE, "\ud800", "\0"])


@given(st.lists(PARTS | st.text(max_size=5), max_size=40).map("".join))
def test_tokens_are_all_of_a_source_and_end_with_their_line(html: str) -> None:
    found = scan(html)
    stop = np.append(found.start, len(html))[1:]
    assert found.start[:1].tolist() == [0] * bool(html)
    for start, end, kind, line, further, blank in zip(found.start, stop, *found[1:], strict=True):
        text = html[start:end]
        assert text
        assert line == html.count("\n", 0, start)
        assert blank == (kind == TEXT and text.isspace())
        assert "\n" not in text[:-1] or kind != TEXT
        assert not further or (kind == TEXT and html[start - 1] == "\n")
