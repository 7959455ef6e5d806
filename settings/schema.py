"""The schema of a site file: its keys, the settings that they set, and their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args, get_origin

from pydantic import create_model

from pagelets.registry import OURS, Registry
from settings.tables import ProjectTable, SiteTable
from settings.types import OptionsTable, SchemaTable, Sets, SinkTable

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from settings.toml import Place


def table_of(annotation: Any) -> type[SchemaTable] | None:
    """Returns the table in an annotation, in a list or not, or None."""
    kinds = (annotation, *get_args(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, SchemaTable)), None)


def type_of(annotation: Any) -> type:
    """Returns TOML's type for an annotation; object for one that may be of several, such as a secret."""
    if annotation is Any:
        return object
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return dict if issubclass(annotation, SchemaTable) else annotation
    origin = get_origin(annotation)
    return str if origin is Literal else cast("type", origin)


class Schema:
    """The keys of site files, and the settings that they set: ours, and those of the tables of added sinks,
    by the names of the sinks. The ``registry`` knows the methods and fields that values name.

    Attributes:
        keys: the fields of all keys that a site file may have, those of tables with dots.
        setters: what a key sets.
        key_of: the key that sets a setting.
        fields: the fields of all settings.

    Raises:
        ValueError: a table would be what ours are.

    """

    def __init__(
        self, registry: Registry = OURS, tables: Mapping[str, type[SinkTable]] = MappingProxyType({})
    ) -> None:
        for name in tables:
            if name in SiteTable.model_fields or name.upper() in DEFAULTS:
                raise ValueError(f"{name!r} is a key of ours, or makes one; give the sink another name")
        self.registry = registry
        self.table = _with(tuple(tables.items())) if tables else SiteTable
        self.keys = dict(_keys(self.table))
        self.setters: dict[str, Sets] = {}
        for key, field in self.keys.items():
            # What is below such a key is a part of its setting.
            if (sets := _sets(key, field)) is not None and key.partition(".")[0] not in self.setters:
                self.setters[key] = sets
        self.key_of = {sets.setting: key for key, sets in self.setters.items()}
        of_keys = {setting: self.keys[key] for setting, key in self.key_of.items()}
        self.fields = of_keys | ProjectTable.model_fields

    def place_of(self, setting: str) -> Place:
        """Returns the place of a setting in a site file."""
        return tuple(self.key_of[setting].split(".")) if setting in self.key_of else ("settings", setting)


def _keys(table: type[SchemaTable], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in table.model_fields.items():
        yield prefix + name, field
        if (inner := table_of(field.annotation)) is not None:
            yield from _keys(inner, f"{prefix}{name}.")


def _sets(key: str, field: FieldInfo) -> Sets | None:
    if issubclass(table_of(field.annotation) or object, OptionsTable):
        return Sets(key.upper(), {})
    return next((item for item in field.metadata if isinstance(item, Sets)), None)


@cache
def _with(tables: tuple[tuple[str, type[SinkTable]], ...]) -> type[SiteTable]:
    added: dict[str, Any] = {name: (table, None) for name, table in tables}
    return create_model("SiteTable", __base__=SiteTable, **added)


SCHEMA: Final = Schema()
"""Ours alone."""
DEFAULTS: Final[Mapping[str, Any]] = {
    **{sets.setting: sets.default for sets in SCHEMA.setters.values() if sets.default is not None},
    **{name: field.default for name, field in ProjectTable.model_fields.items()},
}
"""The settings of ours, but for places, with their defaults."""
LIVE: Final = frozenset(sets.setting for sets in SCHEMA.setters.values() if sets.live)
"""Settings that are about the network: of no matter for an archive."""
