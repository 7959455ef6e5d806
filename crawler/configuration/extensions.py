"""Additions of a project by settings: methods, fields of Documents, and tables of sinks."""

from __future__ import annotations

import contextlib
import json

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.converters import normal
from pagelets.installed import installed
from pagelets.reading.fields import Extraction, extraction_of
from pagelets.registry import OURS, Registry
from search.backends import BACKENDS, GROUP, backend_of, sink_names
from settings.errors import ConfigurationError
from settings.schema import Schema


def registry_of(settings: BaseSettings) -> Registry:
    """Returns what knows our methods and fields, and those that the settings add.

    Raises ConfigurationError where a name is one of ours, and where a field has no function that says its
    type.
    """
    setting = "METHOD_CLASSES"
    try:
        registry = OURS.with_methods(normal(setting, settings.get(setting) or {}))
        setting = "FIELD_FUNCTIONS"
        registry = registry.with_fields(normal(setting, settings.get(setting) or {}))
        setting = "EXTRACT"
        return registry.with_extraction(extraction_in(settings))
    except ConfigurationError:
        raise
    except ValueError as error:
        raise ConfigurationError(f"{setting}: {error}") from error


def set_presets(settings: BaseSettings) -> None:
    """Sets what comes with the method in ``settings``, but for what site file or command line set."""
    for name, value in registry_of(settings).factory(settings["METHOD"]).settings.items():
        if (settings.getpriority(name) or 0) <= SETTINGS_PRIORITIES["project"]:
            settings.set(name, value, priority="project")


def extraction_in(settings: BaseSettings) -> Extraction:
    """Returns the fields that settings have taken from pages. Raises WrongField and ConfigurationError."""
    overrides = settings.get("OVERRIDES")
    # The check of this setting names a mistake in it.
    with contextlib.suppress(ValueError, RecursionError):
        overrides = json.loads(overrides) if isinstance(overrides, str) else overrides
    return extraction_of(
        normal("EXTRACT", settings.get("EXTRACT") or {}), overrides if isinstance(overrides, list) else ()
    )


def schema_of(settings: BaseSettings) -> Schema:
    """Returns the keys of site files for these settings: ours, and those of the sinks that they add, of
    installed packages too, with the methods and fields that there are.

    Raises ConfigurationError where a name is one of ours, and where there is nothing at an import path.
    """
    registry = registry_of(settings)
    added = list(normal("SINK_BACKENDS", settings.get("SINK_BACKENDS") or {}))
    added += [name for name in sink_names(settings) if name not in BACKENDS and name in installed(GROUP)]
    tables = {name: table for name in added if (table := backend_of(name, settings).table) is not None}
    try:
        return Schema(registry, tables)
    except ValueError as error:
        raise ConfigurationError(f"SINK_BACKENDS: {error}") from error
