"""The benchmark of pagelets on made-up pages; what it measures on real ones is in docs/benchmarks.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.search import main
from benchmarks.search_pagelets import LEAST, METHODS, Pages, measure, table
from benchmarks.search_queries import SENTENCES, TITLES, GoldText, Query
from tests.quality.annotated import write

if TYPE_CHECKING:
    from pathlib import Path

MENU = "Harbour news, weather, tides and moorings for all who sail these waters."
PASSAGES = {
    "https://a.example/scattered": ["Linen is sold here.", MENU, "Cotton thread is sold there.", "Linen."],
    "https://a.example/together": [MENU, MENU, "Waxed linen thread"],
    "https://a.example/other": [MENU, "Cranes and quays"],
}


def site() -> Pages:
    texts = {url: "\n".join(passages) for url, passages in PASSAGES.items()}
    gold = GoldText("https://a.example/together", "", None, "")
    asked = [
        Query(kind, words, frozenset([gold.url]), gold)
        for kind, words in ((TITLES, ("waxed",)), (SENTENCES, ("linen", "thread")))
    ]
    by_words = dict.fromkeys(LEAST, PASSAGES)
    return Pages(
        asked, dict.fromkeys(PASSAGES, ""), dict.fromkeys(METHODS, texts), dict.fromkeys(METHODS, by_words)
    )


def test_what_answers_best_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    found = measure({name: site() for name in "cab"})
    assert (found.chosen_on, found.measured_on) == (["a", "c"], ["b"])
    assert found.chosen.by_scores < 1
    ways = {
        way: figures for method, titled, way, figures in found.rows if (method, titled) == (METHODS[0], True)
    }
    assert ways["pages"][:3] == (1, 1, 0.5)
    assert ways[f"joined by scores, {found.chosen.by_scores:.1f}"] == (1, 1, 1, 1)
    assert len(found.rows) == 4 * len(ways) == 20
    lines = list(table(found))
    assert len({line.count("|") for line in lines[2:]}) == 1
    assert len(lines) == 4 + len(found.rows)


def test_one_site_is_too_few(tmp_path: Path) -> None:
    write(tmp_path / "sites")
    with pytest.raises(SystemExit, match="two sites or more"):
        main(["--corpora", str(tmp_path), "--sites", "1", "--pagelets"])
