"""The CSS selectors of a site: those that the settings ask for, and those that a store was made with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pagelets.overrides import Selectors, WrongSelector
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def selectors_of(settings: BaseSettings) -> Selectors:
    """Returns the selectors of ``KEEP_SELECTORS``, ``DROP_SELECTORS`` and ``OVERRIDES``.

    A text, as the command line gives it, is a JSON list or one selector: commas part no settings here, as
    selectors have them too. Raises ConfigurationError.
    """
    keep, drop = (_listed(name, settings[name]) for name in ("KEEP_SELECTORS", "DROP_SELECTORS"))
    try:
        return Selectors.with_overrides(keep, drop, settings.getlist("OVERRIDES"))
    except WrongSelector as error:
        raise ConfigurationError(f"KEEP_SELECTORS, DROP_SELECTORS, OVERRIDES: {error}") from error


def _listed(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = [value] if str(value).strip() else []
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(selector, str) for selector in value):
        raise ConfigurationError(f"{name}={value!r}: give a list of CSS selectors")
    return tuple(value)
