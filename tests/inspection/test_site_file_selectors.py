from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.site_file import with_selector
from settings.errors import ConfigurationError

SOURCE = """\
# The shop
url = ["https://shop.example/"]  # its address
drop = [
    ".banner",  # a cookie banner
]

[schedule]
cron = "0 3 * * *"  # at night
"""


def test_a_selector_is_added_and_all_else_stays_as_it_is():
    found = with_selector(SOURCE, "drop", ".related")
    assert tomllib.loads(found)["drop"] == [".banner", ".related"]
    for line in SOURCE.splitlines():
        assert line in found


def test_a_key_that_is_not_there_comes_before_the_tables():
    found = with_selector(SOURCE, "keep", "p.price")
    assert tomllib.loads(found) == {**tomllib.loads(SOURCE), "keep": ["p.price"]}
    assert tomllib.loads(with_selector("", "keep", "h1")) == {"keep": ["h1"]}


def test_a_selector_moves_from_one_key_to_the_other():
    found = tomllib.loads(with_selector(SOURCE, "keep", ".banner"))
    assert (found["keep"], found["drop"]) == ([".banner"], [])
    assert with_selector(SOURCE, "drop", ".banner") == SOURCE


WRONG = [
    ("drop = 1\n", "p"),
    ("drop = [", "p"),
    ('drop = "p"\n', "p"),
    (SOURCE, "p["),
    (SOURCE, ""),
    ("[drop]\na = 1", "p"),
    ("[drop]\na = 1", "a"),
]


@pytest.mark.parametrize(("source", "selector"), WRONG)
def test_what_cannot_be_written_is_refused(source, selector):
    with pytest.raises(ConfigurationError):
        with_selector(source, "drop", selector)


@given(
    st.sampled_from(["a", "p.b", "#c > d", 'a[href="x"]', "a[title='\\\\']"]),
    st.sampled_from(["keep", "drop"]),
)
def test_written_twice_is_written_once(selector, kind):
    once = with_selector(SOURCE, kind, selector)
    assert with_selector(once, kind, selector) == once
    assert selector in tomllib.loads(once)[kind]
