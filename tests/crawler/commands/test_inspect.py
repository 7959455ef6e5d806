from __future__ import annotations

import json
import re
import signal
import socket
import urllib.error
import urllib.request
from importlib.util import find_spec

import pytest

from tests.forked import Running
from tests.processes import wait_until

pytestmark = pytest.mark.skipif(find_spec("starlette") is None, reason="needs requirements-inspect.txt")


def test_it_prints_an_address_that_answers_until_ctrl_c(crawled, tmp_path):
    out, err = tmp_path / "out", tmp_path / "err"
    arguments = ["inspect", "stones", "--no-browser", "--json", "-s", f"DATA_DIR={crawled.data}"]
    process = Running(arguments, out=out, err=err)
    try:
        wait_until(lambda: out.exists() and out.read_text().endswith("\n"))
        address = json.loads(out.read_text())["address"]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/site\?site=stones", address)
        with urllib.request.urlopen(address) as answer:
            assert b"stones" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(re.sub(r"/[\w-]{32}/", "/", address))
        process.send_signal(signal.SIGINT)
        assert (process.wait(), err.read_text()) == (0, "")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)


def test_a_port_that_is_taken_is_refused(scrapy):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        scrapy("inspect", "--no-browser", "--port", port).refused(
            "scrapy inspect: ", f"--port {port}", "another"
        )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--port", "0"], "1 to 65535"),
        (["--port", "x"], "whole number"),
        (["a", "b"], "one site"),
        (["nosite"], "stones"),
    ],
)
def test_wrong_arguments_are_refused(scrapy, arguments, part):
    scrapy("inspect", "--no-browser", *arguments).refused("scrapy inspect: ", part)
