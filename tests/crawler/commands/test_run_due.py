from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from crawler.scheduling.dispatch import LOGS_KEPT
from store.database import FILE
from store.lock import SiteLock
from store.site import Store
from tests import forked
from tests.crawls import PROJECT, QUICK
from tests.processes import wait_until
from tests.served import Site, page, served

if TYPE_CHECKING:
    from collections.abc import Callable

NIGHTLY = 'schedule = "0 2 * * *"'


@dataclass
class Folders:
    """Site files and stores of a test, and ``run-due`` over them."""

    sites: Path
    data: Path
    scrapy: Callable

    @property
    def options(self) -> list[str]:
        values = {**QUICK, "SINKS": "", "LOG_LEVEL": "INFO", "DATA_DIR": self.data, "SITES_DIR": self.sites}
        values |= {name: int(value) for name, value in values.items() if isinstance(value, bool)}
        return [part for name, value in values.items() for part in ("-s", f"{name}={value}")]

    @property
    def with_sinks(self) -> list[str]:
        """The options without that there are none, which would win over site files."""
        pairs = zip(self.options[::2], self.options[1::2], strict=True)
        return [part for pair in pairs if pair[1] != "SINKS=" for part in pair]

    def run(self, *arguments: str):
        return self.scrapy("run-due", *self.options, *arguments)

    def write(self, name: str, *lines: str, url: str = "http://127.0.0.1:9/") -> None:
        text = "\n".join([f'url = "{url}"', *lines])
        (self.sites / f"{name}.toml").write_text(f"{text}\n", encoding="utf-8")

    def standing(self, name: str) -> dict:
        return self.run("--dry-run", "--json", name).rows[0]

    def last(self, name: str):
        with Store.open(self.data / name) as store:
            return store.runs.last()


@pytest.fixture
def folders(tmp_path, scrapy):
    (tmp_path / "sites").mkdir()
    return Folders(tmp_path / "sites", tmp_path / "data", scrapy)


class Forked:
    """A crawl in a process that need not load first what it runs (`tests.forked`)."""

    def __init__(self, *command: str, **options: Any) -> None:
        log = Path(options["stdout"].name)
        # Without "python -m scrapy".
        self._running = forked.Running(command[3:], env=options["env"], out=log, err=log)
        self.pid = self._running.pid

    async def wait(self) -> int:
        return await asyncio.to_thread(self._running.wait)


