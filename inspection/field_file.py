"""Fields in the text of a site file, whose comments and layout stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import tomlkit

from inspection.site_source import changed, table_in

TABLE: Final = "extract"
PAGES: Final = "pages"
MATCH: Final = "match"


def with_field(source: str, name: str, given: Mapping[str, Any], match: str = "") -> str:
    """Returns a site file with a field in ``[extract]``, in place of one of that name.

    Args:
        source: the text of the file.
        name: the name of the field.
        given: its description.
        match: the part of URLs that the pages of the field have, empty for all pages; then it goes to the
            table of ``[[extract.pages]]`` with that.

    Raises:
        ConfigurationError: the file is laid out in a way that is not understood.

    """

    def edit(document: Any) -> None:
        table = table_in(document, TABLE)
        (_pages_in(table, match) if match else table)[name] = _item(given)

    def expected(before: dict[str, Any]) -> dict[str, Any]:
        fields = before.get(TABLE, {})
        if not match:
            return {**before, TABLE: {**fields, name: _plain(given)}}
        pages = [dict(one) for one in fields.get(PAGES, [])]
        own = next((one for one in pages if one.get(MATCH) == match), None)
        if own is None:
            pages.append(own := {MATCH: match})
        own[name] = _plain(given)
        return {**before, TABLE: {**fields, PAGES: pages}}

    return changed(source, f"[{TABLE}]", expected, edit)


def field_line(name: str, given: Mapping[str, Any], match: str = "") -> str:
    """Returns the line of ``[extract]`` that describes a field, or with ``match`` its table.

    Args:
        name: the name of the field.
        given: its description.
        match: as in `with_field`.

    """
    line = f"{name} = {_item(given).as_string()}"
    return f"[[{TABLE}.{PAGES}]]\n{MATCH} = {tomlkit.item(match).as_string()}\n{line}" if match else line


def fields_with(
    fields: Mapping[str, Any], name: str, given: Mapping[str, Any], match: str = ""
) -> dict[str, Any]:
    """Returns the fields of a site with one more.

    Args:
        fields: as ``[extract]`` describes them.
        name: the name of the field.
        given: its description.
        match: as in `with_field`.

    """
    if not match:
        return {**fields, name: given}
    return {**fields, PAGES: [*fields.get(PAGES, ()), {MATCH: match, name: given}]}


def _pages_in(table: Any, match: str) -> Any:
    """The fields of the pages whose URLs match, in the table of fields of a document."""
    if PAGES not in table:
        table.append(PAGES, tomlkit.aot())
    for own in table[PAGES]:
        if own.get(MATCH) == match:
            return own
    own = tomlkit.table()
    own[MATCH] = match
    table[PAGES].append(own)
    return table[PAGES][-1]


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
