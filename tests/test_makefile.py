"""What `make` would do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def commands(*arguments: str) -> str:
    done = subprocess.run(["make", "-n", *arguments], cwd=PROJECT, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_crawl_of_a_url_is_that_of_the_site_and_writes_no_file_of_its_own() -> None:
    for arguments in ([], ["ARGS=-a k=4 -s X=1"], ["ARGS=-O a.jsonl"]):
        told = commands("crawl", "URL=https://example.org/", *arguments)
        given = "".join(argument.removeprefix("ARGS=") for argument in arguments)
        assert f"scrapy crawl site -a url='https://example.org/' {given}".rstrip() in told
        assert ("-O" in told) == ("-O" in given)


def test_each_target_installs_what_it_needs() -> None:
    installed = {target: commands("-B", target) for target in ("setup", "bench", "test", "lint", "types")}
    for target, files in (
        ("setup", {"", "-inspect"}),
        ("bench", {"", "-inspect", "-bench"}),
        ("test", {"", "-inspect", "-bench", "-dev"}),
        ("lint", {"", "-bench", "-dev"}),
        ("types", {"", "-bench", "-dev"}),
    ):
        lists = {
            name
            for name in ("", "-inspect", "-bench", "-dev")
            if f"requirements{name}.txt" in installed[target]
        }
        assert lists == files, target
