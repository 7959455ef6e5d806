"""Taught weights in the text of a site file, whose comments and layout stay as they are."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE: Final = "taught"
_COMMENT: Final = "log odds; delete a line to forget it"


def with_taught(source: str, weights: Mapping[str, float]) -> str:
    """Returns a site file with these weights in place of those that it has.

    Raises ConfigurationError where the file is no TOML, or laid out in a way that is not understood.
    """
    try:
        before = tomllib.loads(source)
        written = _edited(source, weights)
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise ConfigurationError(f"{error}; write [{TABLE}] by hand") from error
    others = {name: value for name, value in before.items() if name != TABLE}
    if tomllib.loads(written) != others | ({TABLE: dict(weights)} if weights else {}):
        raise ConfigurationError(f"[{TABLE}] is laid out in a way that is not understood; write it by hand")
    return written


def _edited(source: str, weights: Mapping[str, float]) -> str:
    document: Any = tomlkit.parse(source if source.strip() else "")
    if not weights:
        document.pop(TABLE, None)
        return tomlkit.dumps(document)
    if TABLE not in document:
        if source.strip() and not source.endswith("\n\n"):
            document.add(tomlkit.nl())
        table = tomlkit.table()
        table.comment(_COMMENT)
        document.add(TABLE, table)
    table = document[TABLE]
    for name in [name for name in table if name not in weights]:
        del table[name]
    for name, weight in weights.items():
        if table.get(name) != weight:
            table[name] = float(weight)
    return tomlkit.dumps(document)
