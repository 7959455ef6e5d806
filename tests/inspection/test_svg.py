from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.compare import Plot
from inspection.svg import BOTTOM, CONTENT, CURVE, HEIGHT, LEFT, RIGHT, THRESHOLD, TOP, WIDTH, svg
from pagelets.methods import METHODS, has_curve
from pagelets.methods.base import Curve
from tests.hosts import subject
from tests.pagelets.methods.test_bad_input import SMALL


def drawn(values, content=None, threshold=None, url="https://stones.example/", label="length", along="lines"):
    values = np.array(values, np.float64)
    content = np.zeros(len(values), bool) if content is None else np.array(content, bool)
    return svg(Plot(url, "stones", "length", Curve(along, label, values, threshold, content)))


def points(picture):
    (line,) = ElementTree.fromstring(picture).findall("{*}polyline")
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


def test_the_highest_value_is_at_the_top_and_nought_at_the_bottom():
    across, middle = WIDTH - LEFT - RIGHT, (TOP + HEIGHT - BOTTOM) / 2
    assert points(drawn([0, 5, 10, 5])) == [
        (round(LEFT + across * share / 8, 1), y)
        for share, y in ((1, HEIGHT - BOTTOM), (3, middle), (5, TOP), (7, middle))
    ]


def test_content_is_shaded_and_the_threshold_a_line():
    root = ElementTree.fromstring(drawn([1, 2, 3, 4], [False, True, True, False], threshold=2))
    across = WIDTH - LEFT - RIGHT
    shades = [one for one in root if one.get("fill") == CONTENT][1:]
    assert [(float(one.get("x")), float(one.get("width"))) for one in shades] == [
        (LEFT + across / 4, across / 2)
    ]
    (line,) = root.findall("{*}line")
    assert line.get("stroke") == THRESHOLD
    assert line.get("y1") == line.get("y2") == str((TOP + HEIGHT - BOTTOM) / 2)
    assert "threshold" not in drawn([1, 2])


def test_a_page_of_any_length_is_as_large_and_no_peak_of_it_is_lost():
    values = np.zeros(100_000)
    values[77_777] = 9.0
    picture = drawn(values, values > 0)
    assert len(picture) < 40_000
    assert min(y for _, y in points(picture)) == TOP
    assert len([one for one in ElementTree.fromstring(picture) if one.get("fill") == CONTENT]) == 2


@pytest.mark.parametrize(
    "values", [[], [0], [3], [-1, -2], [float("nan"), float("inf"), float("-inf")], [1e308, -1e308]]
)
@pytest.mark.parametrize("threshold", [None, 0.5, float("inf"), float("nan")])
def test_whatever_the_values_are_all_is_inside_of_the_picture(values, threshold):
    picture = drawn(values, threshold=threshold)
    root = ElementTree.fromstring(picture)
    assert "nan" not in picture.replace("threshold nan", "")
    for line in root.findall("{*}polyline"):
        assert line.get("stroke") == CURVE
        assert all(LEFT <= x <= WIDTH - RIGHT and TOP <= y <= HEIGHT - BOTTOM for x, y in points(picture))


@given(st.text(st.characters(), max_size=200))
def test_texts_of_strangers_are_no_markup(text):
    root = ElementTree.fromstring(drawn([1], url=text, label=text, along=text))
    assert {one.tag.partition("}")[2] for one in root.iter()} <= {
        "svg", "title", "desc", "rect", "text", "path", "polyline"
    }  # fmt: skip


def test_a_script_in_an_address_is_text():
    picture = drawn([1], url="https://x.example/<script>alert(1)</script>&\x00\ud800")
    assert "<script" not in picture
    assert "<script>alert(1)</script>&" in "".join(ElementTree.fromstring(picture).itertext())


@pytest.mark.parametrize("page", SMALL)
def test_whatever_a_page_is_each_curve_of_it_can_be_drawn(page):
    drawn = 0
    for name in METHODS:
        method = METHODS[name]()
        if has_curve(method):
            curve = method.curve(subject(SMALL[page]))
            assert len(curve.values) == len(curve.content), name
            ElementTree.fromstring(svg(Plot("https://stones.example/", "stones", name, curve)))
            drawn += 1
    assert drawn > 5
