"""What the quality gate compares, pins and says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quality.annotated import MADE
from tests.quality.floors import ADVICE, SLACK, Floors, complaints, floor_under, hold, pinned, read, write

SHARES = st.floats(0, 1)
VALUES = st.dictionaries(st.sampled_from("abcdef"), SHARES, min_size=1)
FILE = Path(__file__).with_name("floors.json")


def floors(method: str = "templates", **values: float) -> Floors:
    return Floors(method, values)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "floors.json"
    file.write_text(
        '{"about": ["Höhe"], "other": {"method": "paper", "floors": {"mean": 0.5}}}', encoding="utf-8"
    )
    write(file, "own", floors(mean=0.9, forum=0.7))
    return file


@pytest.mark.parametrize(
    ("figure", "floor"), [(0.8549, 0.849), (0.854, 0.849), (1.0, 0.995), (0.004, 0.0), (0.0, 0.0)]
)
def test_a_floor_is_the_figure_rounded_down_less_the_slack(figure, floor):
    assert floor_under(figure) == floor


@given(SHARES)
def test_a_floor_lies_below_its_figure_and_not_far(figure):
    assert 0 <= floor_under(figure) <= figure
    assert figure - floor_under(figure) < SLACK + 0.0011


def test_figures_at_and_above_their_floors_hold():
    assert complaints(floors(mean=0.9, forum=1.0), floors(mean=0.9, forum=0.7)) == []


def test_a_figure_below_its_floor_is_named_with_both():
    assert complaints(floors(mean=0.8999, forum=0.7), floors(mean=0.9, forum=0.7)) == [
        "mean: measured 0.89990, below its floor of 0.900"
    ]


def test_a_figure_without_a_floor_and_a_floor_without_a_figure_are_named():
    assert complaints(floors(forum=0.8), floors(shop=0.6)) == [
        "forum: measured 0.80000, but has no floor",
        "shop: has a floor of 0.600, but was not measured",
    ]


def test_floors_of_another_method_do_not_hold():
    assert complaints(floors("judged", mean=0.9), floors("templates", mean=0.9)) == [
        "the floors are those of 'templates', and 'judged' was measured"
    ]


def test_pinning_raises_and_adds_floors_and_keeps_those_that_would_fall():
    measured, old = (
        floors("judged", risen=0.8, fallen=0.6, added=0.5),
        floors(risen=0.7, fallen=0.65, gone=0.9),
    )
    new = pinned(measured, old, lower=False)
    assert new == floors("judged", risen=0.795, fallen=0.65, added=0.495, gone=0.9)
    assert len(complaints(measured, new)) == 2


def test_lowering_lowers_what_fell_and_drops_what_was_not_measured():
    measured, old = (
        floors("judged", risen=0.8, fallen=0.6, added=0.5),
        floors(risen=0.7, fallen=0.65, gone=0.9),
    )
    assert pinned(measured, old, lower=True) == floors("judged", risen=0.795, fallen=0.595, added=0.495)


def test_a_floor_that_holds_is_never_lowered():
    assert pinned(floors(mean=0.9), floors(mean=0.899), lower=True) == floors(mean=0.899)


@given(VALUES, VALUES)
def test_without_lowering_no_floor_falls_or_goes(measured, old):
    new = pinned(Floors("m", measured), Floors("m", old), lower=False)
    assert all(new.values[name] >= floor for name, floor in old.items())


@given(VALUES, VALUES)
def test_with_lowering_all_holds_and_a_second_time_changes_nothing(measured, old):
    figures = Floors("m", measured)
    new = pinned(figures, Floors("m", old), lower=True)
    assert complaints(figures, new) == []
    assert pinned(figures, new, lower=True) == pinned(figures, new, lower=False) == new


def test_what_holds_has_nothing_to_say_and_writes_nothing(path):
    before = path.read_bytes()
    assert hold(path, "own", floors(mean=0.9, forum=0.7)) == ""
    assert path.read_bytes() == before


def test_what_does_not_hold_says_the_sample_each_figure_and_the_advice(path):
    before = path.read_bytes()
    said = hold(path, "own", floors(mean=0.95, forum=0.6)).splitlines()
    assert said[:2] == ["figures of the sample 'own':", "forum: measured 0.60000, below its floor of 0.700"]
    assert said[2:] == ADVICE.splitlines()
    assert "--pin-floors" in ADVICE
    assert "--lower-floors" in ADVICE
    assert path.read_bytes() == before


def test_pinning_writes_what_rose_and_still_says_what_fell(path):
    assert "forum: measured 0.60000" in hold(path, "own", floors(mean=0.95, forum=0.6), pin=True)
    assert read(path, "own") == floors(mean=0.945, forum=0.7)


def test_lowering_writes_what_rose_and_what_fell(path):
    assert hold(path, "own", floors(mean=0.95, forum=0.6), lower=True) == ""
    assert read(path, "own") == floors(mean=0.945, forum=0.595)


def test_a_sample_without_floors_fails_until_they_are_pinned(path):
    assert "mean: measured 0.80000, but has no floor" in hold(path, "new", floors(mean=0.8))
    assert hold(path, "new", floors(mean=0.8), pin=True) == ""
    assert read(path, "new") == floors(mean=0.795)


def test_pinning_leaves_the_rest_of_the_file(path):
    hold(path, "own", floors(mean=0.95, forum=0.8), pin=True)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["about"] == ["Höhe"]
    assert read(path, "other") == floors("paper", mean=0.5)


def test_the_options_are_known_wherever_pytest_starts(pytestconfig):
    assert isinstance(pytestconfig.getoption("--pin-floors"), bool)
    assert isinstance(pytestconfig.getoption("--lower-floors"), bool)


def test_the_floors_of_the_made_sites_are_of_all_that_is_measured_there():
    pins = read(FILE, "made")
    assert pins.method
    kinds = {
        f"clean {name}: {kind}" for name, make in MADE.items() for page in make() for kind, _ in page.inserted
    }
    others = {f"{figure} {name}" for name in MADE for figure in ("F1",)} | {
        f"kept {name}: worst listing" for name in MADE
    }
    assert pins.values.keys() == kinds | others
    assert all(0 <= floor < 1 for floor in pins.values.values())


@pytest.mark.parametrize("sample", ["own", "corpora"])
def test_the_floors_in_the_repository_are_shares_of_one_method(sample):
    pins = read(FILE, sample)
    assert pins.method
    assert "mean over sites" in pins.values
    assert all(0 < floor < 1 for floor in pins.values.values())
