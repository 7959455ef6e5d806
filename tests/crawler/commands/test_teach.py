from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
import tomllib
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest

from store.database import FILE
from store.lock import SiteLock
from store.site import Store
from tests import forked

from .conftest import BASE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Crawled, Ran

FOOTER = "Run by the society of people who walk past stones and look at them again."


class Taught(NamedTuple):
    """A copy of the crawled site, and the command on it."""

    folder: Path
    teach: Callable[..., Ran]
    scrapy: Callable[..., Ran]

    @property
    def site_file(self) -> Path:
        return self.folder / "sites" / "stones.toml"

    def texts(self) -> dict[str, str]:
        rows = self.scrapy("export", "stones", "--fields", "url,text", *self.options).rows
        return {row["url"].removeprefix(BASE): row["text"] for row in rows}

    @property
    def options(self) -> list[str]:
        return ["-s", f"DATA_DIR={self.folder / 'data'}", "-s", f"SITES_DIR={self.folder / 'sites'}"]

    def sheet(self, change: Callable[[str], str], *arguments: str) -> Path:
        path = self.folder / "sheet.txt"
        assert self.teach("stones", "-o", path, *arguments).code == 0
        path.write_text("".join(map(change, path.read_text().splitlines(keepends=True))))
        return path


@pytest.fixture
def taught(crawled: Crawled, tmp_path: Path, scrapy: Callable[..., Ran]) -> Taught:
    shutil.copytree(crawled.data, tmp_path / "data")
    options = ["-s", f"DATA_DIR={tmp_path / 'data'}", "-s", f"SITES_DIR={tmp_path / 'sites'}"]
    return Taught(tmp_path, lambda *arguments: scrapy("teach", *arguments, *options), scrapy)


def with_footer(line: str) -> str:
    """The correction: the footer is content."""
    return f"+{line[1:]}" if FOOTER in line else line


def test_a_taught_site_follows_at_once_and_an_undo_takes_it_back(taught: Taught) -> None:
    before = taught.texts()
    assert FOOTER not in before["/3"]
    sheet = taught.sheet(with_footer)
    text = sheet.read_text()
    assert text.count(f"\n# {BASE}/") == 3
    assert "\n- 0.0" in text

    shown = taught.teach("stones", sheet, "--dry-run")
    assert shown.code == 0
    assert "of 8 documents would change" in shown.out
    assert not taught.site_file.exists()
    assert taught.texts() == before

    assert taught.teach("stones", sheet, "--yes").code == 0
    again = taught.teach("stones", sheet, "--yes").err
    assert "0 documents judged otherwise" in again, "though none of them is delivered yet"
    assert taught.teach("stones", "--undo", "--yes").code == 0
    assert taught.teach("stones", "--undo", "--yes").code == 0

    told = taught.teach("stones", sheet, "--json", "--yes").rows[0]
    assert (told["applied"], told["estimated"], told["taught_pages"]) == (True, False, 3)
    assert tomllib.loads(taught.site_file.read_text()) == {"taught": told["weights"]}
    assert all(one["comes"] and one["selector"] in told["weights"] for one in told["blocks"])
    assert [one["text"] for one in told["blocks"][:8]] == [FOOTER] * 8
    after = taught.texts()
    assert all(text.startswith(before[path]) and FOOTER in text for path, text in after.items())
    with Store.open(taught.folder / "data" / "stones") as store:
        pending = [page for page in store.documents.current() if not store.documents.get(page).arrived]
        assert len(pending) == told["changed"]
        assert store.rounds.before().pages == len(after), "the next run compares itself with all pages"
    out = taught.scrapy("explain", f"{BASE}/3", *taught.options).out
    assert "kept     taught" in out
    assert f"taught: {next(iter(told['weights']))} " in out
    assert taught.scrapy("sites", "--check", *taught.options).code == 0

    undone = taught.teach("stones", sheet, "--undo", "--yes", "--json")
    assert f"0 weights; {undone.rows[0]['changed']} documents judged otherwise" in undone.err
    assert taught.texts() == before
    assert list((taught.folder / "sites").iterdir()) == []
    taught.teach("stones", "--undo").refused("nothing to undo")


