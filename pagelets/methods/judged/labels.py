"""First lines that say what a box holds, by the files of labels beside this module."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

LONGEST: Final = 60
"""Maximum number of characters of a label."""


@lru_cache(maxsize=1 << 13)
def is_label(text: str, name: str, following: str = "") -> bool:
    """Returns True for a text that is a label, but for signs around it and a number behind it.

    Args:
        text: the text.
        name: the file of labels: a regular expression a line, in lower case.
        following: a regular expression of what may follow them.

    """
    if len(text) > LONGEST:
        return False
    # A capital I with a dot is two characters in lower case, the second of which is the dot.
    return _labels(name, following).fullmatch(text.lower().replace("\u0307", "")) is not None


@cache
def _labels(name: str, following: str) -> re.Pattern[str]:
    lines = files(__package__).joinpath(name).read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return re.compile(rf"\W{{0,3}}(?:{'|'.join(patterns)}){following}[\W\d]*")
