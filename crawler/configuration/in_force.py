"""The values in force for a site, and their origins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.configuration.extensions import schema_of
from crawler.configuration.plan import plan_of, settings_of
from settings import base
from settings.mistakes import key_text
from settings.secrets import without_secrets

if TYPE_CHECKING:
    from settings.locate import Place
    from settings.site import SiteFile

_ASKED: Final = SETTINGS_PRIORITIES["cmdline"]


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
        text = isinstance(self.value, str)
        return self.value if text else json.dumps(self.value, ensure_ascii=False, default=str)


def in_force(site: SiteFile, settings: BaseSettings) -> list[InForce]:
    """Every key of a site file, then every other setting that the file, the command line or the project's
    own part of the settings sets. Raises ConfigurationError.
    """
    planned = settings_of(plan_of(site, settings), settings)
    schema = schema_of(planned)
    others = sorted(
        name
        for name in planned.keys() - schema.key_of.keys()
        if name in site.settings or hasattr(base, name) or (planned.getpriority(name) or 0) >= _ASKED
    )
    return [
        InForce("url", None, site.urls, _line(site, ("url",)) if site.urls else "nowhere"),
        *(
            InForce(
                schema.key_of.get(name),
                name,
                without_secrets(name, planned.get(name), schema),
                _source(site, planned, name),
            )
            for name in (*schema.key_of, *others)
        ),
    ]


def _source(site: SiteFile, settings: BaseSettings, name: str) -> str:
    priority = settings.getpriority(name) or 0
    if priority >= _ASKED:
        return "command line"
    if priority >= SETTINGS_PRIORITIES["spider"]:
        return _line(site, site.places[name])
    return "project" if priority >= SETTINGS_PRIORITIES["project"] else "default"


def _line(site: SiteFile, place: Place) -> str:
    return f"site file, line {site.locations.line(place)} ({key_text(place)})"
