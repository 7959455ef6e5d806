from __future__ import annotations

import numpy as np
import pytest

from pagelets.ranking.graph import Links
from pagelets.ranking.rankings import RANKINGS, Matches, rank

# Pages 0 to 3 share a menu (pagelets 0 to 3) that links to pages 0 and 1. Page 2 and 3 have a list each
# (pagelets 4 and 5) that leads to page 4; that of page 3 leads to page 5, too.
LINKS = Links(
    pages=6,
    owner=np.array([0, 1, 2, 3, 2, 3]),
    template=np.array([True, True, True, True, False, False]),
    pagelet=np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5]),
    target=np.array([0, 1, 0, 1, 0, 1, 0, 1, 4, 4, 5]),
)
MATCHES = Matches(
    pages=np.array([False, False, True, True, True, True]),
    pagelets=np.array([False, False, False, False, True, True]),
    anchors=np.zeros(11),
)


def best(name: str, matches: Matches | None = MATCHES) -> list[int]:
    scores = rank(LINKS, RANKINGS[name], matches)
    return [page for page in np.argsort(-scores, kind="stable").tolist() if scores[page] > 1e-6]


def test_the_menu_wins_where_its_links_count():
    for name in ("page-vanilla", "pagelet-vanilla"):
        assert set(best(name)[:2]) == {0, 1}, name


def test_the_content_wins_where_templates_or_what_does_not_match_are_out():
    for name in ("page-fnm", "pagelet-fnm", "pagelet-ft", "pagelet-ft-fnm"):
        assert set(best(name)) == {4, 5}, name


def test_a_word_of_the_query_in_an_anchor_makes_a_link_count_more():
    assert best("pagelet-ft-fnm") == [4, 5]
    more = MATCHES._replace(anchors=np.array([0.0] * 10 + [1.0]))
    assert best("pagelet-ft-fnm", more) == [5, 4]
    assert best("hits-pagelets", more) == [4, 5], "HITS has no weights"


def test_a_whole_site_is_ranked_without_a_query():
    assert set(best("hits", None)[:2]) == {0, 1}
    assert set(best("pagerank", None)[:2]) == {0, 1}
    assert best("salsa-ft", None) == best("hits-pagelets", None) == [4, 5]
    assert best("pagerank-ft", None)[:1] == [4]
    with pytest.raises(ValueError, match="query"):
        rank(LINKS, RANKINGS["page-fnm"])