@pytest.fixture
def quick_crawls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets ``run-due`` start crawls as `Forked`, where their command lines are not what is tested."""

    async def start(*command: str, **options: Any) -> Forked:
        return Forked(*command, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)


def quarry(path: str) -> str | None:
    """A site that has no end: each page leads to the next four."""
    number = path.strip("/") or "0"
    if not number.isdecimal():
        return None
    return page(f"Stone {number}", *(f"/{int(number) * 4 + step}" for step in range(1, 5)))


def test_what_is_due_is_crawled_once(folders):
    arguments: list[bytes] = []

    def home(path: str) -> str:
        arguments.extend(one.read_bytes() for one in Path("/proc").glob("[0-9]*/cmdline"))
        return page("Stones", "/1", "/2")

    pages = {"/": home, "/1": page("One"), "/2": page("Two")}
    with served(pages) as site:
        folders.write("stones", NIGHTLY, url=f"{site.base}/")
        folders.write("pebbles", url=f"{site.base}/")
        folders.write("rocks", 'schedule = "0 2 * *"')
        runs = folders.data / "stones" / "runs"
        runs.mkdir(parents=True)
        for name in ("0.log", "notes.log", *(f"{number}.log" for number in range(2, LOGS_KEPT + 1))):
            (runs / name).touch()
        done = folders.run("-s", 'POSTGRESQL={"dsn": "hush://hush"}', "-s", "BOT_NAME=quarry")
        assert done.code == 2
        assert "POSTGRESQL: every user of this machine sees a secret on a command line" in done.err
        assert any(b"site=stones" in line for line in arguments)
        assert not any(b"hush" in line for line in arguments)
        assert "(bot: quarry)" in (runs / "1.log").read_text(encoding="utf-8")
        assert done.out.startswith("stones: complete, exit 0, ")
        assert done.out.endswith("; 3 fetched, 0 unchanged, 0 failed, 3 released, 0 deleted\n")
        assert "rocks.toml:2: key 'schedule'" in done.err
        assert "Outcome: complete" in (runs / "1.log").read_text(encoding="utf-8")
        assert {path.name for path in runs.iterdir()} >= {"1.json", "1.log", "2.log", "notes.log"}
        assert not (runs / "0.log").exists()
        assert not (folders.data / "pebbles").exists()

        (folders.sites / "rocks.toml").unlink()
        site.forget()
        again = folders.run()
        assert (again.code, again.out, again.err) == (0, "", "")
        assert not site.asked


BROKEN = {
    "language": ('[tantivy]\nlanguage = "en"', 5, "tantivy.language", "did you mean 'english'?"),
    "sink": ('sinks = ["tantivy", "tantivi"]', 4, "sinks[1]", "did you mean 'tantivy'?"),
    "no-dsn": ('sinks = ["postgresql"]', 4, "sinks[0]", "POSTGRESQL.dsn: says no database"),
    "dsn": ('sinks = ["postgresql"]\npostgresql.dsn = "//"', 5, "postgresql.dsn", "not a connection string"),
    "table": (
        "sinks = ['postgresql']\n[postgresql]\ndsn = ''\ntable = 'A B'",
        7,
        "postgresql.table",
        "table",
    ),
    "no-hosts": ('sinks = ["opensearch"]', 4, "sinks[0]", "OPENSEARCH.hosts: is missing"),
    "prefix": ("sinks = ['opensearch']\n[opensearch]\nprefix = '_'", 6, "opensearch.prefix", "lower-case"),
    "api-key": (
        "sinks = ['elasticsearch']\n[elasticsearch]\nhosts = 'http://h:9200'\napi_key = 'a b'",
        7,
        "elasticsearch.api_key",
        "is no encoded key",
    ),
    "backend": (
        "[settings]\nSINK_BACKENDS = { tantivy = 'no.such' }",
        5,
        "settings.SINK_BACKENDS",
        "sink 'tantivy': No",
    ),
    "backend-name": (
        "[settings]\nSINK_BACKENDS = { tantivy = 'x' }",
        5,
        "settings.SINK_BACKENDS",
        "give names with import paths",
    ),
    "variable": ("headers.X = { env = 'NO_SUCH_VARIABLE' }", 4, "headers.X", "NO_SUCH_VARIABLE is not set"),
    "pattern": ("rules = [{ policy = 'deny', type = 'regex', pattern = '(' }]", 4, "rules[0].pattern", "RE2"),
    "selector": ("keep = ['p', '>']", 4, "keep[1]", "no CSS selector"),
    "together": ("revisit = { min = '2d', max = '1d' }", 4, "revisit.max", "less than min"),
    "setting": ("[settings]\nSINK_TIMEOUT = -1", 5, "settings.SINK_TIMEOUT", "out of range"),
    "syntax": ("keep = [", 4, "", "no TOML"),
}
"""What a file has from its fourth line on -> the line and the key that are named, and a part of the mend."""


@pytest.mark.usefixtures("quick_crawls")
def test_what_is_wrong_in_a_site_file_keeps_no_other_from_being_crawled(folders, monkeypatch):
    monkeypatch.setenv("TZ", "CET-1CEST")
    for name, (text, *_) in BROKEN.items():
        folders.write(name, NIGHTLY, "timezone = 'UTC'", text)
    folders.write("clock", NIGHTLY)
    (folders.sites / "folder.toml").mkdir()
    (folders.sites / "link.toml").symlink_to(folders.sites / "nowhere")
    (folders.data / "store").mkdir(parents=True)
    (folders.data / "store" / FILE).write_bytes(b"SQLite format 3\0" + b"no store" * 4000)
    folders.write("store", NIGHTLY, "timezone = 'UTC'", url="http://127.0.0.1:9/store/")
    options = folders.with_sinks
    with served({"/": page("Stones")}) as site:
        folders.write("stones", NIGHTLY, "timezone = 'UTC'", url=f"{site.base}/")
        done = folders.scrapy("run-due", *options)
    assert done.code == 2
    assert done.out.startswith("stones: complete, exit 0, ")
    (store,) = (line for line in done.err.splitlines() if "site store: " in line)
    assert "not a database" in store
    said = {line.split(":")[1].strip(): line for line in done.err.splitlines() if line != store}
    wrong = {
        name: (line, f"key {key!r}: " if key else "", mend) for name, (_, line, key, mend) in BROKEN.items()
    }
    wrong["clock"] = 2, "key 'schedule': ", "TZ=CET-1CEST"
    wrong["folder"] = 1, "", "cannot be read"
    wrong["link"] = 1, "", "leads nowhere"
    checked = folders.scrapy("sites", "--check", *options)
    assert checked.code == 2
    for name, (line, key, mend) in wrong.items():
        text = said.pop(str(folders.sites / f"{name}.toml")).removeprefix("scrapy run-due: ")
        assert text.startswith(f"{folders.sites / name}.toml:{line}: {key}"), text
        assert mend in text
        # A time zone that the machine does not say is no mistake of the file.
        assert (text in checked.out.splitlines()) == (name != "clock")
    assert not said
    listed = folders.scrapy("sites", "--json", *options).rows
    assert {row["name"] for row in listed if not row["problems"]} == {"clock", "store", "stones"}
    due = folders.scrapy("run-due", "--dry-run", "--json", *options).rows
    assert {row["site"] for row in due if row.get("outcome") == "impossible"} == {*wrong, "store"}


@pytest.mark.usefixtures("quick_crawls")
def test_a_crawl_beside_another_and_a_signal_that_ends_them(folders, monkeypatch):
    monkeypatch.setattr("crawler.scheduling.dispatch.LOOK_EVERY", 0.1)
    told = folders.data / ".due" / "sites" / "closed"
    log = folders.data / "closed" / "runs" / "1.log"

    def then(site: Site) -> None:
        """While the first site is crawled, lets another become due, and when that has ended, ends all."""
        try:
            wait_until(lambda: site.asked.total() > 8)
            told.unlink()
            wait_until(lambda: log.exists() and "Outcome: " in log.read_text(encoding="utf-8"))
        finally:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(0.1)

    with served({}, otherwise=quarry) as site:
        site.delay = lambda path: 0.3
        folders.write("quarry", NIGHTLY, url=f"{site.base}/")
        folders.write("closed", NIGHTLY)
        told.parent.mkdir(parents=True)
        told.write_text(datetime.now(UTC).isoformat(), encoding="utf-8")
        choreography = threading.Thread(target=then, args=(site,))
        choreography.start()
        done = folders.run()
        choreography.join()
    assert done.code == 4
    first, second = done.out.splitlines()
    assert first.startswith("closed: empty, exit 3, ")
    assert second.startswith("quarry: interrupted, exit 4, ")
    assert done.err == f"scrapy run-due: 1 of 2 crawls failed: closed (empty, exit 3, see {log})\n"
    assert "No page could be used" in log.read_text(encoding="utf-8")

    run = folders.last("quarry")
    assert run.outcome == "interrupted"
    assert run.counts["documents/delivered"] == run.counts["documents/released"] > 0
    said = (folders.data / "quarry" / "runs" / "1.log").read_text(encoding="utf-8")
    assert said.count("Received SIGINT") == 1
    stand = folders.standing("quarry")
    assert (stand["due"], stand["reason"], stand["last_outcome"]) == (True, "continued", "interrupted")


def test_where_so_many_crawls_run_already_the_others_wait(folders):
    folders.write("stones", NIGHTLY)
    place = folders.data / ".due" / "jobs" / "1"
    place.parent.mkdir(parents=True)
    with place.open("w") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        done = folders.run("--jobs", "1")
    assert (done.code, done.err) == (0, "")
    assert done.out == "stones: waiting, 1 crawl runs already\n"


def test_a_site_that_someone_crawls_is_passed_over(folders):
    folders.data.mkdir()
    folders.write("stones", NIGHTLY)
    lock = SiteLock(folders.data / "stones.lock")
    done = folders.run()
    lock.release()
    assert (done.code, done.err) == (0, "")
    assert done.out == "stones: busy, a crawl of it runs already\n"
    assert folders.standing("stones")["reason"] == "never crawled"


@pytest.mark.usefixtures("quick_crawls")
def test_what_ends_before_it_has_begun_is_told_once(folders):
    folders.write("stones", NIGHTLY)
    broken = ("-s", 'ADDONS={"json.no_such": 1}')
    row = folders.run("--json", *broken).rows[0]
    assert (row["site"], row["outcome"], row["exit_code"], row["run"]) == ("stones", "failed", 1, None)
    assert "NameError" in row["said"]
    assert "Traceback" in Path(row["log"]).read_text(encoding="utf-8")
    again = folders.run(*broken)
    assert (again.code, again.out, again.err) == (0, "", "")


def test_what_is_told_to_end_before_it_has_begun_stays_due(folders):
    folders.write("stones", NIGHTLY)
    log = folders.data / "stones" / "runs" / "1.log"

    def end() -> None:
        wait_until(log.exists)
        os.kill(os.getpid(), signal.SIGTERM)

    choreography = threading.Thread(target=end)
    choreography.start()
    done = folders.run()
    choreography.join()
    assert (done.code, done.err) == (4, "")
    assert done.out.startswith("stones: interrupted, exit 4, ")
    assert folders.standing("stones")["reason"] == "never crawled"


def test_a_site_whose_crawl_cannot_be_started_stays_due(folders, monkeypatch):
    folders.write("stones", NIGHTLY)
    monkeypatch.setattr(sys, "executable", str(folders.data / "no such program"))
    done = folders.run()
    assert done.code == 2
    assert "No such file or directory" in done.err
    assert folders.standing("stones")["reason"] == "never crawled"


BEGINS_A_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from store.site import Store
with Store.open(Path(sys.argv[1]), create=True) as store, store.transaction():
    store.runs.begin({"spider": "site"}, {})
sys.exit(4)
"""


