"""Changes to the text of a site file, whose comments and layout stay."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from settings.errors import ConfigurationError


def changed(
    source: str, where: str, expected: Callable[[dict[str, Any]], dict[str, Any]], edit: Callable[[Any], None]
) -> str:
    """Returns the text of a site file with a change.

    Args:
        source: the text.
        where: the part that is changed, for an error.
        expected: returns the values after the change, of those before it.
        edit: makes the change in the document.

    Raises:
        ConfigurationError: the file is no TOML, or laid out in a way that is not understood.

    """
    try:
        before = tomllib.loads(source)
        document = tomlkit.parse(source if source.strip() else "")
        edit(document)
        written = tomlkit.dumps(document)
        after = tomllib.loads(written)
    except (tomllib.TOMLDecodeError, TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{error}; write {where} by hand") from error
    if after != expected(before):
        raise ConfigurationError(f"{where} is laid out in a way that is not understood; write it by hand")
    return written


def table_in(document: Any, name: str, comment: str = "") -> Any:
    """Returns a table of a document; adds it at the end if it is missing.

    Args:
        document: the parsed file.
        name: of the table.
        comment: behind the header of a table that is added.

    """
    if name not in document:
        source = tomlkit.dumps(document)
        if source.strip() and not source.endswith("\n\n"):
            document.add(tomlkit.nl())
        table = tomlkit.table()
        if comment:
            table.comment(comment)
        document.add(name, table)
    return document[name]


def set_first(document: Any, key: str, value: Any) -> None:
    """Sets a key; a new one goes to the top: behind a table it would belong to that.

    Args:
        document: the parsed file.
        key: the key, of no table.
        value: its value.

    """
    if key in document:
        document[key] = value
        return
    first = tomlkit.parse(f"{key} = {tomlkit.item(value).as_string()}\n")
    document.body[:0] = first.body
