"""Settings as they are given, read and checked; and what they add: methods, fields of Documents, sinks."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from crawler.frontier.scope import ignored_parameters
from pagelets.installed import installed
from pagelets.methods.base import MethodError
from pagelets.patterns import Rules
from pagelets.reading.fields import Extraction, extraction_of
from pagelets.registry import OURS, Registry
from search.backends import BACKENDS, GROUP, backend_of, sink_names, sink_of
from settings import base
from settings.canonical import canonical
from settings.errors import REMOVED, ConfigurationError, Problem, WrongSetting, WrongSiteFile, removed
from settings.mistakes import checked, related
from settings.secrets import HIDDEN, is_secret
from settings.site import SiteFile
from settings.tables import DEFAULTS, SCHEMA, Schema, type_of
from settings.values import FLAGS, Place, flag, json_of, listed, masked, number_of

_SHOWN: Final = 80
_HOST: Final = re.compile(r"[a-z0-9_-]+\.[a-z0-9._-]*\Z|\[[0-9a-f:.]+\]\Z")
_ONE_TEXT: Final = frozenset({"KEEP_SELECTORS", "DROP_SELECTORS", "NOTIFY_COMMAND"})
"""Lists of texts that may hold commas."""
ARGUMENTS: Final = {key: sets.setting for key, sets in SCHEMA.setters.items() if sets.argument}
"""Spider arguments that are settings too: the argument, and the setting."""
OF_THE_PROJECT: Final = frozenset(
    {"COMMANDS_MODULE", "DATA_DIR", "FIELD_FUNCTIONS", "METHOD_CLASSES", "SITES_DIR", "SPIDER_MODULES"}
)
"""Settings that are asked for where no site is known yet."""
_SCRAPY: Final[Mapping[type, tuple[Callable[..., Any], str]]] = {
    bool: (BaseSettings.getbool, "give 1 or 0"),
    int: (BaseSettings.getint, "give a whole number"),
    float: (BaseSettings.getfloat, "give a number"),
    list: (BaseSettings.getlist, "give a list"),
    dict: (BaseSettings.getdict, "give a table"),
}
"""How a setting of Scrapy's is read, by the type of its default, and the mend of what cannot be."""
_KINDS: Final[Mapping[str, type]] = {
    "DNS_TIMEOUT": float,
    "DOWNLOAD_DELAY": float,
    "DOWNLOAD_TIMEOUT": float,
    "TELNETCONSOLE_ENABLED": bool,
}
"""The types of settings of Scrapy's whose defaults are whole numbers."""
_LEAST: Final[Mapping[str, float]] = {
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": 1,
    "DEPTH_PRIORITY": -math.inf,
    "FEED_EXPORT_INDENT": -math.inf,
    "REACTOR_THREADPOOL_MAXSIZE": 1,
    "REDIRECT_PRIORITY_ADJUST": -math.inf,
    "RETRY_PRIORITY_ADJUST": -math.inf,
}
"""The least that numbers of Scrapy's may be, if not 0."""
_KNOWN: Final = frozenset(filter(str.isupper, [*vars(default_settings), *vars(base)]))


def acceptance(value: object) -> tuple[bool, tuple[str, ...]]:
    """Reads ``accept``: True if any loss is accepted, and the hosts that are. Raises ValueError."""
    parts = [part.strip() for part in str(value).split(",")]
    flags = [flag(part) for part in parts if part.lower() in FLAGS]
    return any(flags), tuple(_host(part) for part in parts if part.lower() not in FLAGS)


def _host(text: str) -> str:
    url = ""
    with contextlib.suppress(ValueError):
        url = canonical(f"http://{text}/")
    host = url.removeprefix("http://").removesuffix("/") + "." * text.endswith(".")
    # A word alone is a mistyped switch more often than a host.
    if not _HOST.match(host):
        raise ValueError("give 1, or a host such as example.org; one without a dot ends with one: intranet.")
    return host


