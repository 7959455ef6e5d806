from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from settings.hints import as_typed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs of an environment in the current folder, none of which the shell would find."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("scrapy", "pip"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path)
    return programs


def test_a_command_is_named_as_it_can_be_typed(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint = "no index; scrapy index a --rebuild makes one, or scrapy run-due; pip install -r b.txt"
    assert as_typed(hint) == (
        "no index; .venv/bin/scrapy index a --rebuild makes one, or .venv/bin/scrapy run-due; "
        ".venv/bin/pip install -r b.txt"
    )
    monkeypatch.chdir("/usr")
    assert as_typed("scrapy export a") == f"{installed}/scrapy export a"
    monkeypatch.setenv("PATH", str(installed))
    assert as_typed(hint) == hint
    (installed / "scrapy").unlink()
    assert as_typed("scrapy export a") == "python -m scrapy export a"


def test_what_is_no_command_stays(installed: Path) -> None:
    for text in (
        "scrapy is slow",
        ".venv/bin/scrapy export a",
        "my-scrapy crawl",
        "scrapy.cfg",
        "scrapy crawls",
    ):
        assert as_typed(text) == text
