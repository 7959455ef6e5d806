"""From what is given for a setting or a spider argument to the value that is used."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from settings.canonical import canonical
from settings.errors import ConfigurationError
from settings.mistakes import checked
from settings.schema import SCHEMA, Schema, type_of
from settings.secrets import HIDDEN, is_secret
from settings.values import FLAGS, flag, json_of, listed, masked, number_of

_SHOWN: Final = 80
_HOST: Final = re.compile(r"[a-z0-9_-]+\.[a-z0-9._-]*\Z|\[[0-9a-f:.]+\]\Z")
_ONE_TEXT: Final = frozenset({"KEEP_SELECTORS", "DROP_SELECTORS", "NOTIFY_COMMAND"})
"""Lists of texts that may hold commas."""
ARGUMENTS: Final = {key: sets.setting for key, sets in SCHEMA.setters.items() if sets.argument}
"""Spider arguments that are settings too: the argument, and the setting."""


def acceptance(value: object) -> tuple[bool, tuple[str, ...]]:
    """Reads the argument ``accept``: True if the site is accepted however much of it is gone, and the hosts
    that it may have moved to. Raises ValueError.
    """
    parts = [part.strip() for part in str(value).split(",")]
    flags = [flag(part) for part in parts if part.lower() in FLAGS]
    return any(flags), tuple(_host(part) for part in parts if part.lower() not in FLAGS)


def _host(text: str) -> str:
    url = ""
    with contextlib.suppress(ValueError):
        url = canonical(f"http://{text}/")
    host = url.removeprefix("http://").removesuffix("/")
    # A word alone is a mistyped switch more often than a host.
    if not _HOST.match(host):
        raise ValueError("give 1, or a host such as example.org; one without a dot ends with one: intranet.")
    return host


def read_setting(setting: str, value: Any, schema: Schema) -> Any:
    """Returns the normal form of the ``value`` of a ``setting`` that the ``schema`` has, however it was
    given. Raises ValueError.
    """
    kind = type_of(schema.fields[setting].annotation)
    if kind is bool:
        return flag(value)
    if isinstance(value, str):
        value = _read(setting, kind, value)
    elif isinstance(value, tuple) and kind is list:
        value = list(value)
    elif isinstance(value, Mapping):
        value = dict(value)
    if kind is dict and value == {}:
        return {}
    if setting == "OVERRIDES" and isinstance(value, list):
        value = [_with_table(override) if isinstance(override, dict) else override for override in value]
    return checked(setting, value, schema)


def _read(setting: str, kind: type, value: str) -> object:
    """Reads the value of a setting from a text of the command line."""
    start = value.lstrip()[:1]
    if kind is dict or (kind is object and start == "{") or (kind is list and start == "["):
        return json_of(value)
    if kind is list:
        return ([value] if start else []) if setting in _ONE_TEXT else listed(value)
    return value if kind in (str, object) else number_of(value)


def _with_table(override: dict[str, Any]) -> dict[str, Any]:
    """An override in the form of a site file, whose bounds of revisits are a table."""
    bounds = {name: override[f"revisit_{name}"] for name in ("min", "max") if f"revisit_{name}" in override}
    others = {name: value for name, value in override.items() if not name.startswith("revisit_")}
    return {**others, "revisit": bounds} if bounds else others


def converted(name: str, value: object, convert: Callable[[object], Any], schema: Schema = SCHEMA) -> Any:
    """Returns what ``convert`` makes of the ``value`` of the setting or argument ``name``. Raises
    ConfigurationError where that raises ValueError; the ``schema`` knows what is secret.
    """
    try:
        return convert(value)
    except ValueError as error:
        text = HIDDEN if is_secret(name, schema) else masked(" ".join(str(value).split()))
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        raise ConfigurationError(f"{name}={text}: {error}") from error


def normal(setting: str, value: object, name: str | None = None, schema: Schema = SCHEMA) -> Any:
    """The ``value`` of a ``setting`` in its normal form, however it was given; as it is where the ``schema``
    does not know the setting. Raises ConfigurationError, which may call it by another ``name``.
    """
    if setting not in schema.fields:
        return value
    return converted(name or setting, value, partial(read_setting, setting, schema=schema), schema)
