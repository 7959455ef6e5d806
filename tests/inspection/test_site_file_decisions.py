from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.site_file import lists, with_decisions
from settings.errors import ConfigurationError

A, B, C = "000000000000000a", "000000000000000b", "ffffffffffffffff"
SAMPLES = {A: 'Home "First" # Second', B: "Footer \\ é"}

SOURCE = f"""# The handbook.
url = "https://example.org/"  # with www it redirects

[templates]
# Looked at in May.
pinned = [
    "{A.upper()}",  # the menu
    # A line of its own.
    "{C}",
]   # end

[settings]
X = 1
"""


def test_entries_that_stay_are_not_touched() -> None:
    assert with_decisions(SOURCE, {A: "pinned", C: "pinned"}, SAMPLES) is SOURCE
    written = with_decisions(SOURCE, {A: "pinned", B: "rejected"}, SAMPLES)
    assert f'"{A.upper()}",  # the menu' in written
    assert f'"{B}", # Footer \\ é' in written
    for kept in ("# The handbook.", "# with www", "# Looked at in May.", "# A line of its own.", "# end"):
        assert kept in written
    assert lists(written) == {"pinned": [A.upper()], "rejected": [B]}
    assert tomllib.loads(written)["settings"] == {"X": 1}


def test_an_entry_goes_with_its_comment() -> None:
    written = with_decisions(SOURCE, {C: "pinned"}, SAMPLES)
    assert "the menu" not in written
    assert lists(written) == {"pinned": [C], "rejected": []}


def test_a_decision_that_has_changed_moves() -> None:
    written = with_decisions(SOURCE, {A: "rejected", C: "pinned"}, SAMPLES)
    assert lists(written) == {"pinned": [C], "rejected": [A]}
    assert f'"{A}", # Home "First" # Second' in written


@pytest.mark.parametrize(
    "source",
    [
        "",
        'url = "x"',
        'url = "x"\r\n[templates]\r\npinned=[\r\n]\r\n',
        f'templates = {{pinned = ["{A}"]}}\n',
        f'templates.rejected = ["{A}"]\nurl = "x"\n',
        '[[overrides]]\ntype = "begins"\n',
        "[templates]\n# nothing yet\n[rate]\ndelay = 1\n",
    ],
)
def test_every_layout_takes_decisions(source: str) -> None:
    written = with_decisions(source, {A: "pinned", B: "pinned", C: "rejected"}, SAMPLES)
    assert lists(written) == {"pinned": [A, B], "rejected": [C]}
    before, after = tomllib.loads(source), tomllib.loads(written)
    assert {**before, "templates": 0} == {**after, "templates": 0}
    assert with_decisions(written, {A: "pinned", B: "pinned", C: "rejected"}, {}) == written
    assert lists(with_decisions(written, {}, {})) == {"pinned": [], "rejected": []}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("url = ", "TOML"),
        ("templates = 3", "templates.pinned"),
        ("[templates]\nrejected = 'a'", "templates.rejected"),
        ("[templates]\npinned = [1]", "templates.pinned"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(source: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        with_decisions(source, {A: "pinned"}, {})


NAMES = st.sampled_from([A, B, C, "0123456789abcdef"])
STATES = st.dictionaries(NAMES, st.sampled_from(["pinned", "rejected"]))


@given(
    STATES, STATES, st.dictionaries(NAMES, st.text().map(lambda text: "".join(filter(str.isprintable, text))))
)
def test_any_decisions_take_the_place_of_any_others(
    before: dict[str, str], after: dict[str, str], samples: dict[str, str]
) -> None:
    written = with_decisions(with_decisions(SOURCE, before, samples), after, samples)
    found = lists(written)
    assert {name.lower(): state for state, names in found.items() for name in names} == after
    assert tomllib.loads(written)["url"] == "https://example.org/"
