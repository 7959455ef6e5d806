from __future__ import annotations

from pagelets.literature.source.regions import DensityMethod
from tests.pagelets.literature.source.pages import subject_of

HTML = "<p>abcdef<p>a<p>abcdef<p>a<p>b<p>abcdefghijk<p>a"


def test_long_lines_near_each_other_make_a_region() -> None:
    assert DensityMethod(c1=6, c2=0).judge(subject_of(HTML)).mask.nonzero()[0].tolist() == [5]
    assert DensityMethod(c1=6, c2=1).judge(subject_of(HTML)).mask.nonzero()[0].tolist() == [0, 1, 2]
    assert DensityMethod(c1=6, c2=2).judge(subject_of(HTML)).mask.nonzero()[0].tolist() == [0, 1, 2, 3, 4, 5]
    assert not DensityMethod(c1=12, c2=2).judge(subject_of(HTML)).mask.any()


def test_the_curve_is_the_length_of_text() -> None:
    assert DensityMethod().curve(subject_of(HTML)).values.tolist() == [6, 1, 6, 1, 1, 11, 1]
