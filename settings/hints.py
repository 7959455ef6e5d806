"""Hints that name a command, as it can be typed where the user is."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Final

from settings.program import OUR_COMMANDS

_HINT: Final = re.compile(rf"(?<![\w./-])(?:scrapy(?= (?:{'|'.join(OUR_COMMANDS)})\b)|pip(?= install\b))")


def as_typed(text: str) -> str:
    """A text in which ``scrapy COMMAND`` and ``pip install`` stand as they can be typed from the current
    folder: ``.venv/bin/scrapy COMMAND`` where the shell would find another scrapy, or none.
    """
    return _HINT.sub(lambda match: _program(match[0]), text)


def _program(name: str) -> str:
    program = Path(sys.executable).parent / name
    on_path = shutil.which(name)
    if not program.exists():
        return f"{Path(sys.executable).name} -m {name}"
    if on_path is not None and Path(on_path).samefile(program):
        return name
    return str(program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program)
