from __future__ import annotations

import pytest

from settings.program import commands_module, is_scrapy


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
