"""Hints that name a command, as it can be typed where the user is."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Final

_COMMANDED: Final = Path(__file__).parents[1] / "crawler" / "commands"
_COMMANDS: Final = sorted(path.stem for path in _COMMANDED.glob("[a-z]*.py"))
_HINT: Final = re.compile(rf"(?<![\w./-])(?:scrapy(?= (?:{'|'.join(_COMMANDS)})\b)|pip(?= install\b))")


def as_typed(text: str) -> str:
    """A text in which ``scrapy COMMAND`` and ``pip install`` stand as they can be typed from the current
    folder: ``.venv/bin/scrapy COMMAND`` where the shell would find another scrapy, or none.
    """
    return _HINT.sub(lambda match: _program(match[0]), text)


def _program(name: str) -> str:
    own = Path(sys.executable).parent / name
    found = shutil.which(name)
    if not own.exists():
        return f"{Path(sys.executable).name} -m {name}"
    if found is not None and Path(found).samefile(own):
        return name
    return str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)
