"""Errors in a user's input.

ConfigurationError
├── UnknownName     an argument, key, site or method that does not exist
├── WrongSetting    a setting that is right by itself and cannot be used
└── WrongSiteFile   all that is wrong in a site file
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from settings.removed import removed
from settings.values import nearest


class ConfigurationError(ValueError):
    """A wrong argument, setting or site file; the text is one line that names it and the mend."""


class UnknownName(ConfigurationError):
    """Raised for an unknown name; the text names the one that replaced it, or the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        gone = removed(kind, name)
        super().__init__(
            f"{kind} {name!r} {gone}" if gone else f"unknown {kind} {name!r}; {nearest(name, known)}"
        )


class WrongSetting(ConfigurationError):
    """Raised for a setting that cannot be used, or an option such as ``POSTGRESQL.dsn``: says ``what``."""

    def __init__(self, name: str, what: str) -> None:
        self.setting, *within = name.split(".")
        self.within, self.what = tuple(within), what
        super().__init__(f"{name}: {what}")


@dataclass(slots=True, frozen=True, order=True)
class Problem:
    """A mistake in a site file: its line, its key (empty for the whole file), the mistake and the mend."""

    path: Path
    line: int
    key: str
    text: str

    def __str__(self) -> str:
        key = f"key {self.key!r}: " if self.key else ""
        return f"{relative(self.path)}:{self.line}: {key}{self.text}"


class WrongSiteFile(ConfigurationError):
    """Raised for a site file that cannot be used; the text is a line for each of the ``problems``."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


def relative(path: Path) -> Path:
    """Returns a path as a user would write it: from the current folder, if it is below that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
