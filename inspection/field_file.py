"""Fields in the text of a site file, whose comments and layout stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import tomlkit

from inspection.site_source import changed, table_in

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE: Final = "extract"


def with_field(source: str, name: str, given: Mapping[str, Any]) -> str:
    """Returns a site file with a field in ``[extract]``, in place of one of that name.

    Args:
        source: the text of the file.
        name: the name of the field.
        given: its description.

    Raises:
        ConfigurationError: the file is laid out in a way that is not understood.

    """

    def edit(document: Any) -> None:
        table_in(document, TABLE)[name] = _item(given)

    def expected(before: dict[str, Any]) -> dict[str, Any]:
        return {**before, TABLE: {**before.get(TABLE, {}), name: _plain(given)}}

    return changed(source, f"[{TABLE}]", expected, edit)


def field_line(name: str, given: Mapping[str, Any]) -> str:
    """Returns the line of ``[extract]`` that describes a field."""
    return f"{name} = {_item(given).as_string()}"


def _plain(given: Mapping[str, Any]) -> Any:
    """A description as people write it: a CSS selector alone is a text."""
    return given["css"] if given.keys() == {"css"} else dict(given)


def _item(given: Mapping[str, Any]) -> Any:
    plain = _plain(given)
    if isinstance(plain, str):
        return tomlkit.item(plain)
    table = tomlkit.inline_table()
    table.update(plain)
    return table
