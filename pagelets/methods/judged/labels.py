"""First lines that say what a box holds, by the files of labels beside this module."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

PAGES: Final = "pages"
AUTHOR: Final = "author"
LONGEST: Final = 60
"""Maximum number of characters of a label."""
_KINDS: Final = {PAGES: ("called_boxes.txt", ""), AUTHOR: ("author_boxes.txt", r"(?:[: ]*\w.{0,40})?")}
"""Of each kind of label its file, a regular expression a line, and what may follow: the name of an author."""


@lru_cache(maxsize=1 << 13)
def kind_of(text: str) -> str | None:
    """Returns the kind of label that a text is but for signs around it and a number behind it, or None."""
    if len(text) > LONGEST:
        return None
    # A capital I with a dot is two characters in lower case, the second of which is the dot.
    match = _labels().fullmatch(text.lower().replace("\u0307", ""))
    return match and match.lastgroup


@cache
def _labels() -> re.Pattern[str]:
    kinds = []
    for kind, (name, following) in _KINDS.items():
        lines = files(__package__).joinpath(name).read_text("utf-8").splitlines()
        patterns = "|".join(line for line in lines if line and not line.startswith("#"))
        kinds.append(f"(?P<{kind}>(?:{patterns}){following})")
    return re.compile(rf"\W{{0,3}}(?:{'|'.join(kinds)})[\W\d]*")