def test_corrections_that_contradict_each_other_are_named(taught: Taught) -> None:
    signs = itertools.cycle([with_footer, str, str])
    sheet = taught.sheet(lambda line: next(signs)(line) if FOOTER in line else line)
    shown = taught.teach("stones", sheet, "--dry-run")
    assert "blocks that would still be judged against their signs: 1\n" in shown.out
    ((unheeded,),) = [row["unheeded"] for row in taught.teach("stones", sheet, "--dry-run", "--json").rows]
    assert (unheeded["text"], unheeded["keep"]) == (FOOTER, True)
    heeded = taught.sheet(with_footer)
    assert taught.teach("stones", heeded, "--dry-run", "--json").rows[0]["unheeded"] == []


def test_the_next_run_sends_what_was_taught_and_sheets_add_up(taught: Taught, crawled: Crawled) -> None:
    taught.site_file.parent.mkdir()
    taught.site_file.write_text("# the stones\nurl = []\n")
    sheet = taught.sheet(with_footer, "--page", f"{BASE}/3")
    assert sheet.read_text().count(f"\n# {BASE}/") == 1
    assert taught.teach("stones", sheet, "--yes").code == 0
    assert taught.site_file.read_text().startswith("# the stones\nurl = []\n")
    documents = taught.texts()
    archive = ["crawl", "archive", "-a", f"path={crawled.archive}"]
    feed = taught.folder / "feed.jsonl"
    for more in ([], ["-a", "fresh=1"]):
        done = forked.run([*archive, *more, "-O", str(feed), *taught.options, "-s", "LOG_LEVEL=ERROR"])
        assert done.returncode == 0, done.stderr
        sent = {
            row["url"].removeprefix(BASE): row["text"]
            for row in map(json.loads, feed.read_text().splitlines())
        }
        assert sent == documents
        assert taught.texts() == documents
    # The second sheet takes back what the first has said, on the same page.
    back = taught.sheet(lambda line: f"-{line[1:]}" if FOOTER in line else line, "--page", f"{BASE}/3")
    assert taught.teach("stones", back, "--yes").code == 0
    assert FOOTER not in taught.texts()["/3"]
    lines = (taught.folder / "sites" / "stones.taught.jsonl").read_text().splitlines()
    assert len(lines) == 2


def test_a_wrong_sheet_is_refused_before_anything_is_written(taught: Taught) -> None:
    def changed(line: str) -> str:
        return line.replace("nobody", "somebody") if "basalt" in line else line

    sheet = taught.sheet(changed, "--page", f"{BASE}/1")
    number = 1 + next(n for n, line in enumerate(sheet.read_text().splitlines()) if "somebody" in line)
    cases = {
        sheet.read_text(): [f"line {number}: no such block"],
        f"# {BASE}/absent\n+ 0.50 text\n": ["line 1: no page", "/absent"],
        "# nothing\n": ["line 1", "names no page"],
        "text\n": ["line 1"],
    }
    for text, said in cases.items():
        sheet.write_text(text)
        for how in ("--yes", "--dry-run"):
            taught.teach("stones", sheet, how).refused("scrapy teach: ", *said)
    assert not taught.site_file.parent.exists()


def test_what_cannot_be_taught_is_refused(taught: Taught) -> None:
    for arguments, said in (
        ([], ["give a site"]),
        (["stone"], ["'stone'", "'stones'"]),
        (["stones", "absent.txt"], ["absent.txt"]),
        (["stones", "--pages", "x"], ["--pages x", "whole number"]),
        (["stones", "--pages", "0"], ["--pages 0", "from 1 to"]),
        (["stones", "--page", f"{BASE}/gone"], ["/gone", "no page"]),
        (["stones", "--yes"], ["--yes"]),
        (["stones", "x", "--undo", "--gold", "y"], ["--gold"]),
        (["stones", "-s", "METHOD=templates"], ["'templates'", "method=judged"]),
    ):
        taught.teach(*arguments).refused("scrapy teach: ", *said)
    sheet = taught.sheet(with_footer)
    lock = SiteLock(taught.folder / "data" / "stones.lock")
    try:
        assert taught.teach("stones", sheet, "--yes").code == 6
        assert taught.teach("stones", sheet, "--dry-run").code == 0
    finally:
        lock.release()
    taught.site_file.parent.mkdir()
    taught.site_file.write_text('[taught]\n".a,b" = 1\n')
    taught.teach("stones").refused("stones.toml:2", ".a,b")


