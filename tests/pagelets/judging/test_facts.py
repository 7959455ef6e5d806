"""The evidence of a site, made from plain tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pagelets.block_keys import BLOCK_KEYS
from pagelets.judging.facts import Changing, KnownTemplate, RecordedPage, SiteFacts
from pagelets.judging.parameters import Detection
from pagelets.judging.support import CountTable, SupportTables

if TYPE_CHECKING:
    from pagelets.judging.page_facts import PageFacts

PAGES = {0: np.array([1, 2], np.int32), 1: np.array([3], np.int32)}
TEMPLATES = [
    KnownTemplate(7, 70, 9, 0.9, None),
    KnownTemplate(8, 80, 2, 0.2, 0),
    KnownTemplate(9, 80, 1, 0.1, 1),
]
KEYS = np.array([(5, 1, 2), (6, 1, 3), (0, 1, 4)], BLOCK_KEYS)


def counted(values: dict[int, list[float]], columns: int) -> CountTable:
    rows = np.array([values[key] for key in sorted(values)], np.float32).reshape(-1, columns)
    return CountTable(np.array(sorted(values), np.int64), rows.T)


def evidence(page: int = 1, **more: Any) -> PageFacts:
    support = SupportTables(
        counted({5: [4, 0.5], 6: [3, 0.4]}, 2), counted({2: [2, 0.2]}, 2), counted({1: [6, 0.6, 0.3, 1.5]}, 4)
    )
    tables = {"detection": Detection(), "rejected": {}, "changing": Changing.none(), **more}
    site = SiteFacts(TEMPLATES, PAGES.__getitem__, support, {4: 10}, **tables)
    return site.for_page(RecordedPage(page, 4, [70, 80, 90], KEYS))


@pytest.mark.parametrize(("page", "template"), [(1, 8), (3, 9), (5, 0)])
def test_a_template_is_where_its_sketch_is_and_its_pages_are(page: int, template: int) -> None:
    assert evidence(page).templates == [7, template, 0]


def test_support_is_aligned_with_pagelets_and_blocks() -> None:
    known = evidence()
    assert (known.pagelet_pages, known.pagelet_shares) == ([9, 2, 0], [0.9, 0.2, 0.0])
    assert known.blocks.pages.tolist() == [4, 3, 0]
    assert known.blocks.placed_pages.tolist() == [2, 0, 0]
    assert known.pages == 10


def test_a_block_is_repeated_on_so_many_pages_that_are_this_share() -> None:
    assert evidence().repeated == [True, False, False]
    assert evidence(detection=Detection(block_share=0.4)).repeated == [True, True, False]
    assert evidence(detection=Detection(block_share=0.0)).repeated == [False] * 3


def test_what_people_decided_comes_before_what_was_found() -> None:
    known = evidence(page=5, rejected={70: True, 80: False})
    assert known.templates == [0, 8, 0]
    assert [one and (one.rejected, one.template) for one in known.decided] == [(True, 7), (False, 8), None]


def test_blocks_that_change_are_told_where_they_have_text() -> None:
    changing = Changing(np.array([2, 4], np.int64), np.array([2, 3], np.int8))
    assert evidence(changing=changing).changed.tolist() == [2, 0, 0]
    assert evidence().changed.tolist() == [0, 0, 0]
