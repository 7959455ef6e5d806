"""What is said at the end of a crawl."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from typing import TYPE_CHECKING

import pytest

from crawler.run.signals import run_finished
from crawler.run.work import Stopped
from tests import forked
from tests.crawls import crawl
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

LINKS = [*(f"/broken/{n}" for n in range(5)), "/busy", "/gone", "/secret/a", "/secret/b", "/image"]
PAGES = {
    "/": page("home", *LINKS, "/a"),
    "/a": page("a"),
    "/robots.txt": Answer("User-agent: *\nDisallow: /secret/", kind="text/plain"),
    "/busy": Answer("later", 503),
    "/image": Answer(b"GIF89a", kind="image/gif"),
    **{f"/broken/{n}": Answer("sorry", 500) for n in range(5)},
}
SUMMARY = """\
s: complete
  pages      2 fetched, 0 unchanged, 0 duplicates
  failed     6 (5 http 500, 1 http 503)
  gone       1 (http 404)
  skipped    3 (2 robots, 1 not HTML)
  time       0:00:00, 0.0 pages a second
  retries    6; 6 requests were given up
"""


def summary(text: str) -> str:
    """The lines of a summary that this is about, without what the machine makes of it."""
    text = re.sub(r"[0-9:]+, [0-9.]+ pages a second", "0:00:00, 0.0 pages a second", text)
    lines = text[text.index("s: complete") :].splitlines()
    return "".join(f"{line}\n" for line in SUMMARY.splitlines() if line in lines)


@pytest.mark.parametrize("terminal", [True, False])
def test_the_summary_tells_what_was_not_had_and_why(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    settings = {"PROGRESS_ENABLED": True, "RETRY_ENABLED": True, "RETRY_TIMES": 1}
    with served(PAGES) as site, caplog.at_level(logging.INFO):
        assert crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings).outcome == "complete"
    assert summary(capsys.readouterr().err) == SUMMARY
    assert "Gave up" not in caplog.text


def own_words(log: str) -> list[str]:
    """The log less the summary of a crawl of two pages."""
    before, found, after = log.partition("s: complete\n  pages      2 fetched, 0 unchanged, 0 duplicates\n")
    assert found, log
    return [*before.splitlines(), *(line for line in after.splitlines() if not line.startswith(" "))]


def interrupted(*_: object, **__: object) -> bool:
    raise Stopped


def test_what_an_interrupted_run_has_not_sent_is_not_unchanged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"PROGRESS_ENABLED": True}
    with served({"/": page("home", "/a", "/b"), "/a": page("a"), "/b": page("b")}) as site:
        for stop, released, unchanged in ((True, 0, 0), (False, 3, 0), (False, 0, 3)):
            with monkeypatch.context() as patch:
                if stop:
                    patch.setattr("pipelines.processor.ReleasingItemProcessor._prepare", interrupted)
                crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
            found = capsys.readouterr().err
            assert f"  documents  {released} new or changed" in found
            assert f"  {unchanged} unchanged; all: " in found
        monkeypatch.setattr("crawler.run.outcome.RunOutcome._outcome", lambda _: "interrupted")
        crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1, settings=settings)
    found = capsys.readouterr().err
    assert "scrapy export s\n" in found
    assert "changes" not in found


def test_the_summary_does_not_wait_until_all_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []

    async def told() -> None:
        await asyncio.sleep(0.01)
        shown.append(capsys.readouterr().err)

    class Teller:
        @classmethod
        def from_crawler(cls, crawler: Crawler) -> Teller:
            crawler.signals.connect(told, run_finished, weak=False)
            return cls()

    settings = {"PROGRESS_ENABLED": True, "EXTENSIONS": {Teller: 0}}
    with served({"/": page("home")}) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
    assert [text.count("s: complete") for text in shown] == [1]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("asked", ["", "-v", "site file"])
def test_the_log_has_warnings_alone_unless_more_is_asked_for(tmp_path: Path, asked: str) -> None:
    with served({"/": page("home", "/a"), "/a": page("a")}) as site:
        (tmp_path / "s.toml").write_text(
            f"url = '{site.base}/'\n[settings]\nAUTOTHROTTLE_ENABLED = false\n"
            + "LOG_LEVEL = 'INFO'\n" * (asked == "site file")
        )
        given = (f"DATA_DIR={tmp_path}", f"SITES_DIR={tmp_path}", "SINKS=", "DOWNLOAD_DELAY=0")
        options = [part for setting in given for part in ("-s", setting)]
        done = forked.run(["crawl", "site", "-a", "site=s", *options, *filter("-v".__eq__, [asked])])
        filed = ["-s", f"LOG_FILE={tmp_path / 'log'}", *(["-L", "INFO"] if asked else [])]
        quiet = forked.run(["crawl", "site", "-a", "site=s", "-a", "fresh=1", *options, *filed])
    assert (done.returncode, done.stdout, quiet.stdout, quiet.stderr) == (0, "", "", "")
    log = own_words((tmp_path / "log").read_text())
    assert len(log) == 1 if not asked else any("Spider closed (finished)" in line for line in log)
    assert any("Spider closed (finished)" in line for line in own_words(done.stderr)) == bool(asked)
    assert asked or not own_words(done.stderr)


def test_of_many_reasons_the_most_frequent_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses = [500] * 4 + [501] * 3 + [502] * 2 + [403]
    broken = {f"/{n}": Answer("sorry", status) for n, status in enumerate(statuses)}
    with served({"/": page("home", *broken), **broken}) as site:
        crawl(tmp_path, url=f"{site.base}/", settings={"PROGRESS_ENABLED": True})
    assert "  failed     10 (4 http 500, 3 http 501, 2 http 502, …)\n" in capsys.readouterr().err


def test_the_summary_on_a_terminal_is_no_markup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    feed = tmp_path / "out[red]:smile:.jsonl"
    with served({"/": page("home")}) as site:
        crawl(
            tmp_path,
            url=f"{site.base}/",
            site="s",
            settings={"PROGRESS_ENABLED": True, "FEEDS": {str(feed): {"format": "jsonlines"}}},
        )
    assert feed.name in capsys.readouterr().err.replace("\n", "")


def test_what_is_refused_on_sight_is_counted_each_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [f"/paper-{n}.pdf" for n in range(20)]
    pages = {
        "/": page(
            "home",
            *(*files, "/deep", "/image", "/denied", "/a/a/a/a/a", "http://elsewhere.example/x.pdf"),
            *("/paid nofollow", "http://elsewhere.example/ nofollow"),
        ),
        "/deep": page("deep", "/deeper", "/too-deep", head="<meta name=robots content=noindex>"),
        "/deeper": page("deeper", "/too-deep"),
        "/image": Answer(b"GIF89a", kind="image/gif"),
    }
    rules = {
        "SCOPE_RULES": [{"policy": "deny", "type": "contains", "pattern": "/denied"}],
        "DEPTH_LIMIT": 1,
        "PROGRESS_ENABLED": True,
    }
    with served(pages) as site:
        for _ in range(2):
            found = crawl(tmp_path, url=f"{site.base}/", settings=rules)
            told = capsys.readouterr().err
            assert "  skipped    26 (21 not HTML, 2 depth, 1 nofollow, …)\n" in told
            assert "  excluded   1 (noindex)\n" in told
            site.pages["/"] = site.pages["/"].replace("what", "all")
        assert found.stats["pages/unrequested/type"] == 21
        # What nothing links to any more is refused no more.
        site.pages["/"] = page("home", "/paper-1.pdf", "/deep")
        found = crawl(tmp_path, url=f"{site.base}/", settings=rules)
    (run,) = (found.folder / "runs").glob("3.json")
    counts = json.loads(run.read_text())["counts"]
    refused = {name: count for name, count in counts.items() if name.startswith("pages/unrequested/")}
    assert refused == {"pages/unrequested/depth": 2, "pages/unrequested/type": 1}
