"""The stats of a crawl that its run file has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RecordedStats:
    """The stats that the run file has: each spider and component registers its own."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def register(self, *names: str) -> None:
        """Adds stats by name; a name that ends in a slash adds all that begin with it."""
        self._names.update(names)

    def of(self, stats: Mapping[str, Any]) -> dict[str, Any]:
        """The registered ones of some stats, in the order of their names."""
        prefixes = tuple(name for name in self._names if name.endswith("/"))
        return {
            name: value
            for name, value in sorted(stats.items())
            if name in self._names or name.startswith(prefixes)
        }
