from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from pagelets.literature.indesit.clues import Arms
from pagelets.literature.indesit.likeness import Features

MENU, LISTS, NEWS, NEVER_SEEN = range(4)


def features(*rows: list[int]) -> Features:
    lengths = [len(row) for row in rows]
    return Features(
        np.array([*chain.from_iterable(rows)], np.int64), np.repeat(np.arange(len(rows)), lengths), 4
    )


@pytest.fixture
def arms() -> Arms:
    """The menu links to all pages: half of them are lists, worth 0.5, the others news, worth nothing."""
    pages = [[MENU, LISTS], [MENU, NEWS]] * 10
    return Arms(features(*pages), np.array([0.5, 0.0] * 10))


def test_an_arm_whose_pages_are_worth_the_same_counts_most(arms: Arms) -> None:
    a_list, news = arms.promises(features([MENU, LISTS], [MENU, NEWS]), 2)
    assert a_list == pytest.approx(0.5, abs=0.1)
    assert news == pytest.approx(0, abs=0.1)


def test_a_link_without_a_known_arm_promises_the_mean(arms: Arms) -> None:
    assert arms.promises(features([NEVER_SEEN], []), 2).tolist() == pytest.approx([0.25, 0.25])


def test_arms_that_say_the_same_are_not_added_up() -> None:
    pages = [[MENU, LISTS, NEWS]] * 5 + [[]] * 5
    arms = Arms(features(*pages), np.array([0.5] * 5 + [1.0] * 5))
    one, three = arms.promises(features([MENU], [MENU, LISTS, NEWS]), 2)
    assert one == pytest.approx(three)
