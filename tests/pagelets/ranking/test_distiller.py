from __future__ import annotations

import numpy as np

from pagelets.ranking.graph import Links
from pagelets.ranking.rankings import Relevance, distil


def links(template: list[bool]) -> Links:
    """Pages 0 and 1 have two pagelets each, and lead to 2, 3 and 4."""
    return Links(
        6,
        np.array([0, 0, 1, 1]),
        np.array(template),
        np.array([0, 1, 2, 2, 3]),
        np.array([2, 3, 3, 4, 5]),
    )


def relevance(pages: list[float], pagelets: list[float], anchors: list[float]) -> Relevance:
    return Relevance(np.array(pages), np.array(pagelets), np.array(anchors))


def test_what_relevant_pagelets_link_to_is_worth_most() -> None:
    scores = distil(links([False] * 4), relevance([2, 0, 0, 0, 0, 0], [0, 3, 0, 0], [0] * 5))
    # Page 3 is linked from the relevant pagelet, page 2 from the relevant page.
    assert scores[3] == scores.max()
    assert 0 < scores[2] < scores[3]
    assert scores[[0, 1, 4, 5]].tolist() == [0, 0, 0, 0]


def test_anchors_speak_for_what_they_lead_to() -> None:
    scores = distil(links([False] * 4), relevance([0] * 6, [0] * 4, [0, 0, 0, 1, 0]))
    assert scores.nonzero()[0].tolist() == [4]


def test_templates_speak_for_nothing() -> None:
    said = relevance([1, 1, 0, 0, 0, 0], [1] * 4, [1] * 5)
    assert distil(links([True] * 4), said).tolist() == [0] * 6
    assert distil(links([True, True, False, False]), said)[2] == 0


def test_nothing_relevant_is_nothing() -> None:
    assert distil(links([False] * 4), relevance([0] * 6, [0] * 4, [0] * 5)).tolist() == [0] * 6
