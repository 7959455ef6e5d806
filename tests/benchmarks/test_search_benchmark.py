"""The benchmark on one of our own sites; what it measures on real ones is in docs/benchmarks.md."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.search import GOLD, LEFT_OUT, METHODS, RAW, Figures, Site, main, means, measure, predicted
from benchmarks.search_index import SearchIndex
from benchmarks.search_queries import KINDS, GoldText
from benchmarks.search_tables import tables
from settings.errors import ConfigurationError
from tests.quality.annotated import write

if TYPE_CHECKING:
    from pathlib import Path

MENU = "Home Contact Harbour Orchard Quarry Imprint\n"
SUBJECTS = {
    "harbour": "Harbour\nOld cranes unload timber beside the granite quay every morning.",
    "orchard": "Orchard\nRusset apples ripen late, pickers climb ladders among branches.",
    "quarry": "Quarry\nDynamite split slate while masons shaped roof tiles by hand.",
}
PAGES = [GoldText(f"https://a.example/{name}", text, "article", "") for name, text in SUBJECTS.items()]
TEXTS = {
    RAW: {page.url: MENU * 3 + page.text for page in PAGES},
    "empty": {page.url: "" for page in PAGES},
    GOLD: {page.url: page.text for page in PAGES},
}


def untimed(site: Site) -> dict[str, Any]:
    return {method: (figures.mrr, figures.ndcg, figures.size) for method, figures in site.methods.items()}


def test_what_is_not_indexed_is_not_found() -> None:
    site = measure("a", PAGES, TEXTS, {})
    assert site.pages == 3
    assert site.queries == {"titles": 3, "sentences": 3}
    assert site.methods[GOLD].mrr == site.methods[GOLD].ndcg == {"titles": 1.0, "sentences": 1.0}
    assert site.methods["empty"].mrr == site.methods["empty"].ndcg == {"titles": 0.0, "sentences": 0.0}
    assert site.methods[RAW].size_share == 1
    assert site.methods["empty"].size_share < site.methods[GOLD].size_share < 1


def test_titles_answer_whatever_the_text_is() -> None:
    titles = {page.url: f"{page.text.splitlines()[0]} | Town" for page in PAGES}
    site = measure("a", PAGES, TEXTS, titles)
    for figures in site.titled.values():
        assert figures.mrr["titles"] == 1
    assert site.titled["empty"].mrr["sentences"] == site.methods["empty"].mrr["titles"] == 0


def test_a_menu_hides_what_is_looked_for() -> None:
    others = {page.url: MENU * 3 + page.text for page in PAGES}
    portal = "https://a.example/portal"
    texts = {RAW: {**others, portal: MENU * 20}, GOLD: {**TEXTS[GOLD], portal: "Welcome"}}
    figures = measure("a", PAGES, texts, {}).methods
    assert figures[RAW].mrr["titles"] < figures[GOLD].mrr["titles"] == 1


def test_figures_are_the_same_each_time() -> None:
    assert untimed(measure("a", PAGES, TEXTS, {})) == untimed(measure("a", PAGES[::-1], TEXTS, {}))


def test_an_index_ranks_by_any_of_the_words(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path, "a", {"u": "Café crème", "v": "日本の技術", "w": "", "x": "café café noir"})
    assert index.search(("CAFE", "noir"), 10).urls == ["x", "u"]
    assert index.search(("cafe", "noir"), 1).urls == ["x"]
    assert index.search(("技術",), 10).urls == ["v"]
    assert index.search(("術技",), 10).urls == []
    assert index.search((), 10).urls == []
    assert index.size > 0


def test_each_site_counts_alike_in_the_mean() -> None:
    def site(rank: float, size: float, kinds: tuple[str, ...] = KINDS) -> Site:
        answers = dict.fromkeys(kinds, rank)
        figures = {RAW: Figures(answers, answers, size, 1.0, 2.0)}
        return Site(1, dict.fromkeys(KINDS, 1), False, figures, figures)

    found = means({"a": site(1.0, 100), "b": site(0.5, 300), "c": site(0.0, 500, ("titles",))})
    answers = {"titles": 0.5, "sentences": 0.75}
    assert found.mean == found.mean_titled == {RAW: Figures(answers, answers, 300, 1.0, 2.0)}
    with pytest.raises(ValueError, match="no sites"):
        means({})


def test_tables_name_what_was_measured() -> None:
    figures = Figures({"titles": 0.5}, {"titles": 0.75}, 2000.0, 1.0, 0.25)
    site = Site(
        7, {"titles": 4, "sentences": 0}, True, {RAW: figures}, {RAW: replace(figures, mrr={"titles": 1.0})}
    )
    lines = list(tables({"a": site}, means({"a": site})))
    assert f"| {RAW} | 0.500 | 0.750 | - | - | 1.00 | 250 |" in lines
    assert f"| {RAW} | 1.000 | 0.750 | - | - | 1.00 | 250 |" in lines
    assert "| a* | 4 | 0.500 / 0.750 |" in lines
    assert "| a* | 0 | - / - |" in lines
    assert "| a* | 7 | 2 | 1.00 |" in lines
    assert lines[-1].startswith("* the model")
    for table in "\n".join(lines[:-1]).strip().split("\n\n"):
        assert len({line.count("|") for line in table.splitlines()}) == 1


@pytest.mark.parametrize("line", ["{", '{"url": "u"}', "[]", "1"])
def test_a_wrong_feed_is_named(tmp_path: Path, line: str) -> None:
    feed = tmp_path / "a.jsonl"
    feed.write_text(line)
    with pytest.raises(ConfigurationError, match=re.escape(str(feed))):
        predicted(feed, {})


def test_pages_that_a_feed_lacks_are_empty(tmp_path: Path) -> None:
    feed = tmp_path / "a.jsonl"
    feed.write_text('{"url": "u", "text": "x"}\n{"url": "other", "text": "y"}\n')
    assert predicted(feed, {"u": "", "v": ""}) == {"u": "x", "v": ""}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("search")
    write(folder / "sites")
    gold = (folder / "sites" / "brevonne.gold.jsonl").read_text().splitlines()
    feed = [{"url": row["id"], "text": row["text"]} for row in map(json.loads, gold)]
    (folder / "brevonne.jsonl").write_text("\n".join(map(json.dumps, feed)))
    with redirect_stdout(io.StringIO()) as printed:
        main(["--corpora", str(folder), "--sites", "1", "--predictions", str(folder), "--json"])
    return json.loads(printed.getvalue())


def test_a_site_is_crawled_and_measured_by_each_method(measured: dict[str, Any]) -> None:
    assert list(measured["sites"]) == ["brevonne"]
    site = measured["sites"]["brevonne"]
    assert list(site["methods"]) == [*METHODS, GOLD, LEFT_OUT]
    assert site["pages"] == 15
    assert not site["seen"]
    assert min(site["queries"].values()) > 0
    for figures in site["methods"].values():
        assert all(0 < figures[name][kind] <= 1 for name in ("mrr", "ndcg") for kind in KINDS)
    assert site["methods"]["judged"]["size_share"] < site["methods"][RAW]["size_share"] == 1


def test_texts_of_a_feed_are_measured_as_they_are(measured: dict[str, Any]) -> None:
    methods = measured["sites"]["brevonne"]["methods"]
    for name in ("mrr", "ndcg"):
        assert methods[LEFT_OUT][name] == methods[GOLD][name]
    assert measured["mean"][GOLD]["mrr"] == pytest.approx(methods[GOLD]["mrr"])


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_wrong_number_of_sites_is_refused(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--sites", number])
    assert ended.value.code == 2
    assert "--sites" in capsys.readouterr().err


@pytest.mark.parametrize("there", [True, False])
def test_missing_corpora_end_the_program_with_one_line(tmp_path: Path, there: bool) -> None:
    folder = tmp_path if there else tmp_path / "none"
    with pytest.raises(SystemExit, match=r"corpora|sites") as ended:
        main(["--corpora", str(folder)])
    assert "\n" not in str(ended.value)
