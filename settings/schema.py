"""The schema of a site file: its keys, the settings that they set, and their types."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args, get_origin

from pydantic import create_model

from pagelets.registry import OURS, Registry
from settings.tables import ProjectTable, SiteTable
from settings.types import OptionsTable, SchemaTable, Sets, SinkTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from settings.locate import Place


def table_of(annotation: Any) -> type[SchemaTable] | None:
    """Returns the table in an annotation, in a list or not, or None."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, SchemaTable):
            return kind
    return None


def _setters(table: type[SchemaTable], prefix: str = "") -> Iterator[tuple[str, Sets, FieldInfo]]:
    """Yields the keys that set a setting, with that and their fields."""
    for name, field in table.model_fields.items():
        sets = next((item for item in field.metadata if isinstance(item, Sets)), None)
        inner = table_of(field.annotation)
        if inner is not None and issubclass(inner, OptionsTable):
            yield prefix + name, Sets(name.upper(), {}), field
        elif sets is not None:
            yield prefix + name, sets, field
        elif inner is not None:
            yield from _setters(inner, f"{prefix}{name}.")


@cache
def _all_setters(table: type[SchemaTable]) -> tuple[tuple[str, Sets, FieldInfo], ...]:
    return tuple(_setters(table))


SETTERS: Final[Mapping[str, Sets]] = MappingProxyType({key: sets for key, sets, _ in _setters(SiteTable)})
"""Key -> the setting that it sets, of ours."""
DEFAULTS: Final[Mapping[str, Any]] = {
    **{sets.setting: sets.default for sets in SETTERS.values() if sets.default is not None},
    **{name: field.default for name, field in ProjectTable.model_fields.items()},
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
        fields = _all_setters(self.table)
        self.setters = {key: sets for key, sets, _ in fields}
        self.key_of = {sets.setting: key for key, sets in self.setters.items()}
        self.fields = {sets.setting: field for _, sets, field in fields} | ProjectTable.model_fields
        for name in tables:
            if name in SiteTable.model_fields or name.upper() in DEFAULTS:
                raise ValueError(f"{name!r} is a key of ours, or makes one; give the sink another name")

    def keys(self) -> Iterator[str]:
        """Returns all keys that a site file may have, those of tables with dots."""
        return _keys(self.table)

    def place_of(self, setting: str) -> Place:
        """Returns the place of a setting in a site file."""
        return tuple(self.key_of[setting].split(".")) if setting in self.key_of else ("settings", setting)


@cache
def _with(tables: tuple[tuple[str, type[SinkTable]], ...]) -> type[SiteTable]:
    added: dict[str, Any] = {name: (table, None) for name, table in tables}
    return create_model("SiteTable", __base__=SiteTable, **added)


def _keys(table: type[SchemaTable], prefix: str = "") -> Iterator[str]:
    for name, field in table.model_fields.items():
        yield prefix + name
        inner = table_of(field.annotation)
        if inner is not None:
            yield from _keys(inner, f"{prefix}{name}.")


SCHEMA: Final = Schema()
"""Ours alone."""


def type_of(annotation: Any) -> type:
    """Returns TOML's type for an annotation; object for one that may be of several, such as a secret."""
    if annotation is Any:
        return object
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return dict if issubclass(annotation, SchemaTable) else annotation
    origin = get_origin(annotation)
    return str if origin is Literal else cast("type", origin)
