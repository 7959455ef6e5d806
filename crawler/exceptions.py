"""What a user's input can get wrong.

ConfigurationError
└── UnknownName     an argument, key, site or method that does not exist
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class ConfigurationError(ValueError):
    """A wrong argument, setting or site file; the text is one line that names it and the mend."""


class UnknownName(ConfigurationError):
    """Raised for a name that does not exist; names the nearest that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, 1)
        mend = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names) or 'none'}"
        super().__init__(f"unknown {kind} {name!r}; {mend}")
