"""Decisions of people on templates, by the names that sketches have in site files.

A *pinned* sketch is template wherever it stands, a *rejected* one nowhere, whatever detection finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

PINNED: Final = "pinned"
REJECTED: Final = "rejected"
"""The decisions."""

_NAME: Final = re.compile(r"[0-9a-fA-F]{16}\Z")


def sketch_name(sketch: int) -> str:
    """Returns the name of a sketch in site files: its 64 bits as 16 hexadecimal digits."""
    return f"{sketch & 0xFFFFFFFFFFFFFFFF:016x}"


def sketch_of(name: str) -> int:
    """Returns the sketch of a name. Raises ValueError for any other text."""
    if not _NAME.match(name):
        raise ValueError(f"{name!r} is no name of a template: it has 16 hexadecimal digits")
    number = int(name, 16)
    return number - (1 << 64) if number >> 63 else number


def states_of(pinned: Iterable[str], rejected: Iterable[str]) -> dict[int, str]:
    """Returns sketch -> state. Raises ValueError for a wrong name, or one that is in both lists."""
    states = dict.fromkeys(map(sketch_of, pinned), PINNED)
    for name in rejected:
        if states.setdefault(sketch_of(name), REJECTED) == PINNED:
            raise ValueError(f"template {name!r} is both pinned and rejected: take it from one of the lists")
    return states
