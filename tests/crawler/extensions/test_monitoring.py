from __future__ import annotations

import os
import socketserver
import threading
from contextlib import contextmanager
from email import message_from_bytes
from typing import TYPE_CHECKING

import pytest
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from crawler.extensions.monitoring import Monitoring
from crawler.spiders.site import SiteSpider
from tests.crawls import crawl
from tests.served import Answer, page, served

MONITORS = "crawler.monitoring.monitors"

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("spidermon", reason="Spidermon is not installed")


class _Mailbox(socketserver.StreamRequestHandler):
    """As much of RFC 5321 as a client needs that sends one mail."""

    def handle(self) -> None:
        self.answer("220 mailbox")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"EHLO":
                self.answer("250-mailbox\r\n250 AUTH PLAIN")
            elif verb == b"AUTH":
                self.server.logins.append(line.split()[-1])
                self.answer("235 in")
            elif verb == b"RCPT":
                self.server.recipients.append(line.strip().decode())
                self.answer("250 ok")
            elif verb == b"DATA":
                self.answer("354 go on")
                body = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.mails.append(message_from_bytes(body))
                self.answer("250 taken")
            else:
                self.answer("221 bye" if verb == b"QUIT" else "250 ok")

    def answer(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mailbox() -> Iterator[socketserver.ThreadingTCPServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mailbox) as server:
        server.daemon_threads = True
        server.mails, server.recipients, server.logins = [], [], []
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_a_bad_night_sends_a_mail_and_a_good_one_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "PAGELETS_TEST_PASSWORD", "T0P53CR3T")
    with served({"/": page("a")}) as site, mailbox() as post:
        settings = {
            "SPIDERMON_ENABLED": True,
            "MONITOR_FAILED_ACTIONS": ["crawler.monitoring.mails.SendMail"],
            "SPIDERMON_EMAIL_SENDER": "crawl@example.org",
            "SPIDERMON_EMAIL_TO": ["one@example.org", "two@example.org"],
            "SPIDERMON_SMTP_HOST": "127.0.0.1",
            "SPIDERMON_SMTP_PORT": post.server_address[1],
            "SPIDERMON_SMTP_USER": "crawl",
            "SPIDERMON_SMTP_PASSWORD": {"env": "PAGELETS_TEST_PASSWORD"},
        }
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
        assert post.mails == []
        site.pages = {"/": Answer("down", 503)}
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/", sample=1).outcome == "empty"
        assert post.mails == []
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "empty"
        name = site.base.removeprefix("http://")
    (mail,) = post.mails
    assert mail["Subject"] == f"{name}: empty"
    assert mail["To"] == "one@example.org, two@example.org"
    text = mail.get_payload(0).get_payload(decode=True).decode()
    assert f"{name}, run 2, which ended empty" in text
    assert "Outcome/test_outcome: empty: No page could be used" in text
    assert len(post.recipients) == 2
    assert len(post.logins) == 1
    assert "T0P53CR3T" not in caplog.text
    assert [record for record in caplog.records if "[Spidermon]" in record.message]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"MONITOR_SUITES": [f"{MONITORS}.NoSuite"]},
            f"MONITOR_SUITES: {MONITORS}.NoSuite: ",
        ),
        ({"MONITOR_SUITES": ["no_such_module.Suite"]}, "MONITOR_SUITES: no_such_module.Suite: "),
        ({"MONITOR_SUITES": ["crawler.monitoring.mails.SendMail"]}, "MONITOR_SUITES: "),
        (
            {"MONITOR_FAILED_ACTIONS": [f"{MONITORS}.NightlySuite"]},
            "MONITOR_FAILED_ACTIONS: ",
        ),
        ({"MONITOR_FAILED_ACTIONS": ["crawler.monitoring.mails.SendMail"]}, "MONITOR_FAILED_ACTIONS: "),
        (
            {
                "MONITOR_FAILED_ACTIONS": ["crawler.monitoring.mails.SendMail"],
                "SPIDERMON_SMTP_PASSWORD": {"env": "PAGELETS_TEST_NOWHERE"},
                "SPIDERMON_EMAIL_TO": ["one@example.org"],
            },
            "SPIDERMON_SMTP_PASSWORD: ",
        ),
        (
            {"MONITOR_FAILED_ACTIONS": ["spidermon.contrib.actions.sentry.SendSentryMessage"]},
            "MONITOR_FAILED_ACTIONS: the package ",
        ),
    ],
)
def test_monitors_that_cannot_be_had_are_told_of(
    settings: dict[str, object], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update({"SPIDERMON_ENABLED": True, **settings}, priority="cmdline")
    with pytest.raises(NotConfigured):
        Monitoring.from_crawler(Crawler(SiteSpider, project))
    (error,) = (record.message for record in caplog.records if record.levelname == "ERROR")
    assert error.startswith(said)
    assert error.endswith("; no monitor runs")
    assert "\n" not in error


def test_monitors_that_cannot_be_had_stop_no_crawl(tmp_path: Path) -> None:
    settings = {"SPIDERMON_ENABLED": True, "MONITOR_SUITES": ["no_such_module.Suite"]}
    with served({"/": page("a")}) as site:
        assert crawl(tmp_path, settings=settings, url=f"{site.base}/").outcome == "complete"
