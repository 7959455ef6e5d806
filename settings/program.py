"""The program that this process runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).resolve().parents[1] / "crawler" / "commands"
OUR_COMMANDS: Final = sorted(path.stem for path in _FOLDER.glob("[!_]*.py"))


def is_scrapy() -> bool:
    """Returns True if the process is a command of ``scrapy`` or ``python -m scrapy``, and nothing else."""
    program = Path(sys.argv[0])
    return program.stem == "scrapy" or program.parts[-2:] == ("scrapy", "__main__.py")


def commands_module() -> str:
    """Returns the module in which Scrapy looks for commands.

    Scrapy imports all of it to find one command, which is half of a command's start: so the module is the
    command's own, if the process runs one of ours.
    """
    name = next((given for given in sys.argv[1:] if not given.startswith("-")), "")
    return f"crawler.commands.{name}" if is_scrapy() and name in OUR_COMMANDS else "crawler.commands"