def read_setting(setting: str, value: Any, schema: Schema) -> Any:
    """Returns the ``setting`` ``value`` in its normal form by the ``schema``. Raises ValueError."""
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
    """Returns ``convert(value)``; a ConfigurationError has the ``name``, and no secret of the ``schema``."""
    try:
        return convert(value)
    except ValueError as error:
        text = HIDDEN if is_secret(name, schema) else masked(" ".join(str(value).split()))
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        raise ConfigurationError(f"{name}={text}: {error}") from error


def text_encoding(value: object) -> str:
    """Returns the name of an encoding of texts. Raises ValueError."""
    try:
        "".encode(name := str(value))
    except (LookupError, ValueError) as error:
        raise ValueError("cannot encode text; give utf-8, or leave it out") from error
    return name


def normal(setting: str, value: object, name: str | None = None, schema: Schema = SCHEMA) -> Any:
    """Returns a ``setting`` ``value`` of the ``schema`` in normal form; an error has the ``name``."""
    return converted(name or setting, value, partial(read_setting, setting, schema=schema), schema)


def registry_of(settings: BaseSettings) -> Registry:
    """Returns our methods and fields and those that settings add. Raises ConfigurationError."""
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


def is_asked(setting: str, settings: BaseSettings) -> bool:
    """Returns True if the command line sets a ``setting``."""
    return (settings.getpriority(setting) or 0) >= SETTINGS_PRIORITIES["cmdline"]


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
    extract = normal("EXTRACT", settings.get("EXTRACT") or {})
    return extraction_of(extract, overrides if isinstance(overrides, list) else ())


def schema_of(settings: BaseSettings) -> Schema:
    """Returns the keys of site files for these settings: ours, and those of the sinks that they add, of
    installed packages too, with the methods and fields that there are. Raises ConfigurationError.
    """
    registry = registry_of(settings)
    added = list(normal("SINK_BACKENDS", settings.get("SINK_BACKENDS") or {}))
    added += [name for name in sink_names(settings) if name not in BACKENDS and name in installed(GROUP)]
    tables = {name: table for name in added if (table := backend_of(name, settings).table) is not None}
    try:
        return Schema(registry, tables)
    except ValueError as error:
        raise ConfigurationError(f"SINK_BACKENDS: {error}") from error


def check_settings(settings: BaseSettings) -> dict[str, Any]:
    """Checks our settings, and those of Scrapy's that are no texts; returns those that are not in
    their normal form, such as the texts of the command line, in it. Raises ConfigurationError.
    """
    for kind, name in REMOVED:
        if kind == "setting" and settings.get(name) is not None:
            raise ConfigurationError(f"{name} {removed('setting', name)}")
    schema = schema_of(settings)
    for name in settings:
        if is_asked(name, settings) and (mend := _misspelt(name)):
            raise ConfigurationError(f"{name}: {mend}")
    read: dict[str, Any] = {}
    for name in schema.fields:
        value = settings.get(name)
        if value is not None and value != DEFAULTS.get(name):
            normalized = normal(name, value, schema=schema)
            if normalized != value:
                read[name] = normalized
    for name in vars(default_settings):
        # The defaults themselves, of priority 0, are right.
        is_given = name not in schema.fields and settings.getpriority(name)
        if is_given and (mend := _scrapy_mend(name, settings)):
            raise ConfigurationError(f"{name}={settings.get(name)}: {mend}")
    return read


def _scrapy_mend(name: str, settings: BaseSettings) -> str | None:
    """The mend for a setting of Scrapy's that is no number, switch, list or table as its default is."""
    default = getattr(default_settings, name)
    read, mend = _SCRAPY.get(_KINDS.get(name, type(default)), (None, None))
    if read is None or settings.get(name) is None:
        return None
    try:
        given = read(settings, name)
        if isinstance(default, list) and default and isinstance(default[0], int):
            mend = "give numbers, parted by commas"
            for number in given:
                int(number)
        least = _LEAST.get(name, 0)
        if isinstance(given, int | float) and given < least:
            return f"is too small; give at least {least}"
    except (OverflowError, TypeError, ValueError):
        return mend
    return None


