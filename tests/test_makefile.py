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


def test_a_crawl_of_a_url_writes_its_documents_as_that_of_the_demo_does() -> None:
    for arguments, written in (
        ([], True),
        (["ARGS=-a k=4 -s X=1"], True),
        (["ARGS=-O a.jsonl"], False),
        (["ARGS=-oa.jsonl"], False),
        (["ARGS=-s X=1 --overwrite-output=a.jsonl"], False),
    ):
        told = commands("crawl", "URL=https://example.org/", *arguments)
        assert "-a url='https://example.org/'" in told
        assert ("-O documents.jsonl" in told) == written


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
