"""What a crawl is to do: spider arguments, site file and settings, checked before anything is requested."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy.settings import default_settings
from w3lib.url import safe_url_string

from crawler.exceptions import ConfigurationError, UnknownName
from crawler.scope import canonical
from pagelets.content.model import ModelError, load
from pagelets.document import FIELDS
from pagelets.methods import METHODS
from pagelets.methods.judged import JUDGED
from pagelets.sketch import Scheme
from settings import site as site_files
from store.detection import Detector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

PROJECT: Final = Path(__file__).resolve().parent.parent
"""Relative places, such as DATA_DIR, are told from here, so that commands work in any folder."""

SITE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}\Z")


def site_name(name: str) -> str:
    """A site's name, checked: it is a folder's name, and may lead nowhere else.

    Raises ConfigurationError.
    """
    if not SITE_NAME.match(name) or ".." in name:
        raise ConfigurationError(
            f"site name {name!r}: use letters, digits, dots, hyphens and underscores, first a letter or digit"
        )
    return name


def data_dir(settings: BaseSettings) -> Path:
    """Where the stores are."""
    return PROJECT / str(settings.get("DATA_DIR", "data"))


def _whole(least: int, most: int = 1 << 31) -> Callable[[str, object], int]:
    def convert(name: str, value: object) -> int:
        try:
            number = int(str(value))
        except ValueError:
            number = least - 1
        if not least <= number <= most or isinstance(value, bool):
            raise ConfigurationError(f"{name}={value}: give a whole number from {least} to {most}")
        return number

    return convert


def _share(name: str, value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigurationError(f"{name}={value}: give a share of the pages from 0 to 1, such as 0.1")
    return number


def _one_of(kind: str, names: Mapping[str, object] | tuple[str, ...]) -> Callable[[str, object], str]:
    def convert(_: str, value: object) -> str:
        if value not in names:
            raise UnknownName(kind, str(value), names)
        return str(value)

    return convert


def _fields(_: str, value: object) -> list[str]:
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    fields = [str(part).strip() for part in parts if str(part).strip()]
    for name in fields:
        if name not in (*FIELDS, "pagelets"):
            raise UnknownName("field", name, (*FIELDS, "pagelets"))
    return fields


def _flag(name: str, value: object) -> bool:
    text = str(value).lower()
    if text not in ("1", "true", "yes", "0", "false", "no"):
        raise ConfigurationError(f"{name}={value}: give 1 or 0")
    return text in ("1", "true", "yes")


ARGUMENTS: Final[Mapping[str, tuple[str, Callable[[str, object], Any]]]] = {
    "max_pages": ("MAX_PAGES", _whole(0)),
    "k": ("PAGELET_K", _whole(1, 1000)),
    "detection": ("DETECTION", _one_of("detection", ("local", "global"))),
    "min_pages": ("TEMPLATE_MIN_PAGES", _whole(2)),
    "min_share": ("TEMPLATE_MIN_SHARE", _share),
    "method": ("METHOD", _one_of("method", METHODS)),
    "fields": ("DOCUMENT_FIELDS", _fields),
}
"""Spider arguments that are settings too: the setting, and what checks the value."""

CHECKED: Final[Mapping[str, Callable[[str, object], Any]]] = {
    **dict(ARGUMENTS.values()),
    "EXPLAIN_ENABLED": _flag,
    "PROGRESS_ENABLED": _flag,
    "SITEMAPS_ENABLED": _flag,
    "SKETCH_LINKS": _flag,
    "SKETCH_NUM_PERM": _whole(1, 256),
    "SKETCH_SHINGLE_SIZE": _whole(1, 64),
    "REPEATED_BLOCK_SHARE": _share,
    "BODY_MAX_SIZE": _whole(1024),
    "DUCKDB_THREADS": _whole(1, 1024),
    "DEPTH_LIMIT": _whole(0),
    "TRAP_MAX_SEGMENTS": _whole(1),
    "TRAP_MAX_REPEATS": _whole(1),
    "TRAP_MAX_PARAMETERS": _whole(0),
    "TRAP_MAX_QUERIES": _whole(1),
    "SITEMAPS_MAX_FILES": _whole(0),
}
"""Settings whose values are checked, however they were set."""

PAPER: Final = {"TEMPLATE_MIN_PAGES": 2, "TEMPLATE_MIN_SHARE": 0.0}
"""What ``method=paper`` means beside the judgement of blocks."""


@dataclass(slots=True, frozen=True)
class Plan:
    """A checked crawl: the site's name, where it starts, the settings that arguments and site file set."""

    site: str
    urls: list[str]
    paths: list[Path] = field(default_factory=list)
    base: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    site_settings: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False
    sample: int = 0

    def apply(self, settings: BaseSettings) -> None:
        """Sets the settings: those of the site file below, those of arguments as the command line's."""
        for name, value in self.site_settings.items():
            settings.set(name, value, priority="spider")
        for name, value in self.settings.items():
            settings.set(name, value, priority="cmdline")
        if settings["METHOD"] == "paper":
            for name, value in PAPER.items():
                if (settings.getpriority(name) or 0) <= settings_priority("project"):
                    settings.set(name, value, priority="project")


def settings_priority(name: str) -> int:
    """Scrapy's number for a priority's name."""
    from scrapy.settings import SETTINGS_PRIORITIES

    return SETTINGS_PRIORITIES[name]


