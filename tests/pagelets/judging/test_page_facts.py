from __future__ import annotations

import numpy as np

from pagelets.judging.page_facts import BlockSupport, PageFacts


def test_where_nothing_is_known_everything_is_nought() -> None:
    evidence = PageFacts.none(2, 3)
    assert (evidence.templates, evidence.pagelet_pages, evidence.pagelet_shares) == ([0, 0], [0, 0], [0, 0])
    assert list(evidence.repeated) == [False] * 3
    assert (evidence.pages, evidence.version, evidence.affixes) == (0, "", frozenset())
    for name in BlockSupport.__slots__:
        values = getattr(evidence.blocks, name)
        assert values.tolist() == [0, 0, 0]
        assert values.dtype == (np.int32 if name.endswith("pages") else np.float32)


def test_the_arrays_are_each_for_itself() -> None:
    support = BlockSupport.none(2)
    for number, name in enumerate(BlockSupport.__slots__, 1):
        getattr(support, name)[:] = number
    assert [getattr(support, name)[0] for name in BlockSupport.__slots__] == list(range(1, 9))
