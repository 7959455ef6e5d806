"""What a project adds to ours by settings: methods, fields of Documents, and tables of sinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.configuration.converters import normal
from pagelets.registry import OURS
from search.backends import BACKENDS, backend_of, sink_names
from settings.errors import ConfigurationError
from settings.schema import add_tables

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from pagelets.registry import Registry


def registry_of(settings: BaseSettings) -> Registry:
    """Returns what knows our methods and fields, and those that the settings add.

    Raises ConfigurationError where a name is one of ours, and where a field has no function that says its
    type.
    """
    setting = "METHOD_CLASSES"
    try:
        registry = OURS.with_methods(normal(setting, settings.get(setting) or {}))
        setting = "FIELD_FUNCTIONS"
        return registry.with_fields(normal(setting, settings.get(setting) or {}))
    except ConfigurationError:
        raise
    except ValueError as error:
        raise ConfigurationError(f"{setting}: {error}") from error


def add_sinks(settings: BaseSettings) -> None:
    """Makes site files know the tables of the sinks that the settings add, those of installed packages that
    they ask for included, and no others beside ours.

    Raises ConfigurationError where a name is one of ours, and where there is nothing at an import path.
    """
    backends = normal("SINK_BACKENDS", settings.get("SINK_BACKENDS") or {})
    others = (name for name in sink_names(settings) if name not in BACKENDS)
    tables = {name: backend_of(name, settings).table for name in {**backends, **dict.fromkeys(others)}}
    try:
        add_tables({name: table for name, table in tables.items() if table is not None})
    except ValueError as error:
        raise ConfigurationError(f"SINK_BACKENDS: {error}") from error
