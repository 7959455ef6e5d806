from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec

import pytest

from .conftest import PROJECT

pytestmark = pytest.mark.skipif(find_spec("starlette") is None, reason="needs requirements-inspect.txt")


def test_it_prints_an_address_that_answers_until_ctrl_c(crawled):
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "inspect",
        "stones",
        "--no-browser",
        "-s",
        f"DATA_DIR={crawled.data}",
    ]
    # Started in the background by a shell without job control it would not hear of Ctrl-C.
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/site\?site=stones", address)
        with urllib.request.urlopen(address) as answer:
            assert b"stones" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(re.sub(r"/[\w-]{32}/", "/", address))
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")


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
