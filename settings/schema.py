"""The schema of a site file: its keys, the settings that they set, and their types."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args, get_origin

from pydantic import create_model

from pagelets.registry import OURS
from settings.tables import WITHOUT_KEY, SiteTable
from settings.types import OptionsTable, SchemaTable, Sets, SinkTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pagelets.registry import Registry


def table_of(annotation: Any) -> type[SchemaTable] | None:
    """Returns the table in an annotation, in a list or not, or None."""
    if isinstance(annotation, type) and issubclass(annotation, SchemaTable):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        table = table_of(argument)
        if table is not None:
            return table
    return None


def _setters(table: type[SchemaTable], prefix: str = "") -> Iterator[tuple[str, Sets]]:
    for name, field in table.model_fields.items():
        sets = next((item for item in field.metadata if isinstance(item, Sets)), None)
        inner = table_of(field.annotation)
        if inner is not None and issubclass(inner, OptionsTable):
            yield prefix + name, Sets(name.upper(), {})
        elif sets is not None:
            yield prefix + name, sets
        elif inner is not None:
            yield from _setters(inner, f"{prefix}{name}.")


SETTERS: Final[Mapping[str, Sets]] = MappingProxyType(dict(_setters(SiteTable)))
"""Key -> the setting that it sets, of ours."""


DEFAULTS: Final[Mapping[str, Any]] = {
    **{sets.setting: sets.default for sets in SETTERS.values() if sets.default is not None},
    **{name: default for name, (default, _) in WITHOUT_KEY.items()},
}
"""The settings of ours, but for places, with their defaults."""
LIVE: Final = frozenset(sets.setting for sets in SETTERS.values() if sets.live)
"""Settings that are about the network: of no matter for an archive."""


class Schema:
    """The keys of site files, and the settings that they set: ours, and those of the tables of added sinks.

    Args:
        registry: knows the methods and fields that values name.
        tables: the tables of sinks beside ours, by the names of the sinks.

    Raises:
        ValueError: a table would be what ours are.

    """

    def __init__(
        self, registry: Registry = OURS, tables: Mapping[str, type[SinkTable]] = MappingProxyType({})
    ) -> None:
        self.registry = registry
        self.table = _with(tuple(tables.items())) if tables else SiteTable
        self.setters = dict(_setters(self.table)) if tables else SETTERS
        self.key_of = {sets.setting: key for key, sets in self.setters.items()}
        for name in tables:
            if name in SiteTable.model_fields or name.upper() in DEFAULTS:
                raise ValueError(f"{name!r} is a key of ours, or makes one; give the sink another name")

    def keys(self) -> Iterator[str]:
        """Returns all keys that a site file may have, those of tables with dots."""
        return _keys(self.table)

    def type_of(self, setting: str) -> type:
        """Returns the type of a setting that a key sets: bool, int, float, str, list or dict; object for a
        secret, which is a text or a dict.
        """
        table: Any = self.table
        *parents, name = self.key_of[setting].split(".")
        for parent in parents:
            table = table_of(table.model_fields[parent].annotation)
        return _type(table.model_fields[name].annotation)


@cache
def _with(tables: tuple[tuple[str, type[SinkTable]], ...]) -> type[SiteTable]:
    added: dict[str, Any] = {name: (table | None, None) for name, table in tables}
    return create_model("SiteTable", __base__=SiteTable, **added)


def _keys(table: type[SchemaTable], prefix: str = "") -> Iterator[str]:
    for name, field in table.model_fields.items():
        yield prefix + name
        inner = table_of(field.annotation)
        if inner is not None:
            yield from _keys(inner, f"{prefix}{name}.")


SCHEMA: Final = Schema()
"""Ours alone."""


def _type(annotation: Any) -> type:
    """Returns TOML's type for an annotation."""
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
