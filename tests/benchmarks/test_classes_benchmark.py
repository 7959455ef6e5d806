from __future__ import annotations

import pytest

from benchmarks.classes import agreement

KINDS = dict(enumerate("aaabbb"))


@pytest.mark.parametrize(
    ("classes", "figures"),
    [
        ([7, 7, 7, 3, 3, 3], [2, 1, 1]),
        ([1, 1, 1, 1, 1, 1], [1, 0.5, 0]),
        ([1, 2, 3, 4, 5, 6], [6, 1, 0]),
        # Hubert & Arabie: (2 - 3 * 6 / 15) / ((3 + 6) / 2 - 3 * 6 / 15)
        ([1, 1, 2, 2, 3, 3], [3, 5 / 6, (2 - 1.2) / (4.5 - 1.2)]),
    ],
)
def test_agreement_of_classes_with_kinds(classes: list[int], figures: list[float]) -> None:
    assert agreement(dict(enumerate(classes)), KINDS) == pytest.approx(figures)


def test_classes_of_no_pages_agree() -> None:
    assert agreement({}, {}) == [0, 0, 1]
