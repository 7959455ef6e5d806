"""The layout of ``--help``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from scrapy.commands import ScrapyHelpFormatter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COLUMN: Final = 24
"""Where the second column begins, as argparse has it for options."""


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's, which takes every line that ends with a colon for a heading, also one of an option's text
    that happens to be broken there; a description may have `section`s.
    """

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Underlines headings alone: what comes second in a section, after its empty line."""
        parts = [
            f"{part[:-1]} \n" if part.endswith(":\n") and part_strings[:index] != ["\n"] else part
            for index, part in enumerate(part_strings)
        ]
        return super().format_part_strings(parts)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        first, *sections = text.split("\n\n")
        return "\n\n".join([super()._fill_text(first, width, indent), *sections])


def section(title: str, lines: Iterable[str]) -> str:
    """Returns a part of --help: its title, underlined, and its lines."""
    return "\n".join([title, "=" * len(title), *(f"  {line}" for line in lines)])


def examples(command: str, given: Iterable[str]) -> str:
    """Returns the section of a command's examples; ``given`` is what follows its name in each."""
    return section("Examples", [f"{command} {one}" for one in given])


def columns(rows: Mapping[str, str]) -> list[str]:
    """Returns the lines of a table of names and what they mean."""
    lines = []
    for name, text in rows.items():
        first, *others = textwrap.wrap(text, 78 - _COLUMN)
        lines += [f"{name:<{_COLUMN - 2}}{first}", *(f"{'':<{_COLUMN - 2}}{line}" for line in others)]
    return lines
