"""Only pages that an evidence change reaches are judged again, and the documents are those of judging all."""

from __future__ import annotations

import pytest

from store import support
from store.judging import StoredJudge
from store.support import FEWEST, steady
from tests.changing import ChangingSite
from tests.recrawls import Recrawls, hashes

LARGE = 30
"""Pages of a site that is taken for a large one here."""


@pytest.fixture
def judged(monkeypatch) -> list[int]:
    """The pages that are judged, in order."""
    found: list[int] = []
    judge = StoredJudge.judge

    def note(self: StoredJudge, page_id: int, method: str | None = None):
        found.append(page_id)
        return judge(self, page_id, method)

    monkeypatch.setattr(StoredJudge, "judge", note)
    return found


@pytest.mark.parametrize("method", ["templates", "judged"])
def test_a_few_changes_reach_a_few_pages(tmp_path, judged, method, monkeypatch):
    monkeypatch.setattr(support, "FEWEST", LARGE)
    site = ChangingSite(articles=LARGE, sections=4)
    with site.served():
        recrawls = Recrawls(site, tmp_path, METHOD=method)
        recrawls.crawl()
        assert len(judged) == LARGE + 6
        judged.clear()
        edited = site.article_paths[:2]
        for path in edited:
            site.edit(path)
        site.remove(site.article_paths[10])
        second = recrawls.crawl()
        assert {document["url"].removeprefix(site.base) for document in second.documents} >= set(edited)
        assert len(second.documents) <= 4
        assert len(judged) < LARGE / 4
        judged.clear()
        exported = recrawls.exported()
        assert judged == []
        assert exported == recrawls.documents()
        assert hashes(exported) == recrawls.index
        assert hashes(exported) == hashes(recrawls.fresh())


def test_counts_of_large_sites_hold_still_while_they_hardly_move():
    assert steady(1000, 1040, FEWEST)
    assert steady(0.5, 0.48, FEWEST)
    assert not steady(1000, 1060, FEWEST)
    assert not steady(2, 3, FEWEST)
    assert not steady(1000, 1001, FEWEST - 1)
    assert steady(1000, 1000, FEWEST - 1)
    assert not steady(-1, 0, FEWEST)
