"""The layout of ``--help``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Final

_COLUMN: Final = 24
"""Where the second column begins, as argparse has it for options."""


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
