"""Fields in the text of a site file, whose comments and layout stay."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from settings.errors import ConfigurationError

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
    try:
        before = tomllib.loads(source)
        written = _edited(source, name, given)
        after = tomllib.loads(written)
    except (tomllib.TOMLDecodeError, TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{error}; write [{TABLE}] by hand") from error
    if after != {**before, TABLE: {**before.get(TABLE, {}), name: _plain(given)}}:
        raise ConfigurationError(f"[{TABLE}] is laid out in a way that is not understood; write it by hand")
    return written


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


def _edited(source: str, name: str, given: Mapping[str, Any]) -> str:
    document: Any = tomlkit.parse(source)
    if TABLE not in document:
        if source.strip() and not source.endswith("\n\n"):
            document.add(tomlkit.nl())
        document.add(TABLE, tomlkit.table())
    document[TABLE][name] = _item(given)
    return tomlkit.dumps(document)
