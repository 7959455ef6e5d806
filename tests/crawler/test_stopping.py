"""Ctrl-C and SIGTERM end a crawl at once, whatever it waits for, and nothing is lost by that."""

from __future__ import annotations

import contextlib
import json
import signal
import time

import pytest

from tests import forked, resolving
from tests.crawls import arguments_of, lines, states
from tests.processes import wait_until
from tests.served import Answer, page, served

WAIT = "User-agent: *\nCrawl-delay: 60\n"
HOSTS = ("quick.here.test", "slow.here.test", "robots.here.test", "names.never.test")
NAMES = ("", "a", "b", "silent", "endless", "busy")


class Hosts:
    """Four hosts: of the first some pages come, and one sends nothing, one no end, one is busy for ever; the
    second wants a minute between two requests, the third sends no robots.txt, the last one is never found.
    """

    def __init__(self, stack):
        self.servers = [stack.enter_context(served(self.pages())) for _ in HOSTS]
        self.urls = [
            f"http://{host}:{server.server_port}/" for host, server in zip(HOSTS, self.servers, strict=True)
        ]

    @staticmethod
    def pages():
        links = [f"/{name}" for name in NAMES]
        return {f"/{name}": page(name or "home", *links) for name in NAMES}

    def be_ill(self):
        quick, slow, robots, _ = self.servers
        quick.pages["/endless"] = Answer("<html><body><p>It begins", headers={"Content-Length": "99999"})
        quick.pages["/busy"] = Answer("busy", 503)
        quick.delay = lambda path: {"/silent": 600.0, "/busy": 0.2}.get(path, 0.0)
        slow.pages["/robots.txt"] = Answer(WAIT, kind="text/plain")
        robots.delay = lambda path: 600.0 if path == "/robots.txt" else 0.0

    def be_well(self):
        for server in self.servers:
            server.pages = self.pages()
            server.delay = lambda path: 0.0

    @property
    def wait(self):
        """Whether each of them waits."""
        quick, slow, robots, _ = self.servers
        return (
            all(quick.asked[f"/{name}"] for name in NAMES)
            and quick.asked["/busy"] > 2
            and slow.asked["/robots.txt"]
            and robots.asked["/robots.txt"]
        )


@pytest.fixture
def hosts():
    with contextlib.ExitStack() as stack:
        yield Hosts(stack)


def run(hosts, folder, prepare, *settings):
    options = ["RETRY_ENABLED=1", "RETRY_TIMES=100", "LOG_LEVEL=INFO", *settings]
    arguments = ["-a", f"url={','.join(hosts.urls)}", "-a", "site=s", "-O", f"{folder}/out.jsonl"]
    arguments += [part for option in options for part in ("-s", option)]
    return forked.Running(arguments_of(folder, *arguments), err=folder / "log", prepare=prepare)


def completes(hosts, folder):
    hosts.be_well()
    assert run(hosts, folder, resolving.answer_look_ups).wait() == 0, (folder / "log").read_text()
    wanted = {f"{url}{name}" for url in hosts.urls for name in NAMES}
    assert {url for url, state in states(folder / "s").items() if state == "delivered"} == wanted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_that_waits_and_loses_nothing(hosts, tmp_path, number):
    hosts.be_ill()
    running = run(hosts, tmp_path, resolving.hang_look_ups)
    wait_until(lambda: hosts.wait, 20)
    time.sleep(0.5)
    running.send_signal(number)
    sent = time.monotonic()
    assert running.wait(30) == 4
    print("SECONDS", time.monotonic() - sent)
    log = (tmp_path / "log").read_text()
    print(log)
    assert "Outcome: interrupted" in log and "Traceback" not in log and "robots.txt: " not in log
    quick = hosts.urls[0]
    released = {document["url"] for document in lines((tmp_path / "out.jsonl").read_text())}
    assert released == {quick, f"{quick}a", f"{quick}b"}
    assert not [state for state in states(tmp_path / "s").values() if state.startswith("failed")]
    completes(hosts, tmp_path)
