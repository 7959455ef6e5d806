"""What is said at the end of a crawl."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crawls import crawl
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

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
    told = [record.getMessage() for record in caplog.records if record.name == "crawler.run.progress"]
    assert summary(capsys.readouterr().err if terminal else told[0]) == SUMMARY
    assert bool(told) != terminal
    assert "Gave up" not in caplog.text


def test_of_many_reasons_the_most_frequent_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    statuses = [500] * 4 + [501] * 3 + [502] * 2 + [403]
    broken = {f"/{n}": Answer("sorry", status) for n, status in enumerate(statuses)}
    with served({"/": page("home", *broken), **broken}) as site, caplog.at_level(logging.INFO):
        crawl(tmp_path, url=f"{site.base}/", settings={"PROGRESS_ENABLED": True})
    assert "  failed     10 (4 http 500, 3 http 501, 2 http 502, …)\n" in caplog.text


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
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = [f"/paper-{n}.pdf" for n in range(20)]
    pages = {
        "/": page(
            "home", *files, "/deep", "/image", "/denied", "/a/a/a/a/a", "http://elsewhere.example/x.pdf"
        ),
        "/deep": page("deep", "/deeper", "/too-deep"),
        "/deeper": page("deeper", "/too-deep"),
        "/image": Answer(b"GIF89a", kind="image/gif"),
    }
    rules = {
        "SCOPE_RULES": [{"policy": "deny", "type": "contains", "pattern": "/denied"}],
        "DEPTH_LIMIT": 1,
        "PROGRESS_ENABLED": True,
    }
    with served(pages) as site, caplog.at_level(logging.INFO):
        for _ in range(2):
            caplog.clear()
            found = crawl(tmp_path, url=f"{site.base}/", settings=rules)
            assert "  skipped    25 (21 not HTML, 2 depth, 1 rule, …)\n" in caplog.text
            site.pages["/"] = site.pages["/"].replace("what", "all")
        assert found.stats["pages/unrequested/type"] == 21
        # What nothing links to any more is refused no more.
        site.pages["/"] = page("home", "/paper-1.pdf", "/deep")
        found = crawl(tmp_path, url=f"{site.base}/", settings=rules)
    (run,) = (found.folder / "runs").glob("3.json")
    counts = json.loads(run.read_text())["counts"]
    refused = {name: count for name, count in counts.items() if name.startswith("pages/unrequested/")}
    assert refused == {"pages/unrequested/depth": 2, "pages/unrequested/type": 1}
