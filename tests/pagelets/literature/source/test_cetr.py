from __future__ import annotations

import numpy as np

from pagelets.literature.source.cetr import (
    CETRKMMethod,
    CETRMethod,
    CETRTMMethod,
    derivatives,
    k_means,
    smoothed,
    tag_ratios,
)
from pagelets.literature.source.pieces import written_lines
from tests.pagelets.literature.source.pages import PAGE, subject_of

EXAMPLE = """<div id="topnav">

<div id="author">James Smith</div>
OKLAHOMA CITY - Police were told that
The Oklahoman reported Sunday. <br><br> Jones had
"""
"""Example 1 of the paper, as the survey by Shinde et al. (2013) gives it, without its ellipses."""


def test_tag_ratios_are_those_of_the_papers_example() -> None:
    assert tag_ratios(written_lines(subject_of(EXAMPLE).source)).tolist() == [0, 5.5, 37, 20.5]


def test_scripts_styles_and_comments_are_no_lines() -> None:
    html = "<p>ab\n<script>\nx\n</script>\n<!-- \n -->\n<style>\np {}\n</style>\n\ncd"
    assert tag_ratios(written_lines(subject_of(html).source)).tolist() == [2, 2]


def test_a_ratio_is_blurred_by_the_deviation_of_all() -> None:
    ratios = np.array([0, 0, 0, 4, 0, 0, 0], float)
    deviation = np.sqrt(96) / 7
    weights = np.exp(-(np.arange(-2, 3) ** 2) / (2 * deviation**2))
    expected = 4 * weights / weights.sum()
    assert np.allclose(smoothed(ratios), [0, *expected, 0])
    assert smoothed(np.ones(3)).tolist() == [1, 1, 1]


def test_a_derivative_is_the_mean_of_the_next_lines_less_the_line() -> None:
    assert np.allclose(derivatives(np.array([1, 2, 3, 7, 0], float), 3), [3, 4 / 3, 0.5, -7, 0])


def test_clusters_are_counted_from_the_origin() -> None:
    points = np.array([[9, 0, 1, 30, 10, 31]], float)
    assert k_means(points, 3, held=False).tolist() == [1, 0, 0, 2, 1, 2]
    assert k_means(points[:, ::-1], 3, held=False).tolist() == [2, 1, 2, 0, 0, 1]


def test_the_held_cluster_stays_at_the_origin() -> None:
    points = np.array([[4, 6, 5, 5], [0, 0, 1, -1]], float)
    assert k_means(points, 2, held=True).tolist() == [1, 1, 1, 1]
    assert k_means(points, 2, held=False).min() == 0
    assert k_means(np.zeros((2, 3)), 3, held=True).tolist() == [0, 0, 0]


def test_the_threshold_is_a_multiple_of_the_deviation() -> None:
    curve = CETRTMMethod(factor=2).curve(subject_of(PAGE))
    assert curve.threshold == 2 * np.std(curve.values)
    assert curve.content.sum() < CETRTMMethod(factor=1).curve(subject_of(PAGE)).content.sum()


def test_a_page_on_one_line_is_judged_as_one_on_many() -> None:
    for method in (CETRMethod(), CETRKMMethod(), CETRTMMethod()):
        one, many = subject_of(PAGE.replace("\n", " ")), subject_of(PAGE)
        assert (method.judge(one).mask == method.judge(many).mask).mean() > 0.9