def test_a_page_that_no_taught_method_judges_is_named(taught: Taught) -> None:
    forms = (f"{BASE}/3#top", f"{BASE}/%31?utm_source=mail")
    text = taught.sheet(with_footer, "--page", forms[0], "--page", forms[1]).read_text()
    assert [text.count(f"\n# {BASE}/{number}\n") for number in (1, 3)] == [1, 1]
    assert taught.teach("stones", taught.folder / "sheet.txt", "--yes").code == 0
    rules = json.dumps([{"type": "begins", "pattern": "/3", "method": "templates"}])
    with closing(sqlite3.connect(taught.folder / "data" / "stones" / FILE)) as connection, connection:
        connection.execute(
            "UPDATE runs SET parameters = json_set(parameters, '$.overrides', json(?))", [rules]
        )
    said = [f"{BASE}/3: is judged by 'templates', which cannot be taught"]
    taught.teach("stones", taught.folder / "sheet.txt", "--yes").refused(*said)
    taught.teach("stones", "--page", f"{BASE}/3").refused(*said)
    sheet = taught.sheet(with_footer, "--page", f"{BASE}/1")
    out = taught.teach("stones", sheet, "--dry-run").out
    assert f"not learned from, as no page that can be taught is stored there now: {BASE}/3" in out


def test_a_new_sheet_keeps_the_corrections_that_were_there(taught: Taught) -> None:
    sheet = taught.sheet(with_footer)
    corrected = sheet.read_text()
    assert f"{sheet}.~1~" in taught.teach("stones", "-o", sheet).err
    assert taught.teach("stones", "-o", sheet).err.count("~") == 0, "the same sheet again replaces nothing"
    assert f"{sheet}.~2~" in taught.teach("stones", "-o", sheet, "--pages", "1").err
    assert (taught.folder / "sheet.txt.~1~").read_text() == corrected != sheet.read_text()


def test_a_sheet_goes_to_standard_output_and_as_json(taught: Taught) -> None:
    assert f"\n# {BASE}/" in taught.teach("stones", "--pages", "1").out
    (row,) = taught.teach("stones", "--pages", "2", "--json").rows
    assert [set(page) for page in row["pages"]] == [{"url", "blocks"}] * 2
    unchanged = taught.teach("stones", taught.sheet(str), "--dry-run").out
    assert "there is nothing to learn: the pages are judged as their signs say" in unchanged


def test_corrected_pages_stay_as_gold_and_a_run_says_how_it_judges_them(
    taught: Taught, crawled: Crawled
) -> None:
    taught.scrapy("evaluate", "--taught", "stones", *taught.options).refused("stones.taught.jsonl", "teach")
    taught.teach("stones", "--gold", taught.folder / "gold.jsonl").refused("no page")
    assert taught.teach("stones", taught.sheet(with_footer), "--yes").code == 0
    (row,) = taught.scrapy("evaluate", "--taught", "stones", "--json", *taught.options).rows
    assert row["f1"] > 0.95
    assert len(row["pages"]) == 3
    assert "mean" in taught.scrapy("evaluate", "--taught", "stones", *taught.options).out
    assert taught.teach("stones", "--gold", taught.folder / "gold.jsonl").code == 0
    gold = [json.loads(line) for line in (taught.folder / "gold.jsonl").read_text().splitlines()]
    assert sorted(one["id"] for one in gold) == [one["url"] for one in row["pages"]]
    assert all(one["text"].splitlines()[-1] == FOOTER for one in gold)
    crawl = ["crawl", "archive", "-a", f"path={crawled.archive}", *taught.options, "-s", "LOG_LEVEL=WARNING"]
    assert "judged worse" not in forked.run(crawl).stderr
    taught.site_file.unlink()
    assert "The 3 corrected pages are judged worse than in the last run: F1 0." in forked.run(crawl).stderr


def test_of_a_large_site_a_sample_is_looked_at_and_that_is_said(
    taught: Taught, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.commands.teach.SAMPLE", 4)
    assert "from a sample of 4 pages" in taught.teach("stones", "-o", taught.folder / "sheet.txt").err
    assert "sample" not in taught.teach("stones", "--all").err
    sheet = taught.sheet(with_footer, "--all")
    out = taught.teach("stones", sheet, "--dry-run").out
    assert "\nabout 8 of 8 documents would change\nestimated from a sample of 4 pages" in out
    assert "\n8 of 8 documents would change\n" in taught.teach("stones", sheet, "--dry-run", "--all").out
    assert taught.teach("stones", sheet, "--yes").code == 0
    assert all(FOOTER in text for text in taught.texts().values())
