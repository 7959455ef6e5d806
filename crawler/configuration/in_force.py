"""The values in force for a site, and their origins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.extensions import schema_of
from crawler.configuration.plan import plan_of, settings_of
from settings import base
from settings.mistakes import key_text
from settings.secrets import without_secrets

if TYPE_CHECKING:
    from settings.schema import Schema
    from settings.site import SiteFile


class InForce(NamedTuple):
    """A value in force: the key of a site file (None for a setting that has none), the setting (None for the
    start URLs), the value without secrets, and where it comes from.
    """

    key: str | None
    setting: str | None
    value: Any
    source: str

    @property
    def text(self) -> str:
        """The value on one line."""
        return (
            self.value
            if isinstance(self.value, str)
            else json.dumps(self.value, ensure_ascii=False, default=str)
        )


def in_force(site: SiteFile, settings: BaseSettings) -> list[InForce]:
    """Every key of a site file, then every other setting that the file, the command line or the project's
    own part of the settings sets. Raises ConfigurationError.
    """
    planned = settings_of(plan_of(site, settings), settings)
    schema = schema_of(planned)
    key_of = schema.key_of
    others = sorted(
        name
        for name in planned
        if name not in key_of and (name in site.settings or hasattr(base, name) or _asked(planned, name))
    )
    urls = InForce("url", None, site.urls, _line(site, ("url",)) if site.urls else "nowhere")
    return [urls, *(_value(site, planned, schema, name) for name in (*key_of, *others))]


def _value(site: SiteFile, settings: BaseSettings, schema: Schema, name: str) -> InForce:
    value = without_secrets(name, settings.get(name), schema)
    return InForce(schema.key_of.get(name), name, value, _source(site, settings, name))


def _asked(settings: BaseSettings, name: str) -> bool:
    return (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]


def _source(site: SiteFile, settings: BaseSettings, name: str) -> str:
    priority = settings.getpriority(name) or 0
    if priority >= SETTINGS_PRIORITIES["cmdline"]:
        return "command line"
    if priority >= SETTINGS_PRIORITIES["spider"]:
        return _line(site, site.places[name])
    return "project" if priority >= SETTINGS_PRIORITIES["project"] else "default"


def _line(site: SiteFile, place: tuple[str | int, ...]) -> str:
    return f"site file, line {site.locations.line(place)} ({key_text(place)})"
