from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.site_file import with_taught
from settings.errors import ConfigurationError

FILE = '# ours\nurl = ["https://a.example/"]  # start\n\n[rate]\ndelay = 1.0\n'
weights = st.dictionaries(
    st.sampled_from([".a", "#b", "p > a.c", "div @rare"]), st.floats(-9, 9).map(lambda one: round(one, 1))
)


@given(weights, weights, st.sampled_from(["", FILE, FILE + '\n[taught]\n".a" = 1.5 # why\n"#z" = 1\n']))
def test_the_table_is_replaced_and_all_else_stays(one: dict, other: dict, source: str) -> None:
    first = with_taught(source, one)
    assert tomllib.loads(first).get("taught", {}) == one
    text = with_taught(first, other)
    assert tomllib.loads(text).get("taught", {}) == other
    assert text.startswith(FILE if source else "")
    assert with_taught(text, other) == text
    if "[taught]" not in source:
        for file in (source, source.replace("\n", "\r\n")):
            taught = with_taught(file, one)
            assert with_taught(taught, {}) == file
            assert file == source or taught.count("\r\n") == taught.count("\n")


def test_comments_on_weights_that_stay_stay() -> None:
    assert '".a" = 1.5 # why' in with_taught(FILE + '[taught]\n".a" = 1.5 # why\n', {".a": 1.5, ".b": 2.0})


def test_what_is_no_toml_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"\[taught\] by hand"):
        with_taught("taught = [", {".a": 1.0})
