"""The program that this process runs, and commands as they can be typed where the user is."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Final

from settings.errors import relative

_FOLDER: Final = Path(__file__).resolve().parents[1] / "crawler" / "commands"
OUR_COMMANDS: Final = sorted(path.stem for path in _FOLDER.glob("[!_]*.py"))
_HINT: Final = re.compile(rf"(?<![\w./-])(?:scrapy(?= (?:{'|'.join(OUR_COMMANDS)})\b)|pip(?= install\b))")


def is_scrapy() -> bool:
    """Returns True if the process is a command of ``scrapy`` or ``python -m scrapy``, and nothing else."""
    program = Path(sys.argv[0])
    return program.stem == "scrapy" or program.parts[-2:] == ("scrapy", "__main__.py")


def commands_module() -> str:
    """Returns the module in which Scrapy looks for commands: the command's own, if the process runs one of
    ours. Scrapy imports all of the module to find a command, which is half of a command's start.
    """
    name = next((given for given in sys.argv[1:] if not given.startswith("-")), "")
    return f"crawler.commands.{name}" if is_scrapy() and name in OUR_COMMANDS else "crawler.commands"


def as_typed(text: str) -> str:
    """A text in which ``scrapy COMMAND`` and ``pip install`` stand as they can be typed from the current
    folder: ``.venv/bin/scrapy COMMAND`` where the shell would find another scrapy, or none.
    """
    return _HINT.sub(lambda match: _typed(match[0]), text)


def _typed(name: str) -> str:
    program = Path(sys.executable).parent / name
    on_path = shutil.which(name)
    if not program.exists():
        return f"{Path(sys.executable).name} -m {name}"
    return name if on_path is not None and Path(on_path).samefile(program) else str(relative(program))