def test_a_crawl_that_is_told_to_end_before_its_outcome_is_recorded_was_interrupted(folders, monkeypatch):
    folders.write("stones", NIGHTLY)
    start = asyncio.create_subprocess_exec
    told = (sys.executable, "-c", BEGINS_A_RUN, str(folders.data / "stones"), str(PROJECT))
    monkeypatch.setattr(asyncio, "create_subprocess_exec", lambda *_, **options: start(*told, **options))
    assert folders.run().out.startswith("stones: interrupted, exit 4, ")
    assert folders.standing("stones")["reason"] == "continued"


@pytest.mark.usefixtures("quick_crawls")
def test_a_run_is_known_by_its_number_where_its_store_was_lost(folders):
    folders.write("stones", NIGHTLY)
    changes = folders.data / "stones" / "changes" / "7.jsonl"
    changes.parent.mkdir(parents=True)
    changes.touch()
    row = folders.run("--json").rows[0]
    assert (row["outcome"], row["run"], Path(row["log"]).name) == ("empty", 8, "8.log")


@pytest.fixture
def history(folders):
    """A site whose last run is of the day before yesterday."""
    folders.write("stones", NIGHTLY, 'timezone = "Europe/Berlin"')
    before = datetime.now(UTC) - timedelta(days=2)
    with Store.open(folders.data / "stones", create=True) as store, store.transaction():
        run = store.runs.begin({"spider": "site"}, {})
        store.runs.finish(run, "complete", {})
        store.connection.execute("UPDATE runs SET started_at = ?", (before.isoformat(timespec="seconds"),))
    return folders


