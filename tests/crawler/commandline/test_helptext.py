from __future__ import annotations

import importlib
import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.spiderloader import get_spider_loader

from crawler import commands
from crawler.commandline.helptext import ARGUMENTS, SPIDERS
from crawler.commandline.internals import HelpFormatter
from crawler.configuration import checks
from tests.crawls import project

if TYPE_CHECKING:
    from argparse import HelpFormatter as Formatter

COMMANDS = sorted(path.stem for path in Path(commands.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("width", range(30, 110, 3))
def test_headings_alone_are_underlined_at_every_width(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    kind: type[Formatter] = HelpFormatter
    parser = ArgumentParser("scrapy x", formatter_class=kind, description="Says: what is said.")
    parser.add_argument(
        "--limit", help="so many, of these: a, b, c, or d (default: 10); the rest: none of them"
    )
    parser.add_argument_group("Global Options").add_argument("--file", help="one of: all of them:")
    lines = parser.format_help().splitlines()
    underlined = [lines[at - 1] for at, line in enumerate(lines) if line and not line.strip("=-")]
    assert underlined == ["Usage", "Options", "Global Options"]
    assert "(default" in " ".join(lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_examples_that_it_takes(name: str) -> None:
    command = importlib.import_module(f"crawler.commands.{name}").Command()
    command.settings = project()
    parser = ScrapyArgumentParser(conflict_handler="resolve", description=command.long_desc())
    command.add_options(parser)
    _, _, examples = parser.format_help().partition(f"Examples\n========\n  scrapy {name} ")
    lines = examples.partition("\n\n")[0].split(f"\n  scrapy {name} ")
    assert examples and all(lines)
    for line in lines:
        _, rest = parser.parse_known_args(shlex.split(line))
        assert [one for one in rest if one.startswith("-")] == []


def test_the_help_of_crawl_has_every_spider_and_argument() -> None:
    loader = get_spider_loader(project())
    assert sorted(SPIDERS) == sorted(loader.list())
    own = {name for spider in map(loader.load, SPIDERS) for name in spider.own_arguments}
    shared = {"url", "site", "path", "base", "partial", "fresh", "sample", "accept"}
    assert set(ARGUMENTS) == {*checks.ARGUMENTS, *own, *shared}
