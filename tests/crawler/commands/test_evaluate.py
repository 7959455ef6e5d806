from __future__ import annotations

import json
import os
import re
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.corpora import trained
from evaluation.gold import Archive, GoldPage, find_archives, is_seen, read_gold
from evaluation.scoring import Result, Score, ScoredPage, mean, score
from pagelets.methods import METHODS as ALL
from pagelets.methods.base import Training
from pagelets.methods.judged.model import load
from settings.errors import ConfigurationError
from settings.places import PROJECT
from tests import forked

from .conftest import gold, page, write_archive, write_gold

pytestmark = pytest.mark.usefixtures("quick_evaluation")

METHODS = ["templates", "judged", "paper", "all-text", "resiliparse", "vote:templates+all-text"]
ABSENT = {"id": "https://hills.example/absent", "text": "A page that the archive lacks.", "group": "article"}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sites with their gold text; of one page of the second there is gold text only."""
    folder = tmp_path_factory.mktemp("corpus")
    for site, more in (("stones", ()), ("hills", (ABSENT,))):
        base = f"https://{site}.example"
        write_archive(folder / f"{site}.warc.gz", base, site)
        write_gold(folder / f"{site}.gold.jsonl", base, site, more)
    return folder


class Evaluated:
    figures: dict[str, Any] | None = None
    predictions: Path


@pytest.fixture(scope="session")
def kept() -> Evaluated:
    return Evaluated()


@pytest.fixture
def figures(kept, scrapy, corpus, tmp_path_factory) -> dict[str, Any]:
    """What the command says of the corpus; it is run once."""
    if kept.figures is None:
        kept.predictions = tmp_path_factory.mktemp("predictions")
        done = scrapy(
            *("evaluate", corpus, "--method", ",".join(METHODS), "--predictions", kept.predictions),
            *("--nodes", "--json"),
        )
        assert (done.code, done.err) == (0, "")
        kept.figures = done.rows[0]
    return kept.figures


def test_every_method_is_measured_on_every_site(figures):
    assert list(figures) == METHODS
    assert all(list(method["sites"]) == ["hills", "stones"] for method in figures.values())
    assert all(method["ms_per_page"] > 0 for method in figures.values())


def test_without_the_template_the_text_is_nearer_to_the_gold(figures):
    stones = {name: method["sites"]["stones"] for name, method in figures.items()}
    assert stones["all-text"]["recall"] == 1
    assert stones["all-text"]["precision"] < 0.8
    assert stones["templates"]["precision"] == 1
    assert stones["templates"]["f1"] > stones["all-text"]["f1"]


def test_the_nodes_of_templates_are_compared_where_a_method_says_which_blocks_they_are(figures):
    nodes = {name: method["nodes"] for name, method in figures.items()}
    assert nodes["resiliparse"] is None
    assert nodes["all-text"] == {"f1": 0, "precision": 0, "recall": 0}
    assert nodes["templates"]["f1"] > 0.8


def test_figures_are_means_over_sites_of_means_over_pages(figures):
    for method in figures.values():
        sites = method["sites"].values()
        for measure in ("f1", "precision", "recall"):
            assert method[measure] == pytest.approx(sum(site[measure] for site in sites) / 2)


def test_a_gold_page_that_the_archive_lacks_counts_as_empty_and_is_counted(figures):
    for method in figures.values():
        assert (method["pages"], method["absent"], method["failed"]) == (17, 1, 0)
        assert method["sites"]["hills"]["absent"] == 1
    assert figures["all-text"]["sites"]["hills"]["recall"] == pytest.approx(8 / 9)


def test_groups_are_told_apart(figures):
    groups = figures["templates"]["groups"]
    assert {name: group["pages"] for name, group in groups.items()} == {"article": 15, "home": 2}


def test_predictions_are_lines_of_url_and_text_that_give_the_same_figures(kept, figures):
    for name in METHODS:
        lines = (kept.predictions / name / "stones.jsonl").read_text().splitlines()
        texts = {row["url"]: row["text"] for row in map(json.loads, lines)}
        scores = [score(texts[f"https://stones.example/{number or ''}"], gold(number)) for number in range(8)]
        assert figures[name]["sites"]["stones"]["f1"] == pytest.approx(mean(scores).f1)
    hills = (kept.predictions / "templates" / "hills.jsonl").read_text()
    assert "absent" not in hills


def test_a_baseline_gets_the_page_as_it_was_fetched(kept, figures):
    lines = (kept.predictions / "resiliparse" / "stones.jsonl").read_text().splitlines()
    baseline = ALL["resiliparse"]()
    assert {row["text"] for row in map(json.loads, lines)} == {
        baseline.extract(page(number), "https://stones.example/") for number in range(8)
    }


def test_the_tables_show_each_site_the_groups_and_the_mean(scrapy, corpus):
    own = ("-s", 'METHOD_CLASSES={"failing": "tests.stuck.FailingExtractor"}')
    done = scrapy("evaluate", corpus / "stones.warc.gz", "--groups", "--method", "all-text,failing", *own)
    assert (done.code, done.err) == (0, "")
    for title in ("F1", "precision", "recall"):
        assert f"{title} by site" in done.out
        assert f"{title} by kind of page" in done.out
    last = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()[-2:]}
    assert last["failing"][:3] == ["0.000"] * 3
    assert last["failing"][-3:] == ["8", "0", "8"]
    assert last["all-text"][-3:] == ["8", "0", "0"]


STUCK = (
    "-s",
    'METHOD_CLASSES={"sleeping": "tests.stuck.SleepingMethod", "crashing": "tests.stuck.CrashingMethod", '
    '"raising": "tests.stuck.RaisingMethod", "slow": "tests.stuck.SlowLearner", '
    '"failing": "tests.stuck.FailingLearner", "lacking": "tests.stuck.LackingMethod", '
    '"frequent": "tests.learners.FrequentMethod"}',
)


def test_a_page_that_a_method_makes_no_end_of_or_ends_on_is_told_and_costs_no_other(scrapy, corpus):
    names = ["sleeping", "crashing", "raising", "slow", "failing", "frequent"]
    asked = ("--json", "--time-limit", "0.5", "--method", ",".join(names))
    done = scrapy("evaluate", corpus / "stones.warc.gz", *asked, *STUCK)
    assert (done.code, done.err) == (0, "")
    figures = done.rows[0]
    assert list(figures) == names
    page = {"site": "stones", "url": "https://stones.example/3"}
    assert figures["sleeping"]["failures"] == [{**page, "error": "took longer than 0.5 s"}]
    assert figures["crashing"]["failures"] == [{**page, "error": "its process ended (SIGABRT)"}]
    assert figures["raising"]["failures"] == [{**page, "error": "RecursionError: too deep"}]
    for name in ("sleeping", "crashing", "raising"):
        assert (figures[name]["failed"], figures[name]["recall"]) == (1, pytest.approx(7 / 8))
    # A tenth of the limit for each of eight pages is less than the limit.
    assert {one["error"] for one in figures["slow"]["failures"]} == {"cannot begin: took longer than 0.5 s"}
    said = "cannot learn: ZeroDivisionError: no pages"
    assert {one["error"] for one in figures["failing"]["failures"]} == {said}
    assert (figures["slow"]["failed"], figures["failing"]["failed"], figures["frequent"]["failed"]) == (
        8,
        8,
        0,
    )
    assert figures["frequent"]["learning_seconds"] > 0
    assert figures["sleeping"]["learning_seconds"] is None
    assert all(method["memory_mb"] > 10 for method in figures.values())


def test_all_methods_are_measured_that_have_what_they_need_and_the_others_are_named(
    scrapy, corpus, unmeasured
):
    done = scrapy("evaluate", corpus, "--method", "all", "--groups", *STUCK)
    assert done.code == 0
    (line,) = done.err.splitlines()
    assert line.startswith("scrapy evaluate: left out: method lacking: it lacks a stone")
    table = done.out.partition("mean over sites\n")[2].splitlines()
    added = json.loads(STUCK[1].partition("=")[2])
    ready = {*ALL, *added} - {"lacking"}
    assert sorted(row.split()[0] for row in table[1:]) == sorted(ready)
    assert table[1].split()[:2] == ["danag", "0.600"]
    # Too many for a column each.
    assert "F1 by site" not in done.out
    assert re.search(r"^stones +judged +0\.500 +0\.500 +0\.500 +8 +0 +1$", done.out, re.MULTILINE)
    assert re.search(r"^home +paper ", done.out, re.MULTILINE)
    assert "judged failed on https://stones.example/: took longer than 9 s" in done.out
    assert "more: --json has all of them" in done.out


def test_of_many_methods_it_is_told_once_what_the_model_was_trained_on(scrapy, corpus, on_stones):
    done = scrapy("evaluate", corpus, "--method", "all")
    assert done.code == 0
    assert "the model of `judged` was trained on pages of 1 of these 2 sites: see its data card" in done.out


def measured(archives, methods, *_, **__):
    """Figures of nothing, the last archive's first."""
    for archive in reversed(archives):
        for method in methods:
            agreed = 0.6 if method == "danag" else 0.5
            pages = [ScoredPage(gold, "", Score(*[agreed] * 3), None, 0.001) for gold in archive.gold]
            pages[0] = replace(pages[0], error="took longer than 9 s", seconds=None)
            yield Result(archive.name, method, pages, memory=1000)


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is crawled and judged."""
    monkeypatch.setattr("crawler.commands.evaluate.evaluate", measured)


@pytest.fixture
def on_stones(monkeypatch: pytest.MonkeyPatch, unmeasured) -> None:
    """As if the model of `judged` had been trained on the site `stones`."""
    method = type(ALL["judged"]())
    training = Training(frozenset({"Stones.example"}), method().training.card)
    monkeypatch.setattr(method, "training", training)


def test_a_site_that_the_model_was_trained_on_is_marked_in_the_tables(scrapy, corpus, on_stones):
    done = scrapy("evaluate", corpus, "--groups", "--method", "all-text,judged")
    assert (done.code, done.err) == (0, "")
    table = done.out.partition("\n\n")[0].splitlines()
    assert [line.split()[:-3] for line in table[2:4]] == [["hills"], ["stones", "*"]]
    assert table[-1].startswith("* the model of `judged` was trained on pages of this site")
    assert table[-1].endswith("pagelets/methods/judged/model/CARD.md")
    assert done.out.count("stones *") == done.out.count("* the model") == 3


def test_sites_of_judged_say_whether_its_model_has_seen_them(scrapy, corpus, on_stones):
    figures = scrapy("evaluate", corpus, "--method", "judged,all-text", "--json").rows[0]
    assert {name: site["seen"] for name, site in figures["judged"]["sites"].items()} == {
        "hills": False,
        "stones": True,
    }
    assert all("seen" not in site for site in figures["all-text"]["sites"].values())


def test_nothing_is_marked_where_no_method_was_trained(scrapy, corpus, on_stones):
    done = scrapy("evaluate", corpus / "stones.warc.gz", "--method", "all-text")
    assert done.code == 0
    assert "*" not in done.out


@pytest.mark.parametrize(
    ("urls", "seen"),
    [
        (["https://a.example/1", "https://b.example/1"], True),
        (["https://A.Example/1"], True),
        (["https://a.example/1", "https://b.example/1", "https://b.example/2"], False),
        (["https://www.a.example/1"], False),
        (["https://[a.example/"], False),
    ],
)
def test_an_archive_is_seen_where_half_of_its_gold_pages_are_of_trained_hosts(urls, seen):
    archive = Archive("x", Path("x.warc.gz"), [GoldPage(url, "text", None) for url in urls])
    assert is_seen(archive, {"a.example"}) is seen


def test_hosts_are_those_of_the_model_of_judged():
    assert trained(["templates", "all-text", "resiliparse"]) == {}
    known = trained(["templates", "judged"])
    assert set(known) == {"judged"}
    assert known["judged"].hosts == {host.lower() for host in load().hosts} != frozenset()


@pytest.mark.parametrize(("stage", "archives"), [("crawled", "."), ("judged", "stones.warc.gz")])
def test_ctrl_c_ends_all_at_once_and_leaves_nothing(corpus, tmp_path, stage, archives):
    arguments = ["evaluate", str(corpus / archives), "--method", "sleeping", "--time-limit", "600", *STUCK]
    folder = tmp_path / "temporary"
    folder.mkdir()
    out, err = tmp_path / "out", tmp_path / "err"
    process = forked.Running(arguments, env={**os.environ, "TMPDIR": str(folder)}, out=out, err=err)
    wanted = "evaluate-*/*" if stage == "crawled" else "evaluate-*/*/evaluated/store.sqlite"
    deadline = time.monotonic() + 60
    while not list(folder.glob(wanted)) or (stage == "judged" and len(group_of(process.pid)) < 2):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    below = group_of(process.pid)
    process.send_signal(signal.SIGINT)
    code = process.wait(30)
    assert (code, out.read_text(), err.read_text()) == (-signal.SIGINT, "", "interrupted\n")
    assert list(folder.iterdir()) == []
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]


def group_of(process: int) -> list[int]:
    """The processes below one, and below these."""
    below = Path(f"/proc/{process}/task").glob("*/children")
    own = [int(pid) for path in below for pid in path.read_text().split()]
    return [*own, *(pid for one in own for pid in group_of(one))]


def test_nothing_is_left_of_the_throw_away_store(figures, crawled):
    assert not list(PROJECT.glob("data/evaluated*"))
    assert sorted(path.name for path in crawled.data.iterdir() if path.is_dir()) == ["_index", "stones"]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["PATH"]),
        (["{corpus}/nothing"], ["nothing", "no such file"]),
        (["{corpus}", "{corpus}/stones.warc.gz"], ["stones.warc.gz", "given already"]),
        (["{corpus}", "--method", "templats"], ["'templats'", "'templates'"]),
        (["{corpus}", "--method", "all-text,vote:templates+templats"], ["'templats'", "'templates'"]),
        (["{corpus}", "--method", "vote:templates+"], ["vote:NAME,NAME"]),
        (["{corpus}", "--method", ""], ["--method"]),
        (["{corpus}", "-s", "PAGELET_K=0"], ["PAGELET_K=0", "at least 1"]),
        (["{corpus}", "--time-limit", "0"], ["--time-limit 0", "more than 0"]),
        (["{corpus}", "--time-limit", "nan"], ["--time-limit nan"]),
        (["{corpus}", "--time-limit", "soon"], ["--time-limit soon", "more than 0"]),
        (["{corpus}", "--processes", "-1"], ["--processes -1"]),
    ],
)
def test_what_a_user_gets_wrong_is_told_before_anything_is_crawled(scrapy, corpus, arguments, parts):
    given = [argument.format(corpus=corpus) for argument in arguments]
    scrapy("evaluate", *given).refused("scrapy evaluate: ", *parts)


def test_an_archive_that_cannot_be_read_is_named(scrapy, tmp_path):
    (tmp_path / "broken.warc.gz").write_bytes(b"no archive")
    write_gold(tmp_path / "broken.gold.jsonl", "https://broken.example")
    scrapy("evaluate", tmp_path).refused("broken.warc.gz", "exit code")


def test_a_peer_that_is_not_installed_is_named_with_the_mend(scrapy, corpus, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "readability", None)
    scrapy("evaluate", corpus, "--method", "readability").refused("pip install readability-lxml")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"id": "u", "text": "t"}', "{"], "line 2"),
        (['{"text": "t"}'], "line 1"),
        (["[]"], "line 1"),
        (['{"id": "u", "text": "t"}', "", '{"url": "u", "text": "t"}'], "line 3.*occurs twice"),
        (['{"id": "u"}'], "no line has a text"),
        (["[" * 100_000], "line 1.*RecursionError"),
        (['{"id": "u", "text": "ü"}'], "line 1.*'utf-8' codec can't decode"),
    ],
)
def test_gold_text_of_no_use_is_named_by_line(tmp_path, lines, said):
    path = tmp_path / "x.gold.jsonl"
    path.write_text("\n".join(lines), encoding="latin-1")
    with pytest.raises(ConfigurationError, match=said):
        read_gold(path)


def test_gold_text_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "x.gold.jsonl"
    path.write_text('{"id": "u", "text": "ü"}\n', encoding="utf-8-sig")
    assert read_gold(path) == [GoldPage("u", "ü", None)]


def test_an_archive_without_gold_text_and_a_folder_without_archives_are_refused(tmp_path, crawled):
    with pytest.raises(ConfigurationError, match=r"no \*\.warc\.gz"):
        find_archives([tmp_path])
    with pytest.raises(ConfigurationError, match=r"stones\.gold\.jsonl: no such file"):
        find_archives([crawled.archive])
