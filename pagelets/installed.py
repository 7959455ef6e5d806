"""Entry points of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache


def installed(group: str) -> Mapping[str, str]:
    """Returns the entry points of a group: name -> ``package.module:Name``.

    All that is installed is looked through for it, once; nothing of it is imported.
    """
    return _found(group, tuple(sys.path))


@lru_cache(maxsize=8)
def _found(group: str, _: tuple[str, ...]) -> Mapping[str, str]:
    # Loaded when a name is not ours: it takes as long as a tenth of all else.
    from importlib.metadata import entry_points

    return {entry.name: f"{entry.module}:{entry.attr}" for entry in entry_points(group=group)}
