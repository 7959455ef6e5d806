"""From what is given for a setting or a spider argument to the value that is used."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from settings.canonical import canonical
from settings.errors import ConfigurationError
from settings.mistakes import validated
from settings.schema import SCHEMA, SETTERS, Schema
from settings.secrets import HIDDEN, is_secret
from settings.site import key_text
from settings.values import duration, masked

if TYPE_CHECKING:
    from collections.abc import Callable


_SHOWN: Final = 80
_FLAGS: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_HOST: Final = re.compile(r"[a-z0-9_-]+\.[a-z0-9._-]*\Z|\[[0-9a-f:.]+\]\Z")
_ONE_TEXT: Final = frozenset({"KEEP_SELECTORS", "DROP_SELECTORS", "NOTIFY_COMMAND"})
"""Lists of texts that may hold commas."""


def _whole(least: int, most: int = 1 << 31) -> Callable[[object], int]:
    def convert(value: object) -> int:
        try:
            number = int(str(value))
        except ValueError:
            number = least - 1
        if not least <= number <= most or isinstance(value, bool):
            raise ValueError(f"give a whole number from {least} to {most}")
        return number

    return convert


def _share(value: object) -> float:
    number = _number(value)
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= 1:
        raise ValueError("give a number from 0 to 1")
    return float(number)


def _seconds(value: object) -> float:
    return duration(_number(value))


def flag(value: object) -> bool:
    """A switch, as settings and arguments have them. Raises ValueError."""
    text = str(value).lower()
    if text not in _FLAGS:
        raise ValueError("give 1 or 0")
    return _FLAGS[text]


def acceptance(value: object) -> tuple[bool, tuple[str, ...]]:
    """Reads the argument ``accept``: True if the site is accepted however much of it is gone, and the hosts
    that it may have moved to. Raises ValueError.
    """
    however, hosts = False, []
    for part in map(str.strip, str(value).split(",")):
        if part.lower() in _FLAGS:
            however = however or flag(part)
        else:
            hosts.append(_host(part))
    return however, tuple(hosts)


def _host(text: str) -> str:
    try:
        url = canonical(f"http://{text}/")
    except ValueError:
        url = ""
    host = url.removeprefix("http://").removesuffix("/")
    # A word alone is a mistyped switch more often than a host.
    if not _HOST.match(host):
        raise ValueError("give 1, or a host such as example.org; one without a dot ends with one: intranet.")
    return host


def _number(value: object) -> object:
    """The number that a text is, if it is one."""
    for kind in (int, float):
        try:
            return kind(value) if isinstance(value, str) else value
        except ValueError:
            continue
    return value


def _read(setting: str, kind: type, value: str) -> object:
    """Reads the value of a setting from a text of the command line."""
    if kind is str or (kind is object and not value.lstrip().startswith("{")):
        return value
    if kind is list:
        return _list(setting, value)
    return _json(value) if kind in (dict, object) else _number(value)


def _list(setting: str, value: str) -> object:
    if value.lstrip().startswith("["):
        return _json(value)
    if setting in _ONE_TEXT:
        return [value] if value.strip() else []
    return [part.strip() for part in value.split(",") if part.strip()]


def _json(value: str) -> object:
    try:
        return json.loads(value) if value.strip() else {}
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON ({error}); write it as JSON") from None


def _paths(value: object) -> dict[str, str]:
    """Import paths by name."""
    paths = _json(value) if isinstance(value, str) else value
    if not isinstance(paths, Mapping) or not all(
        isinstance(path, str) and "." in path for path in paths.values()
    ):
        raise ValueError('give names with import paths, such as {"mine": "mine.module.Name"}')
    return dict(paths)


def _by_key(setting: str, value: Any, schema: Schema) -> Any:
    """Checks a setting as the key of a site file that sets it."""
    kind = schema.type_of(setting)
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
    *tables, name = key = schema.key_of[setting].split(".")
    given = {name: _nested(value) if setting == "OVERRIDES" else value}
    for table in reversed(tables):
        given = {table: given}
    site, wrong = validated(given, None, schema)
    for place, mistake in wrong.items():
        within = place[len(key) :]
        raise ValueError(f"{key_text(within)}: {mistake}" if within else mistake.what)
    checked: Any = site.given()
    for part in key:
        checked = checked[part]
    return checked


def _nested(overrides: object) -> object:
    """Overrides in the form of a site file, whose bounds of revisits are a table."""
    if not isinstance(overrides, list):
        return overrides
    return [_with_table(override) if isinstance(override, dict) else override for override in overrides]


def _with_table(override: dict[str, Any]) -> dict[str, Any]:
    bounds = {name: override[f"revisit_{name}"] for name in ("min", "max") if f"revisit_{name}" in override}
    others = {name: value for name, value in override.items() if not name.startswith("revisit_")}
    return {**others, "revisit": bounds} if bounds else others


_OTHERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "BODY_MAX_SIZE": _whole(1024),
    "CRAWL_DELAY_MAX": _seconds,
    "DOCUMENTS_FILE": flag,
    "FIELD_FUNCTIONS": _paths,
    "METHOD_CLASSES": _paths,
    "PROGRESS_ENABLED": flag,
    "PUBLISH_TABLES": flag,
    "PUBLISH_TEXT": flag,
    "DETECTION_MEMORY": _whole(0, 1 << 20),
    "RELEASE_PROCESSES": _whole(0, 256),
    "RENDER_WAIT": _seconds,
    "SINK_BACKENDS": _paths,
    "SINK_TIMEOUT": _seconds,
    "SITEMAPS_ENABLED": flag,
    "TEMPLATE_LINKS_EVERY": _whole(1),
    "TEMPLATE_NEAR_DUPLICATES": flag,
    "TRAP_MAX_QUERIES": _whole(1),
}
"""What reads the settings of ours that no key of a site file sets."""


def converter(setting: str, schema: Schema = SCHEMA) -> Callable[[object], Any] | None:
    """Returns the function that reads a setting, and raises ValueError for a wrong value; None for a setting
    that is neither in the schema nor among `_OTHERS`.
    """
    return partial(_by_key, setting, schema=schema) if setting in schema.key_of else _OTHERS.get(setting)


def known_settings(schema: Schema = SCHEMA) -> list[str]:
    """The settings that have a converter."""
    return [*schema.key_of, *_OTHERS]


def converted(name: str, value: object, convert: Callable[[object], Any], schema: Schema = SCHEMA) -> Any:
    """Returns a value of a setting or an argument as it is used.

    Args:
        name: that of the setting or argument.
        value: what was given.
        convert: makes the value, or raises ValueError.
        schema: has the keys that set settings, and tells which are secret.

    Raises:
        ConfigurationError: the value is wrong.

    """
    try:
        return convert(value)
    except ValueError as error:
        text = HIDDEN if is_secret(name, schema) else masked(" ".join(str(value).split()))
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        raise ConfigurationError(f"{name}={text}: {error}") from error


def normal(setting: str, value: object, name: str | None = None, schema: Schema = SCHEMA) -> Any:
    """A setting in its normal form, however it was given; as it is where nothing is known of it.

    Args:
        setting: its name.
        value: what was given.
        name: another name by which an error calls it.
        schema: has the keys that set settings, and the methods and fields that there are.

    Raises:
        ConfigurationError: the value is wrong.

    """
    convert = converter(setting, schema)
    return value if convert is None else converted(name or setting, value, convert, schema)


ARGUMENTS: Final[Mapping[str, str]] = {
    name: SETTERS[name].setting
    for name in (
        "max_pages",
        "k",
        "partition",
        "detection",
        "min_pages",
        "min_share",
        "method",
        "fields",
        "bylines",
        "template_links",
    )
}
"""Spider arguments that are settings too: the argument, and the setting."""
