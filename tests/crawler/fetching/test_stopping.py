"""Ctrl-C and SIGTERM end a crawl at once, whatever it waits for, and nothing is lost by that."""

from __future__ import annotations

import contextlib
import signal

import pytest

from tests import forked, jsonsink, resolving
from tests.crawls import arguments_of, crawl, lines, start, states
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
    running.send_signal(number)
    assert running.wait(30) == 4
    log = (tmp_path / "log").read_text()
    assert "Outcome: interrupted" in log and "Traceback" not in log and "robots.txt: " not in log
    quick = hosts.urls[0]
    released = {document["url"] for document in lines((tmp_path / "out.jsonl").read_text())}
    assert released == {quick, f"{quick}a", f"{quick}b"}
    assert not [state for state in states(tmp_path / "s").values() if state.startswith("failed")]
    completes(hosts, tmp_path)


def test_the_second_signal_ends_a_crawl_whose_index_hangs(tmp_path):
    names = [f"/{name}" for name in range(8)]
    index = tmp_path / "_index" / "s"
    with served({name: page(name, *names) for name in names}) as site:
        options = ["-a", f"url={site.base}/0", "-a", "site=s", "-s", f"LOG_FILE={tmp_path}/log"]
        jsonsink.order(index, hang=1)
        running = start(tmp_path, *options, *jsonsink.OPTIONS, "-s", "LOG_LEVEL=INFO")
        wait_until(lambda: not jsonsink.orders(index).get("hang", True))
        for number, said in (
            (signal.SIGINT, "Received SIGINT,"),
            (signal.SIGTERM, "Received SIGTERM twice,"),
        ):
            running.send_signal(number)
            wait_until(lambda said=said: said in (tmp_path / "log").read_text())
        assert running.wait(30) == 4
        assert "Outcome: interrupted, exit code 4" in (tmp_path / "log").read_text()
        assert (
            crawl(tmp_path, settings=jsonsink.SETTINGS, url=f"{site.base}/0", site="s").outcome == "complete"
        )
    assert sorted(jsonsink.texts(index)) == sorted(f"{site.base}{name}" for name in names)


def test_a_limit_does_not_wait_for_a_delay(tmp_path):
    names = [f"/{name}" for name in range(4)]
    pages = {name: page(name, *names) for name in names}
    with served({**pages, "/robots.txt": Answer(WAIT, kind="text/plain")}) as site:
        settings = {"CLOSESPIDER_TIMEOUT": 1}
        limited = crawl(tmp_path, settings=settings, url=f"{site.base}/0", site="s")
        assert (limited.outcome, limited.stats["elapsed_time_seconds"] < 20) == ("limited", True)
        del site.pages["/robots.txt"]
        again = crawl(tmp_path, url=f"{site.base}/0", site="s")
    assert (again.outcome, again.paths(site.base)) == ("complete", names)
