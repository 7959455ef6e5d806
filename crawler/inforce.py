"""What is in force for a site, and where each value comes from."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crawler.plan import plan_of, settings_of, settings_priority
from settings import base
from settings.schema import KEY_OF
from settings.site import key_text

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from settings.site import Site

_SECRET: Final = re.compile(r"PASS|SECRET|TOKEN|CREDENTIAL|_KEY|API_?KEY|_DSN\Z|_WEBHOOK\Z|_USER\Z|AUTH\Z")
_HIDDEN: Final = "(hidden)"


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


def in_force(site: Site, settings: BaseSettings) -> list[InForce]:
    """Every key of a site file, then every other setting that the file, the command line or the project's
    own part of the settings sets. Raises ConfigurationError.
    """
    own = settings_of(plan_of(site, settings), settings)
    others = sorted(
        name
        for name in own
        if name not in KEY_OF and (name in site.settings or hasattr(base, name) or _asked(own, name))
    )
    urls = InForce("url", None, site.urls, _line(site, ("url",)) if site.urls else "nowhere")
    return [urls, *(_value(site, own, KEY_OF.get(name), name) for name in (*KEY_OF, *others))]


def _value(site: Site, settings: BaseSettings, key: str | None, name: str) -> InForce:
    return InForce(key, name, _without_secrets(name, settings.get(name)), _source(site, settings, name))


def _asked(settings: BaseSettings, name: str) -> bool:
    return (settings.getpriority(name) or 0) >= settings_priority("cmdline")


def _source(site: Site, settings: BaseSettings, name: str) -> str:
    priority = settings.getpriority(name) or 0
    if priority >= settings_priority("cmdline"):
        return "command line"
    if priority >= settings_priority("spider"):
        return _line(site, site.places[name])
    return "project" if priority >= settings_priority("project") else "default"


def _line(site: Site, place: tuple[str | int, ...]) -> str:
    return f"site file, line {site.locations.line(place)} ({key_text(place)})"


def _without_secrets(name: str, value: Any) -> Any:
    if name in ("REQUEST_HEADERS", "REQUEST_AUTH"):
        return {header: _origin(secret) for header, secret in value.items()}
    if value and _SECRET.search(name):
        return _origin(value)
    return _plain(value)


def _origin(secret: object) -> str:
    return f"from environment variable {secret['env']}" if isinstance(secret, dict) else _HIDDEN


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"://[^/@\s]*@", "://***@", value)
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if hasattr(value, "copy_to_dict"):
        return _plain(value.copy_to_dict())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