def setting_problem(name: str, value: object, schema: Schema = SCHEMA) -> str | None:
    """Returns the mistake in the ``value`` of ``name`` in a site file, by the ``schema``, or None."""
    if name in OF_THE_PROJECT:
        return "is a setting of the whole project; set it in settings/base.py, or with -s"
    if name in schema.fields:
        try:
            read_setting(name, value, schema)
        except ValueError as error:
            return str(error)
        return None
    if hasattr(default_settings, name):
        return _scrapy_mend(name, BaseSettings({name: value}))
    return _misspelt(name)


def _misspelt(name: str) -> str | None:
    """Returns the mistake in a name like that of a setting, but misspelt; others may be an extension's."""
    near = get_close_matches(name.upper(), _KNOWN, 1, 0.85) if name not in _KNOWN else []
    return f"unknown setting; did you mean {near[0]!r}?" if near else None


def check_together(name: str, urls: Iterable[str], site: SiteFile | None, settings: BaseSettings) -> None:
    """Raises ConfigurationError for ``settings`` of a ``site``, its ``name`` and ``urls`` that do not fit."""
    messages = placed(_mistakes(name, urls, site, settings), site, settings)
    if problems := [message for message in messages if isinstance(message, Problem)]:
        raise WrongSiteFile(problems)
    if messages:
        raise ConfigurationError(str(messages[0]))


def placed(
    mistakes: Iterable[WrongSetting], site: SiteFile | None, settings: BaseSettings
) -> list[Problem | str]:
    """Returns the ``mistakes`` in ``settings`` as texts, with file and line where the ``site`` sets them."""
    messages: list[Problem | str] = []
    for wrong in mistakes:
        place = None if site is None else site.places.get(wrong.setting)
        if site and place and settings.getpriority(wrong.setting) == SETTINGS_PRIORITIES["spider"]:
            messages.append(site.problem(wrong.what, *place, *wrong.within))
        else:
            messages.append(str(wrong))
    return messages


def _mistakes(
    name: str, urls: Iterable[str], site: SiteFile | None, settings: BaseSettings
) -> Iterator[WrongSetting]:
    yield from related(dict(settings))
    # A rule that denies a start URL would leave the crawl nothing to start from.
    rules = Rules.of(settings.getlist("SCOPE_RULES"))
    ignored = ignored_parameters(settings)
    for url in urls:
        if (rule := rules.denying(canonical(url, ignored))) is not None:
            what = f"{rule} denies the start URL {url}; write a rule before it that allows it"
            yield WrongSetting("SCOPE_RULES", what, rules.rules.index(rule))
    yield from _no_sinks(name, {} if site is None else site.settings, settings)
    # Monitors of our own were removed.
    there = any("spidermon" in str(path).lower() for path in settings.getdict("EXTENSIONS"))
    if str(settings.get("SPIDERMON_ENABLED", 0)).lower() not in ("0", "false") and not there:
        what = "needs Spidermon's own extension in EXTENSIONS; docs/monitoring.md says how"
        yield WrongSetting("SPIDERMON_ENABLED", what)
    yield from _not_ready(settings)


def _no_sinks(name: str, in_file: Mapping[str, Any], settings: BaseSettings) -> Iterator[WrongSetting]:
    """Search indexes that the crawl could not feed, whatever it finds."""
    for place, sink in enumerate(settings.getlist("SINKS")):
        try:
            sink_of(sink, name, settings)
        except ConfigurationError as error:
            if not isinstance(error, WrongSetting) or (error.setting not in in_file and "SINKS" in in_file):
                error = WrongSetting("SINKS", str(error), place)
            yield error


def _not_ready(settings: BaseSettings) -> Iterator[WrongSetting]:
    """Methods that lack what they need, as a model or a package, of the site and of overrides."""
    named: list[tuple[str, Place, str]] = [("METHOD", (), settings["METHOD"])]
    for number, override in enumerate(settings.getlist("OVERRIDES")):
        if "method" in override:
            named.append(("OVERRIDES", (number, "method"), override["method"]))
    registry = registry_of(settings)
    for setting, within, name in named:
        try:
            registry.factory(name)().check()
        except MethodError as error:
            yield WrongSetting(setting, f"{name} is not ready: {error}", *within)
