from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from scrapy.settings import Settings

from crawler.configuration.checks import normal, setting_problem
from crawler.configuration.plan import in_force
from crawler.monitoring import notify
from crawler.monitoring.notify import Command, NotTold, Webhook
from crawler.run.session import CrawlSession
from settings.errors import ConfigurationError, WrongSiteFile
from settings.site import load
from tests.crawls import crawl, lines, scrapy
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "T0P53CR3T"
ALL = ["complete", "limited", "empty", "interrupted", "suspicious", "undelivered"]


class _Hooked(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append((self.path, self.headers["Content-Type"], json.loads(body)))
        self.server.users.append(self.headers["Authorization"])
        answer = self.server.answers.pop(0) if self.server.answers else 204
        if answer == "hang":
            self.server.until.wait(20)
        elif answer == "garbage":
            self.wfile.write(self.path.encode() + b"\r\n\r\n")
        else:
            self.send_response(answer)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

    do_GET = do_POST

    def log_message(self, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def hook(*answers: int | str) -> Iterator[ThreadingHTTPServer]:
    """A webhook that answers so; ``heard`` are the path, content type and JSON of each request."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hooked) as server:
        server.daemon_threads = True
        server.answers, server.heard, server.until = list(answers), [], threading.Event()
        server.users = []
        server.url = f"http://127.0.0.1:{server.server_port}/hook/{SECRET}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.until.set()
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "PAUSES", (0.0, 0.0))


def tell(url: str, timeout: float = 5.0) -> str:
    """Why a webhook was not told."""
    with pytest.raises(NotTold) as raised:
        asyncio.run(Webhook(url, timeout).tell(b"{}"))
    return str(raised.value)


def run_command(*arguments: str, timeout: float = 20.0, body: bytes = b'{"a": 1}') -> None:
    asyncio.run(Command(arguments, timeout).tell(body, {"PAGELETS_SITE": "handbook"}))


def test_a_command_gets_the_notice_and_the_main_things_as_variables(tmp_path: Path) -> None:
    out = tmp_path / "told"
    settings = {
        "NOTIFY_COMMAND": [
            "/bin/sh",
            "-c",
            f'cat > {out}; env | grep ^PAGELETS_ > {out}.env; echo "$0"',
            "x",
        ],
        "NOTIFY_OUTCOMES": ALL,
    }
    with served({"/": page("a", "/b"), "/b": page("b")}) as site:
        name = site.base.removeprefix("http://")
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
        first = json.loads(out.read_text())
        site.pages["/b"] = page("b", text="Another text than the one that was here before.")
        crawl(tmp_path, settings=settings, url=f"{site.base}/")
    assert sorted(first) == sorted(
        "text site run outcome exit_code started_at finished_at message counts changes".split()
    )
    assert (first["site"], first["run"], first["outcome"], first["exit_code"]) == (name, 1, "complete", 0)
    assert first["started_at"] <= first["finished_at"]
    assert first["counts"]["documents/released"] == 2
    assert first["changes"] == {}
    second = json.loads(out.read_text())
    assert (second["run"], second["changes"]["documents/released"]) == (2, -1)
    assert dict(line.split("=", 1) for line in (tmp_path / "told.env").read_text().splitlines()) == {
        "PAGELETS_SITE": name,
        "PAGELETS_OUTCOME": "complete",
        "PAGELETS_EXIT_CODE": "0",
        "PAGELETS_RUN": "2",
    }


def test_good_runs_samples_and_runs_without_anyone_to_tell_say_nothing(tmp_path: Path) -> None:
    out = tmp_path / "told"
    settings = {"NOTIFY_COMMAND": ["/bin/sh", "-c", f"cat >> {out}"]}
    with served({"/": page("a", "/b"), "/b": page("b")}) as site:
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/", max_pages=1).outcome == "limited"
        everything = {**settings, "NOTIFY_OUTCOMES": ALL}
        crawl(tmp_path, settings=everything, url=f"{site.base}/", sample=1)
        crawl(tmp_path, settings={**settings, "NOTIFY_OUTCOMES": []}, url=f"{site.base}/")
        assert not out.exists()
        site.pages = {path: Answer("down", 503) for path in site.pages}
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "empty"
    told = json.loads(out.read_text())
    assert told["exit_code"] == 3
    assert "robots.txt" in told["message"]
    assert told["text"].startswith(f"{told['site']}: empty. ")


def test_a_run_whose_end_cannot_be_recorded_is_told_as_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CrawlSession, "finish", full)
    out = tmp_path / "told"
    with served({"/": page("a")}) as site, hook() as server:
        settings = {"NOTIFY_COMMAND": ["/bin/sh", "-c", f"cat > {out}"], "NOTIFY_WEBHOOK": server.url}
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome is None
    told = json.loads(out.read_text())
    assert (told["outcome"], told["exit_code"], told["run"]) == ("interrupted", 4, 1)
    assert told["counts"]["pages/held"] == 1
    assert server.heard == [(f"/hook/{SECRET}", "application/json", told)]


def test_the_real_command_with_everything_switched_on(tmp_path: Path) -> None:
    out = tmp_path / "told"
    (tmp_path / "metrics").mkdir()
    given = {
        "METRICS_DIR": str(tmp_path / "metrics"),
        "NOTIFY_COMMAND": json.dumps(["/bin/sh", "-c", f"cat > {out}; echo stdout; echo told >&2"]),
        "NOTIFY_OUTCOMES": "empty,complete",
        "LOG_LEVEL": "INFO",
    }
    options = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    with served({"/": page("a")}) as site, hook() as server:
        hooked = ["-s", 'NOTIFY_WEBHOOK={"env": "HOOK"}']
        arguments = [*options, *hooked, "-a", f"url={site.base}/", "-O", "-:jsonlines"]
        os.environ["HOOK"] = server.url
        try:
            done = scrapy(tmp_path / "data", *arguments)
        finally:
            del os.environ["HOOK"]
    assert done.returncode == 0, done.stderr
    assert "told\n" in done.stderr
    assert "ERROR" not in done.stderr
    assert SECRET not in done.stderr
    assert [document["url"] for document in lines(done.stdout)] == [f"{site.base}/"]
    assert json.loads(out.read_text())["outcome"] == "complete"
    assert [heard[2]["outcome"] for heard in server.heard] == ["complete"]
    assert len([*(tmp_path / "metrics").iterdir()]) == 1


def test_a_webhook_may_name_a_user() -> None:
    with hook() as server:
        asyncio.run(Webhook(server.url.replace("://", "://me:p%40ss@"), 5.0).tell(b"{}"))
        asyncio.run(Webhook(server.url, 5.0).tell(b"{}"))
    assert server.users == ["Basic bWU6cEBzcw==", None]


def test_a_command_runs_without_a_shell(tmp_path: Path) -> None:
    show = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    run_command(sys.executable, "-S", "-c", show, str(tmp_path / "said"), "$(id); `id` *")
    assert (tmp_path / "said").read_text() == "$(id); `id` *"


def test_a_command_need_not_read(tmp_path: Path) -> None:
    run_command("/bin/true", body=b"x" * (1 << 20))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/bin/false"], "ended with exit code 1"),
        (["/bin/sh", "-c", "kill -9 $$"], "ended with exit code -9"),
        (["/no/such/program"], "cannot be run: No such file or directory"),
        ([__file__], "cannot be run: Permission denied"),
        (["/bin/\0"], "cannot be run: embedded null byte"),
    ],
)
def test_a_command_that_fails_says_how(arguments: list[str], said: str) -> None:
    with pytest.raises(NotTold, match=said):
        run_command(*arguments)


def test_a_command_that_takes_too_long_is_killed_with_all_it_has_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(NotTold, match=r"not done within 0\.5 s"):
        run_command("/bin/sh", "-c", f"sleep 60 & echo $! > {pid}; wait", timeout=0.5)
    stat = Path("/proc", pid.read_text().strip(), "stat")
    for _ in range(200):
        # Where nobody waits for it, it stays as a zombie.
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        threading.Event().wait(0.02)
    pytest.fail("the process that the command has started runs still")


def test_a_command_of_another_user_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    # What sudo runs cannot be killed. The tests may be root, whom nobody refuses.
    process = mock.AsyncMock(communicate=lambda _: asyncio.sleep(60))
    monkeypatch.setattr(asyncio, "create_subprocess_exec", mock.AsyncMock(return_value=process))
    monkeypatch.setattr(os, "killpg", mock.Mock(side_effect=PermissionError))
    with pytest.raises(NotTold, match="cannot be killed"):
        run_command("/usr/bin/sudo", timeout=0.1)


def test_a_failure_is_an_error_in_the_log_and_changes_no_outcome(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served({"/": page("a")}) as site, hook(410) as server:
        settings = {
            "NOTIFY_COMMAND": ["no-such-program"],
            "NOTIFY_WEBHOOK": server.url,
            "NOTIFY_OUTCOMES": ["complete"],
        }
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
    errors = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert sorted(errors) == [
        "NOTIFY_COMMAND no-such-program: cannot be run: No such file or directory; nobody was told",
        "NOTIFY_COMMAND no-such-program: no such program; nobody will be told",
        "NOTIFY_WEBHOOK: answered 410; nobody was told",
    ]
    assert SECRET not in caplog.text


@pytest.mark.parametrize("answers", [[503, 429, 204], ["hang", 200], ["garbage", 204]])
def test_a_webhook_is_called_again_where_that_may_help(answers: list[int | str]) -> None:
    with hook(*answers) as server:
        if answers[0] == "garbage":
            tell(server.url)
            assert len(server.heard) == 1
        else:
            asyncio.run(Webhook(server.url, 0.5).tell(b"{}"))
            assert len(server.heard) == len(answers)


@pytest.mark.parametrize(
    ("answers", "asked", "said"),
    [
        ([500, 502, 503], 3, "answered 503"),
        ([400], 1, "answered 400"),
        ([302], 1, "answered 302, and redirects are not followed; give the address that it leads to"),
        ([307], 1, "answered 307, and redirects are not followed; give the address that it leads to"),
        (["garbage"], 1, "BadStatusLine"),
        (["hang"] * 3, 3, "no answer within 0.2 s"),
    ],
)
def test_a_webhook_that_fails_says_how_and_tells_no_secret(
    answers: list[int | str], asked: int, said: str
) -> None:
    with hook(*answers) as server:
        found = tell(server.url, 0.2 if "hang" in answers else 5.0)
    assert found in (said, "timed out")
    assert len(server.heard) == asked
    assert {path for path, *_ in server.heard} == {f"/hook/{SECRET}"}


def test_a_webhook_that_nobody_listens_at() -> None:
    with hook() as server:
        url = server.url
    assert "refused" in tell(url)
    assert SECRET not in repr(Webhook(url, 1.0))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "NOTIFY_WEBHOOK: the environment variable PAGELETS_TEST_HOOK is not set; set it first"),
        (f"ftp://example.org/{SECRET}", "NOTIFY_WEBHOOK=(hidden): is no URL"),
    ],
)
def test_a_webhook_out_of_the_environment_that_is_none_stops_no_crawl(
    value: str | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    if value is not None:
        monkeypatch.setenv("PAGELETS_TEST_HOOK", value)
    settings = {"NOTIFY_WEBHOOK": {"env": "PAGELETS_TEST_HOOK"}, "NOTIFY_OUTCOMES": ["complete"]}
    with served({"/": page("a")}) as site:
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
    (error,) = (record.message for record in caplog.records if record.levelname == "ERROR")
    assert error.startswith(said)
    assert error.endswith("; nobody will be told")
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("NOTIFY_OUTCOMES", "complete,emtpy", "did you mean 'empty'"),
        ("NOTIFY_COMMAND", '["a", ""]', "is empty"),
        ("NOTIFY_WEBHOOK", f"example.org/{SECRET}", "is no URL"),
        ("NOTIFY_WEBHOOK", f"https://example.org/{SECRET} x", "is no URL"),
        ("NOTIFY_WEBHOOK", f'{{"url": "{SECRET}"}}', "is no text"),
    ],
)
def test_settings_that_are_wrong(setting: str, value: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as raised:
        normal(setting, value)
    assert SECRET not in str(raised.value)


def test_settings_as_the_command_line_has_them() -> None:
    assert normal("NOTIFY_COMMAND", "/opt/tell me") == ["/opt/tell me"]
    assert normal("NOTIFY_COMMAND", '["mail", "-s", "a, b"]') == ["mail", "-s", "a, b"]
    assert normal("NOTIFY_OUTCOMES", "empty,suspicious") == ["empty", "suspicious"]
    assert normal("NOTIFY_WEBHOOK", '{"env": "HOOK"}') == {"env": "HOOK"}


def test_mistakes_in_a_site_file_tell_no_address(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'[notify]\nwebhook = "{SECRET}"\noutcome = ["empty"]\n')
    with pytest.raises(WrongSiteFile) as raised:
        load(tmp_path / "a.toml", check=setting_problem)
    first, second = map(str, raised.value.problems)
    assert "'notify.webhook': value (hidden): is no URL" in first
    assert "did you mean 'outcomes'?" in second
    (tmp_path / "b.toml").write_text('[notify]\nwebhook = { env = "HOOK" }\n')
    with pytest.raises(
        WrongSiteFile, match=r"value \(hidden\): environment variable HOOK: is no URL"
    ) as raised:
        load(tmp_path / "b.toml", environ={"HOOK": SECRET}, check=setting_problem)
    assert SECRET not in str(raised.value)
    assert load(
        tmp_path / "b.toml", environ={"HOOK": "https://example.org/"}, check=setting_problem
    ).settings == {"NOTIFY_WEBHOOK": {"env": "HOOK"}}


def test_what_is_in_force_tells_no_address(tmp_path: Path) -> None:
    project = Settings()
    project.setmodule("settings.base", priority="project")
    (tmp_path / "a.toml").write_text(f'[notify]\nwebhook = "https://example.org/{SECRET}"\n')
    (tmp_path / "b.toml").write_text('[notify]\nwebhook = { env = "HOOK" }\n')
    shown = [
        {one.key: one.text for one in in_force(load(tmp_path / f"{name}.toml"), project)}["notify.webhook"]
        for name in ("a", "b")
    ]
    assert shown == ["(hidden)", "from environment variable HOOK"]