def test_what_would_be_done_is_listed(history):
    history.write("gravel", 'schedule = "@hourly"', 'timezone = "UTC"')
    done = history.run("--dry-run")
    header, first, second = done.out.splitlines()
    assert done.code == 0
    assert header.split()[:2] == ["site", "schedule"]
    assert first.split()[0] == "gravel"
    assert first.endswith("never crawled")
    assert second.split()[:7] == ["stones", "0", "2", "*", "*", "*", "Europe/Berlin"]
    assert second.endswith("scheduled")
    assert not (history.data / "gravel").exists()

    stones = history.standing("stones")
    assert (stones["due"], stones["reason"], stones["last_run"]) == (True, "scheduled", 1)
    assert (
        datetime.fromisoformat(stones["scheduled"])
        < datetime.now(UTC)
        < datetime.fromisoformat(stones["next"])
    )
    assert stones["next"].endswith(("T02:00+01:00", "T02:00+02:00", "T03:00+02:00"))


def test_a_store_that_cannot_be_used_is_told_and_keeps_no_other_from_running(history):
    history.write("gravel", NIGHTLY)
    (history.data / "gravel").mkdir()
    (history.data / "gravel" / "store.sqlite").write_bytes(b"no database, but long enough to look at it" * 50)
    done = history.run("--dry-run")
    assert done.code == 2
    assert len(done.out.splitlines()) == 2
    assert "site gravel: " in done.err
    rows = history.run("--dry-run", "--json").rows
    assert [row["site"] for row in rows if row.get("outcome") == "impossible"] == ["gravel"]
    # It has a schedule, nevertheless.
    (line,) = history.run("--dry-run", "gravel").err.splitlines()
    assert "site gravel: " in line


