from __future__ import annotations

from argparse import ArgumentParser
from typing import TYPE_CHECKING

import pytest

from crawler.commandline.helptext import HelpFormatter

if TYPE_CHECKING:
    from argparse import HelpFormatter as Formatter


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
