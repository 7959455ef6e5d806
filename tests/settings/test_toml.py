"""TOML with all its mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.toml import read


def mistakes(text):
    data = text if isinstance(text, bytes) else text.encode()
    return [(mistake.line, mistake.place) for mistake in read(data).mistakes]


def test_what_is_right_is_read_around_what_is_wrong():
    found = read(b'k = True\nmin_pages = 3\nj = 1,5\nl = "a\n[rate]\ndelay = 2\nretries = x\n')
    assert found.values == {"min_pages": 3, "rate": {"delay": 2}}
    assert [mistake.line for mistake in found.mistakes] == [1, 3, 4, 7]
    assert all(mistake.text.count("; ") == 1 and "\n" not in mistake.text for mistake in found.mistakes)


def test_keys_that_are_given_twice():
    text = "k = 5\nk = 6\n[rate]\ndelay = 1\n[headers]\nA = 'b'\n[rate]\nretries = 2\n[x]\ny = 1\n"
    found = read(text.encode())
    assert found.values == {"k": 5, "rate": {"delay": 1}, "headers": {"A": "b"}, "x": {"y": 1}}
    assert [(one.line, one.place, one.text) for one in found.mistakes] == [
        (2, ("k",), "is given twice, first on line 1; keep one"),
        (7, ("rate",), "is given twice, first on line 3; keep one"),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nrate.delay = 1\n[rate]\nx = 2\n", 3),
        ("a = 1\na.b = 2\n", 2),
        ("a = { b = 1, b = 2 }\n", 1),
        ("x = 1\n\nurl = [\n'a',\n'b'\n\nk = 3\n", 7),
        ("x = 1\n\nurl = '''a\nb", 3),
        ("x = 1\n[rate\ny = 2\n", 2),
        ("x = 1\nk = " + "9" * 5000 + "\n", 2),
        ("x = 1\nk = " + "[" * 5000 + "\n", 2),
        ("x = 1\nk = " + "[" * 5000 + "]" * 5000 + "\n", 2),
        ("x = 1\nk = 2024-13-45\n", 2),
        ("x = 1\r\ny = 2\r\nk = \r\n", 3),
        ("x = 1\nk = \0\n", 2),
        ("# \u00e4\n# \u00fc\nx = 1".encode("latin-1"), 1),
        ("# a\n# \u00fc\nx = 1".encode("latin-1"), 2),
        ("x = 1".encode("utf-16"), 1),
        (b"\xff\xfe\0\0", 1),
    ],
)
def test_one_mistake(text, line):
    assert [at for at, _ in mistakes(text)] == [line]


@given(st.binary(max_size=80) | st.text("ab\"'[]{}=,.# \n\\1\r\t", max_size=80).map(str.encode))
def test_any_bytes_are_read_or_told(data):
    found = read(data)
    assert found.values is not None or found.mistakes
    assert all(mistake.line >= 1 for mistake in found.mistakes)