def test_a_store_that_is_damaged_by_its_crawl_keeps_no_other_from_being_crawled(history, monkeypatch):
    history.write("zinc", NIGHTLY)

    async def damage() -> int:
        with Store.open(history.data / "stones") as store:
            root = "SELECT rootpage, page_size FROM sqlite_master, pragma_page_size WHERE name = 'runs'"
            place, size = store.connection.execute(root).fetchone()
        with (history.data / "stones" / FILE).open("r+b") as file:
            file.seek((place - 1) * size)
            file.write(b"\xff" * size)
        return 1

    async def start(*command: str, **_: Any) -> Any:
        return mock.Mock(wait=damage if "site=stones" in command else lambda: asyncio.sleep(0, 1))

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    done = history.run()
    assert done.code == 2
    assert "site stones: " in done.err
    assert "malformed" in done.err
    assert done.out.startswith("zinc: failed, exit 1, ")


def test_wrong_usage_is_told_in_a_line(folders):
    folders.write("stones", NIGHTLY)
    folders.run("stone").refused("scrapy run-due: ", "did you mean 'stones'?")
    folders.run("--jobs", "0").refused("--jobs 0: give a whole number from 1")
    folders.run("--jobs", "9" * 5000).refused("--jobs 999")
    folders.run("--logfile", "log").refused("each crawl has a log of its own")
    folders.run("-s", "SITES_DIR=/not/there").refused("/not/there: no folder of site files", "SITES_DIR")
    folders.run("-s", "SCHEDULE=@nigthly").refused("SCHEDULE=@nigthly: unknown name of a schedule")


def test_where_nothing_has_a_schedule_nothing_is_done(folders):
    folders.write("stones")
    assert (folders.run().code, folders.run().out) == (0, "")
    assert "no site has a schedule" in folders.run("--dry-run").err
    assert not folders.data.exists()


def test_a_data_folder_that_cannot_be_written_is_told(folders):
    folders.write("stones", NIGHTLY)
    folders.data.write_text("a file", encoding="utf-8")
    done = folders.run()
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert str(folders.data) in done.err
