from __future__ import annotations

import sys
from pathlib import Path

import pytest

from settings.places import as_typed, commands_module, data_dir, is_scrapy, sites_dir


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["/venv/bin/scrapy", "crawl", "site"], "crawler.commands.crawl"),
        (["C:/venv/Scripts/scrapy.exe", "run-due"], "crawler.commands.run-due"),
        (["/lib/scrapy/__main__.py", "-h", "templates"], "crawler.commands.templates"),
        (["/venv/bin/scrapy"], "crawler.commands"),
        (["/venv/bin/scrapy", "shell"], "crawler.commands"),
        (["/venv/bin/scrapy", "__init__"], "crawler.commands"),
        (["/venv/bin/scrapy", "../spiders/site"], "crawler.commands"),
        (["/home/me/script.py", "crawl"], "crawler.commands"),
    ],
)
def test_a_command_of_ours_is_imported_alone(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], module: str
) -> None:
    monkeypatch.setattr("sys.argv", arguments)
    assert commands_module() == module


def test_other_programs_are_not_scrapy() -> None:
    assert not is_scrapy()


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


def test_a_folder_without_a_name_is_the_default() -> None:
    assert (data_dir({"DATA_DIR": ""}), sites_dir({"SITES_DIR": ""})) == (data_dir({}), sites_dir({}))
