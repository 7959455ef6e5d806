from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagelets.ranking.graph import Links
from pagelets.ranking.rankings import cocited

OWNER = [0, 0, 1, 2]
TEMPLATE = [False, True, False, False]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=20),
    st.sampled_from([0.0, 0.5]),
    st.booleans(),
)
def test_counts_are_those_of_sets(rows, page_weight, templates):
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    links = Links(6, np.array(OWNER), np.array(TEMPLATE), pairs[:, 0], pairs[:, 1])
    cited = {
        (pagelet, page) for pagelet, page in rows if OWNER[pagelet] != page and (templates or pagelet != 1)
    }
    by_page = {(OWNER[pagelet], page) for pagelet, page in cited}
    for page in range(6):
        found = cocited(links, page, page_weight=page_weight, templates=templates)
        for other in range(6):
            expected = sum((hub, other) in cited for hub, target in cited if target == page)
            expected += page_weight * sum(
                (hub, other) in by_page for hub, target in by_page if target == page
            )
            assert found[other] == (0 if other == page else expected)