def plan_site(arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
    """Checks a crawl of the spider ``site``. Raises ConfigurationError."""
    given = _known(arguments, ("url", "site"))
    name, from_file = given.get("site"), {}
    if name is not None:
        from_file = _site_file(site_name(name), required="url" not in given)
    urls = _urls(given.get("url") or from_file.pop("url", None))
    if not urls:
        raise ConfigurationError("no start URL: give -a url=https://example.org/ or -a site=NAME")
    from_file.pop("url", None)
    site = name or _host_name(urls[0])
    return _plan(site_name(site), given, from_file, settings, urls=urls)


def _host_name(url: str) -> str:
    """The host and port of a URL as the name of a site: in ASCII, an IPv6 address without its brackets."""
    return urlsplit(canonical(url)).netloc.replace("[", "ip6-").replace("]", "")


def plan_archive(arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
    """Checks a crawl of the spider ``archive``. Raises ConfigurationError."""
    given = _known(arguments, ("path", "base", "site"))
    paths = [Path(part.strip()) for part in given.get("path", "").split(",") if part.strip()]
    if not paths:
        raise ConfigurationError("no archive: give -a path=FILE.warc.gz or -a path=FOLDER")
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"{path}: no such file or folder; give -a path=FILE.warc.gz or a folder")
    base = given.get("base")
    if base is not None:
        base = _urls(base)[0]
    site = given.get("site") or re.sub(r"\.warc(\.gz)?\Z", "", paths[0].resolve().name)
    from_file = _site_file(site, required=False) if SITE_NAME.match(site) else {}
    from_file.pop("url", None)
    return _plan(site_name(site), given, from_file, settings, paths=paths, base=base)


def _known(arguments: Mapping[str, str], own: tuple[str, ...]) -> Mapping[str, str]:
    names = (*own, *ARGUMENTS, "fresh", "sample")
    for name in arguments:
        if name not in names:
            raise UnknownName("spider argument", name, names)
    return arguments


def _site_file(name: str, *, required: bool) -> dict[str, Any]:
    try:
        return site_files.load(name)
    except FileNotFoundError:
        if required:
            raise UnknownName("site", name, site_files.names()) from None
        return {}
    except site_files.SiteFileError as error:
        raise ConfigurationError(str(error)) from error


def _urls(value: object) -> list[str]:
    if value is None:
        return []
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    urls = []
    for part in parts:
        url = str(part).strip()
        if not url:
            continue
        try:
            split = urlsplit(safe_url_string(url))
            good = split.scheme in ("http", "https") and bool(split.hostname)
            _ = split.port
        except ValueError:
            good = False
        if not good:
            hint = "; a comma inside an address is written %2C" if len(parts) > 1 else ""
            raise ConfigurationError(f"url {url!r}: give a whole address, such as https://example.org/{hint}")
        if "@" in split.netloc:
            raise ConfigurationError(f"url {url!r}: a crawl knows no user names or passwords; leave them out")
        urls.append(url)
    return urls


def _plan(
    site: str,
    given: Mapping[str, str],
    from_file: dict[str, Any],
    settings: BaseSettings,
    **places: Any,
) -> Plan:
    site_settings = dict(from_file.pop("settings", {}))
    for name, value in from_file.items():
        setting, check = ARGUMENTS[name]
        site_settings[setting] = check(name, value)
    own = {setting: check(name, given[name]) for name, (setting, check) in ARGUMENTS.items() if name in given}
    _check_settings(settings)
    for setting in set(CHECKED) & set(site_settings):
        site_settings[setting] = CHECKED[setting](setting, site_settings[setting])
    fresh = _flag("fresh", given.get("fresh", "0"))
    sample = _whole(0)("sample", given.get("sample", "0"))
    ready(own.get("METHOD", site_settings.get("METHOD", settings["METHOD"])))
    if sample:
        own["MAX_PAGES"] = sample
    return Plan(
        site, settings=own, site_settings=site_settings, fresh=fresh, sample=sample, **{"urls": [], **places}
    )


def ready(method: str) -> None:
    """Checks that a method has what it needs. Raises ConfigurationError where its model is of no use."""
    if method == JUDGED:
        try:
            load()
        except ModelError as error:
            raise ConfigurationError(str(error)) from error


def _check_settings(settings: BaseSettings) -> None:
    """Checks our settings, and those of Scrapy's that are numbers or switches."""
    for setting, check in CHECKED.items():
        if setting in settings:
            check(
                setting, settings.getlist(setting) if setting == "DOCUMENT_FIELDS" else settings.get(setting)
            )
    readers: dict[type, tuple[Callable[[str], object], str]] = {
        bool: (settings.getbool, "1 or 0"),
        # A default of 0 says nothing about fractions: DOWNLOAD_DELAY takes them.
        int: (settings.getfloat, "a number"),
        float: (settings.getfloat, "a number"),
    }
    for setting, value in vars(default_settings).items():
        reader, wanted = readers.get(type(value), (None, ""))
        if reader is None or settings.get(setting) is None:
            continue
        try:
            reader(setting)
        except ValueError:
            raise ConfigurationError(f"{setting}={settings.get(setting)}: give {wanted}") from None


def scheme(settings: BaseSettings) -> Scheme:
    """The sketches' scheme that the settings ask for."""
    return Scheme(
        num_perm=settings.getint("SKETCH_NUM_PERM"),
        shingle_size=settings.getint("SKETCH_SHINGLE_SIZE"),
        links=settings.getbool("SKETCH_LINKS"),
    )


def detector_of(settings: BaseSettings) -> Detector:
    """The detection that the settings ask for."""
    return Detector(
        settings["DETECTION"],
        settings.getint("TEMPLATE_MIN_PAGES"),
        settings.getfloat("TEMPLATE_MIN_SHARE"),
        settings.getfloat("REPEATED_BLOCK_SHARE"),
        settings["DUCKDB_MEMORY_LIMIT"],
        settings.getint("DUCKDB_THREADS"),
        f"judged {load().name}" if settings["METHOD"] == JUDGED else settings["METHOD"],
    )
