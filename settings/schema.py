"""What a site file may say: its keys, the settings that they set, and their types."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args, get_origin

from pydantic import create_model

from settings.tables import SiteTable
from settings.types import SchemaTable, Sets, SinkTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def table_of(annotation: Any) -> type[SchemaTable] | None:
    """The table that an annotation speaks of, in a list or not; None where there is none."""
    if isinstance(annotation, type) and issubclass(annotation, SchemaTable):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        table = table_of(argument)
        if table is not None:
            return table
    return None


def _setters(table: type[SchemaTable], prefix: str = "") -> Iterator[tuple[str, Sets]]:
    for name, field in table.model_fields.items():
        key = prefix + name
        sets = next((one for one in field.metadata if isinstance(one, Sets)), None)
        inner = table_of(field.annotation)
        if issubclass(table, SinkTable):
            yield key, Sets(key.replace(".", "_").upper())
        elif sets is not None:
            yield key, sets
        elif inner is not None:
            yield from _setters(inner, f"{key}.")


SETTERS: Final = dict(_setters(SiteTable))
"""Key -> the setting that it sets. Holds the keys of added tables, too."""
KEY_OF: Final = {sets.setting: key for key, sets in SETTERS.items()}
"""Setting -> the key that sets it."""
LIVE: Final = frozenset(sets.setting for sets in SETTERS.values() if sets.live)
"""Settings that are about the network: of no matter for an archive."""
_OURS: Final = frozenset(SETTERS)
_ADDED: Final[dict[str, type[SinkTable]]] = {}


def add_tables(tables: Mapping[str, type[SinkTable]]) -> None:
    """Has the site files of this process know these tables of sinks beside ours, each by the sink's name.

    Those that were added before are no more. Raises ValueError where one would be what ours are.
    """
    _ADDED.clear()
    for key in SETTERS.keys() - _OURS:
        del KEY_OF[SETTERS.pop(key).setting]
    for name, table in tables.items():
        own = dict(_setters(table, f"{name}."))
        taken = [key for key, sets in own.items() if sets.setting in KEY_OF]
        if name in SiteTable.model_fields or taken:
            raise ValueError(f"{name!r} is a key of ours, or makes one; give the sink another name")
        SETTERS.update(own)
        KEY_OF.update((sets.setting, key) for key, sets in own.items())
        _ADDED[name] = table


def site_table() -> type[SiteTable]:
    """The tables of a site file: ours, and those that were added."""
    return _with(tuple(_ADDED.items())) if _ADDED else SiteTable


@cache
def _with(tables: tuple[tuple[str, type[SinkTable]], ...]) -> type[SiteTable]:
    added: dict[str, Any] = {name: (table | None, None) for name, table in tables}
    return create_model("SiteTable", __base__=SiteTable, **added)


def keys(table: type[SchemaTable] | None = None, prefix: str = "") -> Iterator[str]:
    """All keys that a site file may have, those of tables with dots."""
    for name, field in (table or site_table()).model_fields.items():
        yield prefix + name
        inner = table_of(field.annotation)
        if inner is not None:
            yield from keys(inner, f"{prefix}{name}.")


def type_of(setting: str) -> type:
    """The type of a setting that a key sets: bool, int, float, str, list or dict; object for a secret, which
    is a text or a dict.
    """
    table: type[SchemaTable] | None = site_table()
    *parents, name = KEY_OF[setting].split(".")
    for parent in parents:
        assert table is not None
        table = table_of(table.model_fields[parent].annotation)
    assert table is not None
    return _type(table.model_fields[name].annotation)


def _type(annotation: Any) -> type:
    """The type of TOML's that an annotation stands for."""
    if annotation is Any:
        return object
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return dict if issubclass(annotation, SchemaTable) else annotation
    origin = get_origin(annotation)
    if origin is Literal:
        return str
    if origin in (list, dict):
        return cast("type", origin)
    return _type(get_args(annotation)[0])
