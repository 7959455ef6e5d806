"""Taught weights in the text of a site file, whose comments and layout stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspection.site_source import changed, table_in

TABLE: Final = "taught"
_COMMENT: Final = "log odds; delete a line to forget it"


def with_taught(source: str, weights: Mapping[str, float]) -> str:
    """Returns a site file with these weights in place of those that it has.

    Raises ConfigurationError where the file is no TOML, or laid out in a way that is not understood.
    """

    def edit(document: Any) -> None:
        if not weights:
            document.pop(TABLE, None)
            return
        table = table_in(document, TABLE, _COMMENT)
        for name in [name for name in table if name not in weights]:
            del table[name]
        for name, weight in weights.items():
            if table.get(name) != weight:
                table[name] = float(weight)

    def expected(before: dict[str, Any]) -> dict[str, Any]:
        others = {name: value for name, value in before.items() if name != TABLE}
        return others | ({TABLE: dict(weights)} if weights else {})

    return changed(source, f"[{TABLE}]", expected, edit)
