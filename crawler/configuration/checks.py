"""Checks settings, those of ours and those of Scrapy's."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings, default_settings

from crawler.configuration.converters import normal, read_setting
from crawler.configuration.extensions import schema_of
from settings import base
from settings.errors import ConfigurationError
from settings.removed import removed, removed_settings
from settings.schema import DEFAULTS, SCHEMA, Schema

OF_THE_PROJECT: Final = frozenset(
    {"COMMANDS_MODULE", "DATA_DIR", "FIELD_FUNCTIONS", "METHOD_CLASSES", "SITES_DIR", "SPIDER_MODULES"}
)
"""Settings that are asked for where no site is known yet."""
_KNOWN: Final = frozenset(filter(str.isupper, [*vars(default_settings), *vars(base)]))
_SWITCH: Final = "1 or 0"
_WANTED: Final = {
    name: _SWITCH if isinstance(default, bool) else "a number"
    for name, default in vars(default_settings).items()
    if isinstance(default, bool | int | float)
}
"""Settings of Scrapy's that are switches or numbers, and which of both."""


def check_settings(settings: BaseSettings) -> dict[str, Any]:
    """Checks our settings, and those of Scrapy's that are numbers or switches; returns those that are not in
    their normal form, such as the texts of the command line, in it. Raises ConfigurationError.
    """
    for name in removed_settings():
        if settings.get(name) is not None:
            raise ConfigurationError(f"{name} {removed('setting', name)}")
    schema = schema_of(settings)
    for name in settings:
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"] and (mend := _misspelt(name)):
            raise ConfigurationError(f"{name}: {mend}")
    read: dict[str, Any] = {}
    for name in schema.fields:
        value = settings.get(name)
        if value is None or value == DEFAULTS.get(name):
            continue
        normalized = normal(name, value, schema=schema)
        if normalized != value:
            read[name] = normalized
    for name in _WANTED:
        wanted = _wanted(name, settings) if name not in schema.fields else None
        if wanted is not None:
            raise ConfigurationError(f"{name}={settings.get(name)}: {wanted}")
    return read


def _wanted(name: str, settings: BaseSettings) -> str | None:
    """The mend for a setting of Scrapy's that is no number or switch where its default is one."""
    wanted = _WANTED.get(name)
    if wanted is None or settings.get(name) is None:
        return None
    try:
        # A default of 0 says nothing about fractions.
        settings.getbool(name) if wanted == _SWITCH else settings.getfloat(name)
    except (OverflowError, TypeError, ValueError):
        return f"give {wanted}"
    return None


def setting_problem(name: str, value: object, schema: Schema = SCHEMA) -> str | None:
    """Returns the mistake in the ``value`` that a site file gives the setting ``name``, and the mend, or
    None. The ``schema`` has the settings of ours.
    """
    if name in OF_THE_PROJECT:
        return "is a setting of the whole project; set it in settings/base.py, or with -s"
    if name in schema.fields:
        try:
            read_setting(name, value, schema)
        except ValueError as error:
            return str(error)
        return None
    if hasattr(default_settings, name):
        return _wanted(name, Settings({name: value}))
    return _misspelt(name)


def _misspelt(name: str) -> str | None:
    """Returns the mistake in a name like that of a setting, but misspelt; others may be an extension's."""
    near = get_close_matches(name, _KNOWN, 1, 0.85) if name not in _KNOWN else []
    return f"unknown setting; did you mean {near[0]!r}?" if near else None
