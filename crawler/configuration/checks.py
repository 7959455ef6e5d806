"""Checks the values of settings and of spider arguments, however they were given."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import Settings, default_settings

from crawler.frontier.scope import canonical
from settings import base
from settings.errors import ConfigurationError
from settings.mistakes import validated
from settings.removed import removed, removed_settings
from settings.schema import KEY_OF, SETTERS, type_of
from settings.secrets import HIDDEN, is_secret
from settings.site import key_text
from settings.values import duration, masked

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import BaseSettings

_SHOWN: Final = 80
_FLAGS: Final = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_HOST: Final = re.compile(r"[a-z0-9_-]+\.[a-z0-9._-]*\Z|\[[0-9a-f:.]+\]\Z")
_ONE_TEXT: Final = frozenset({"KEEP_SELECTORS", "DROP_SELECTORS", "NOTIFY_COMMAND"})
"""Lists of texts that may hold commas."""
OF_THE_PROJECT: Final = frozenset({"DATA_DIR", "SITES_DIR", "SPIDER_MODULES", "COMMANDS_MODULE"})
"""Settings that are asked for where no site is known yet."""
_KNOWN: Final = frozenset(filter(str.isupper, [*vars(default_settings), *vars(base)]))


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
    """What the argument ``accept`` says: whether the site is taken however much of it is gone, and the hosts
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
    """What a text of the command line stands for, where a setting is no text."""
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


def _by_key(setting: str, value: Any) -> Any:
    """Checks a setting as the key of a site file that sets it."""
    kind = type_of(setting)
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
    *tables, name = key = KEY_OF[setting].split(".")
    given = {name: _nested(value) if setting == "OVERRIDES" else value}
    for table in reversed(tables):
        given = {table: given}
    site, wrong = validated(given, None)
    for place, said in wrong.items():
        within = place[len(key) :]
        raise ValueError(f"{key_text(within)}: {said}" if within else said.what)
    found: Any = site.given()
    for part in key:
        found = found[part]
    return found


def _nested(overrides: object) -> object:
    """Overrides in the form of a site file, whose bounds of revisits are a table."""
    if not isinstance(overrides, list):
        return overrides
    return [_with_table(one) if isinstance(one, dict) else one for one in overrides]


def _with_table(override: dict[str, Any]) -> dict[str, Any]:
    bounds = {name: override[f"revisit_{name}"] for name in ("min", "max") if f"revisit_{name}" in override}
    others = {name: value for name, value in override.items() if not name.startswith("revisit_")}
    return {**others, "revisit": bounds} if bounds else others


_CONVERTERS: Final[Mapping[str, Callable[[object], Any]]] = {
    **{setting: partial(_by_key, setting) for setting in KEY_OF},
    "BODY_MAX_SIZE": _whole(1024),
    "CRAWL_DELAY_MAX": _seconds,
    "DUCKDB_THREADS": _whole(1, 1024),
    "PROGRESS_ENABLED": flag,
    "PUBLISH_TEXT": flag,
    "RELEASE_PROCESSES": _whole(0, 256),
    "RENDER_WAIT": _seconds,
    "RUN_LOGS_KEPT": _whole(1, 100_000),
    "SINK_BATCH_BYTES": _whole(1024),
    "SINK_BATCH_DOCUMENTS": _whole(1, 100_000),
    "SINK_TIMEOUT": _seconds,
    "SITEMAPS_ENABLED": flag,
    "SITEMAPS_MAX_FILES": _whole(0),
    "SKETCH_LINKS": flag,
    "SKETCH_NUM_PERM": _whole(1, 256),
    "SKETCH_SHINGLE_SIZE": _whole(1, 64),
    "TRAP_MAX_PARAMETERS": _whole(0),
    "TRAP_MAX_QUERIES": _whole(1),
    "TRAP_MAX_REPEATS": _whole(1),
    "TRAP_MAX_SEGMENTS": _whole(1),
    "VALIDATORS_TRUSTED_FOR": _seconds,
}


def converted(name: str, value: object, convert: Callable[[object], Any]) -> Any:
    """A value of a setting or an argument as it is used. Raises ConfigurationError."""
    try:
        return convert(value)
    except ValueError as error:
        text = HIDDEN if is_secret(name) else masked(" ".join(str(value).split()))
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        raise ConfigurationError(f"{name}={text}: {error}") from error


CHECKED: Final[Mapping[str, Callable[[str, object], Any]]] = {
    setting: partial(converted, convert=convert) for setting, convert in _CONVERTERS.items()
}
"""Settings whose values are checked, however they were set. Takes the name for an error, and the value."""

ARGUMENTS: Final[Mapping[str, tuple[str, Callable[[str, object], Any]]]] = {
    name: (SETTERS[name].setting, CHECKED[SETTERS[name].setting])
    for name in ("max_pages", "k", "detection", "min_pages", "min_share", "method", "fields")
}
"""Spider arguments that are settings too: the setting, and what checks the value."""


def check_settings(settings: BaseSettings) -> dict[str, Any]:
    """Checks our settings, and those of Scrapy's that are numbers or switches; returns those that are not in
    their normal form, such as the texts of the command line, in it. Raises ConfigurationError.
    """
    for name in removed_settings():
        if settings.get(name) is not None:
            raise ConfigurationError(f"{name} {removed('setting', name)}")
    read = {}
    for name, check in CHECKED.items():
        value = settings.get(name)
        if value is None:
            continue
        found = check(name, value)
        if found != value:
            read[name] = found
    for name in vars(default_settings):
        wanted = _wanted(name, settings) if name not in CHECKED else None
        if wanted is not None:
            raise ConfigurationError(f"{name}={settings.get(name)}: {wanted}")
    return read


def _wanted(name: str, settings: BaseSettings) -> str | None:
    """The mend for a setting of Scrapy's that is no number or switch where its default is one."""
    readers: dict[type, tuple[Callable[[str], object], str]] = {
        bool: (settings.getbool, "1 or 0"),
        # A default of 0 says nothing about fractions.
        int: (settings.getfloat, "a number"),
        float: (settings.getfloat, "a number"),
    }
    reader, wanted = readers.get(type(getattr(default_settings, name)), (None, ""))
    if reader is None or settings.get(name) is None:
        return None
    try:
        reader(name)
    except (OverflowError, TypeError, ValueError):
        return f"give {wanted}"
    return None


def setting_problem(name: str, value: object) -> str | None:
    """What is wrong with a setting of a site file, and the mend; None where nothing is."""
    if name in OF_THE_PROJECT:
        return "is a setting of the whole project; set it in settings/base.py, or with -s"
    if name in _CONVERTERS:
        try:
            _CONVERTERS[name](value)
        except ValueError as error:
            return str(error)
        return None
    if hasattr(default_settings, name):
        return _wanted(name, Settings({name: value}))
    near = get_close_matches(name, _KNOWN - {name}, 1, 0.85) if name not in _KNOWN else []
    return f"unknown setting; did you mean {near[0]!r}?" if near else None
