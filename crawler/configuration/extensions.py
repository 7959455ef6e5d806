"""What a project adds to ours by settings: methods, fields of Documents, and tables of sinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.configuration.converters import normal
from pagelets.extensions import Extensions, extensions
from pagelets.extensions import extend as extend_pagelets
from search.backends import backend_of
from settings.errors import ConfigurationError
from settings.schema import add_tables

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def extend(settings: BaseSettings) -> None:
    """Makes this process know what the settings add; it knows no more then what others have added to it.

    Raises ConfigurationError where a name is one of ours, and where there is nothing at an import path.
    """
    methods, fields, backends = (
        normal(name, settings.get(name) or {})
        for name in ("METHOD_CLASSES", "FIELD_FUNCTIONS", "SINK_BACKENDS")
    )
    named = Extensions(methods, fields)
    try:
        setting = "METHOD_CLASSES"
        if named != extensions():
            extend_pagelets(Extensions(methods, {}))
        setting = "FIELD_FUNCTIONS"
        extend_pagelets(named)
        setting = "SINK_BACKENDS"
        tables = {name: backend_of(name, settings).table for name in backends}
        add_tables({name: table for name, table in tables.items() if table is not None})
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{setting}: {error}") from error
