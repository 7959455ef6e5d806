"""The plan of a crawl: spider arguments, site file and settings, checked before anything is requested."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, SettingsAttribute

from crawler.configuration import checks, components
from crawler.frontier.scope import domain_of
from pagelets.judging.by_url import BOUNDS, KINDS, OWN, VALUES
from settings import base, values
from settings.canonical import canonical
from settings.errors import ConfigurationError, Problem, UnknownName, WrongSetting, WrongSiteFile
from settings.places import site_path, sites_dir
from settings.secrets import without_secrets
from settings.site import SITE_NAME, SITE_NAME_MEND, SiteFile, check_folder, load, names
from settings.tables import LIVE, SCHEMA
from settings.types import Options
from settings.values import flag, key_text

_OF_SCRAPYD: Final = ("_job", "_version")
"""Arguments by which Scrapyd says which of its jobs a crawl is, and of which egg."""
_SELECTED: Final = {"KEEP_SELECTORS", "DROP_SELECTORS", "EXTRACT", "PINNED_TEMPLATES", "REJECTED_TEMPLATES"}
_CORRECTIONS: Final = frozenset({"TAUGHT", *map(str.upper, KINDS), *_SELECTED})
"""Settings that commands and the inspector write to site files."""


def site_name(name: str) -> str:
    """A site's name, checked: it is a folder's, and leads nowhere else. Raises ConfigurationError."""
    if not SITE_NAME.match(name):
        raise ConfigurationError(f"site name {name!r}: {SITE_NAME_MEND}")
    return name


@dataclass(slots=True, frozen=True)
class Plan:
    """A checked crawl: the site's name, where it starts, the settings that arguments and site file set.

    ``read`` are settings that were given in another form than their normal one, such as the command line's
    texts, in that form. ``named`` are the start URLs of the site file, whatever the crawl starts from.
    ``accept`` tells that the site is taken however much of it is gone, ``hosts`` where the user accepts that
    it has moved, ``partial`` that an archive is a part of the site.
    """

    site: str
    urls: list[str] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    base: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    site_settings: dict[str, Any] = field(default_factory=dict)
    read: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False
    sample: int = 0
    accept: bool = False
    hosts: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    partial: bool = False

    @property
    def domains(self) -> set[str]:
        """The registrable domains of the hosts that the user accepts."""
        return {domain_of(f"http://{host}/") for host in self.hosts}

    def apply(self, settings: BaseSettings) -> None:
        """Sets the settings: those of the site file below, those of arguments as the command line's."""
        set_read(settings, self.read)
        settings.update(self.site_settings, priority="spider")
        settings.update(self.settings, priority="cmdline")
        if self.sample and not checks.is_asked("FEEDS", settings):
            # Those of the site hold what its store has sent.
            settings.set("FEEDS", {}, priority="spider")
        leave_to_command_line(settings)
        checks.set_presets(settings)


def plan_site(arguments: Mapping[str, str], settings: BaseSettings, extra: Collection[str] = ()) -> Plan:
    """Checks ``arguments`` of ``site``, but ``extra`` ones, by ``settings``. Raises ConfigurationError."""
    given = _known(arguments, ("url", "site", *extra))
    urls = _urls(given["url"]) if "url" in given else []
    if not urls and "site" not in given:
        raise ConfigurationError("no start URL: give -a url=https://example.org/ or -a site=NAME")
    # Without another name it is the host and port: in ASCII, an IPv6 address without its brackets.
    host = urlsplit(canonical(urls[0])).netloc.replace("[", "ip6-").replace("]", "") if urls else ""
    name, site = given.get("site", host), None
    if "site" in given or site_path(name, settings).exists():
        site = site_file(name, settings, required=not urls)
    # Else the command line has to name it.
    site = site if site is None or "site" in given or holds_corrections(site) else None
    if site is not None and not urls and not site.urls:
        raise WrongSiteFile([no_urls(site)])
    return _plan(name, given, site, settings, urls=urls or (site.urls if site else []))


def plan_archive(arguments: Mapping[str, str], settings: BaseSettings, extra: Collection[str] = ()) -> Plan:
    """Checks ``arguments`` of ``archive``, but ``extra`` ones, by ``settings``. Raises ConfigurationError."""
    given = _known(arguments, ("path", "base", "site", "partial", *extra))
    paths = [Path(part) for part in values.listed(given.get("path", ""))]
    if not paths:
        raise ConfigurationError("no archive: give -a path=FILE.warc.gz or -a path=FOLDER")
    if missing := [path for path in paths if not path.exists()]:
        what = "no such file or folder; give -a path=FILE.warc.gz or a folder"
        raise ConfigurationError(f"{missing[0]}: {what}")
    base = _urls(given["base"])[0] if "base" in given else None
    of_path = re.sub(r"\.warc(\.gz)?\Z", "", paths[0].resolve().name)
    if not (given.get("site") or SITE_NAME.match(of_path)):
        raise ConfigurationError(f"{paths[0]}: its name is no site's; give one with -a site=NAME")
    name = site_name(given.get("site") or of_path)
    site = site_file(name, settings, required=False, live=False)
    partial = checks.converted("partial", given.get("partial", "0"), flag)
    plan = _plan(name, given, site, settings, paths=paths, base=base, partial=partial)
    if plan.partial and plan.fresh:
        raise ConfigurationError("partial=1, fresh=1: a fresh store has this archive alone; give one of them")
    return plan


def _known(arguments: Mapping[str, str], extra: Collection[str]) -> Mapping[str, str]:
    known = (*extra, *checks.ARGUMENTS, "fresh", "sample", "accept")
    if unknown := [name for name in arguments if name not in (*known, *_OF_SCRAPYD)]:
        raise UnknownName("spider argument", unknown[0], known)
    return arguments


def site_file(name: str, settings: BaseSettings, *, required: bool, live: bool = True) -> SiteFile | None:
    """The file of the site ``name`` by ``settings``; None if it is missing and not ``required``. If ``live``,
    the environment variables that it names have to be set. Raises ConfigurationError.
    """
    folder = sites_dir(settings)
    try:
        return _loaded(folder / f"{site_name(name)}.toml", settings, live=live)
    except FileNotFoundError:
        if required:
            check_folder(folder)
        known = names(folder)
        if required or name.casefold() in map(str.casefold, known):
            raise UnknownName("site", name, known) from None
        return None


def _loaded(path: Path, settings: BaseSettings, *, live: bool = True) -> SiteFile:
    schema = checks.schema_of(settings)
    check = partial(checks.setting_problem, schema=schema)
    return load(path, environ=os.environ if live else None, check=check, schema=schema)


def _urls(value: str) -> list[str]:
    parts = values.listed(value)
    hint = "; a comma inside an address is written %2C" if len(parts) > 1 else ""
    for part in parts:
        try:
            values.url(part)
        except ValueError as error:
            raise ConfigurationError(f"url {values.shown(part)}: {error}{hint}") from None
    return parts


def _plan(
    name: str, given: Mapping[str, str], site: SiteFile | None, settings: BaseSettings, **places: Any
) -> Plan:
    # An archive has paths.
    in_crawl = with_file(site, settings, live="paths" not in places)
    with named_in_file(site, in_crawl):
        read, schema = checks.check_settings(in_crawl), checks.schema_of(in_crawl)
    of_file, spider = ({} if site is None else site.settings), SETTINGS_PRIORITIES["spider"]
    from_arguments = {
        setting: checks.normal(setting, given[argument], argument, schema)
        for argument, setting in checks.ARGUMENTS.items()
        if argument in given
    }
    accept, hosts = checks.converted("accept", given.get("accept", "0"), checks.acceptance)
    sample = checks.normal("MAX_PAGES", given.get("sample", "0"), "sample")
    if sample:
        from_arguments["MAX_PAGES"] = sample
    elif "sample" in given:
        # No limit, as of MAX_PAGES, would be a whole crawl into the store that is kept.
        raise ConfigurationError(f"sample={given['sample']}: is too small; give at least 1")
    plan = Plan(
        site_name(name),
        settings=from_arguments,
        site_settings={
            setting: read.pop(setting, in_crawl[setting])
            for setting in of_file
            if in_crawl.getpriority(setting) == spider
        },
        read=read,
        # A sample has a store of its own, which never takes the place of the site's.
        fresh=checks.converted("fresh", given.get("fresh", "0"), flag) and not sample,
        sample=sample,
        accept=accept,
        hosts=hosts,
        named=() if site is None else tuple(site.urls),
        **places,
    )
    checks.check_together(plan.site, plan.urls, site, settings_of(plan, settings))
    return plan


def check_file(path: Path, settings: BaseSettings) -> list[Problem]:
    """Returns all that is wrong in a site file for crawls with these settings, and if it has no URL."""
    try:
        site, of_crawl = checked_file(path, settings)
        with named_in_file(site, of_crawl):
            components.check_early(of_crawl)
            components.check(of_crawl, crawls=False)
    except WrongSiteFile as error:
        return error.problems
    except ConfigurationError as error:
        return [Problem(path, 1, "", str(error))]
    return [] if site.urls or site.for_archive or holds_corrections(site) else [no_urls(site)]


def holds_corrections(site: SiteFile) -> bool:
    """Returns True if a site file holds what commands and the inspector write, and nothing else: they make
    one for a site that is crawled without.
    """
    return not site.urls and site.settings.keys() <= _CORRECTIONS


def no_urls(site: SiteFile) -> Problem:
    """Returns the mistake of a site file without a start URL."""
    message = (
        "is empty, as for crawls of an archive alone; give the start URLs, or leave out the schedule"
        if site.for_archive
        else "is missing; give the start URLs, or url = [] in a file for crawls of an archive"
    )
    return Problem(site.path, 1, "url", message)


def checked_file(path: Path, settings: BaseSettings) -> tuple[SiteFile, BaseSettings]:
    """Returns a site file and the settings of its crawl, with these beside it. Raises WrongSiteFile."""
    try:
        site = _loaded(path, settings)
        return site, planned(site, settings)
    except WrongSiteFile:
        raise
    except (FileNotFoundError, ConfigurationError) as error:
        gone = "is a link that leads nowhere, or was removed just now; see that it is there"
        message = gone if isinstance(error, FileNotFoundError) else str(error)
        raise WrongSiteFile([Problem(path, 1, "", message)]) from error


def planned(site: SiteFile, settings: BaseSettings) -> BaseSettings:
    """Returns the settings of a crawl of a site file, checked. Raises ConfigurationError."""
    return settings_of(_plan(site.path.stem, {}, site, settings, urls=site.urls), settings)


def settings_of(plan: Plan, settings: BaseSettings) -> BaseSettings:
    """The settings as a plan will have set them; those that are given stay as they are."""
    plan_settings = copied(settings)
    plan.apply(plan_settings)
    return plan_settings


def leave_to_command_line(settings: BaseSettings) -> None:
    """Takes out of the overrides by URL what the command line sets for all pages."""
    if checks.is_asked("OVERRIDES", settings):
        return
    of_keys = {key: SCHEMA.setters[key.replace("_", ".")].setting for key in VALUES if key != "extract"}
    given = {key for key, setting in of_keys.items() if checks.is_asked(setting, settings)}
    if not given.isdisjoint(BOUNDS):
        given.update(BOUNDS)
    if given:
        overrides = [
            {key: value for key, value in override.items() if key not in given}
            for override in settings.getlist("OVERRIDES")
            if not override.keys() <= {*OWN, *given}
        ]
        settings.set("OVERRIDES", overrides, priority=settings.getpriority("OVERRIDES") or 0)


def set_read(settings: BaseSettings, read: Mapping[str, Any]) -> None:
    """Sets settings to the values that were ``read`` by `check_settings`, each with its own priority."""
    for name, value in read.items():
        settings.set(name, value, priority=settings.getpriority(name) or 0)


def with_file(site: SiteFile | None, settings: BaseSettings, *, live: bool = True) -> BaseSettings:
    """Returns the ``settings`` with those of a ``site``'s file, if it has one; of a table of options that the
    project has too, each option counts by itself. Not ``live``, without those about the network.
    """
    file_settings = copied(settings)
    # Those of a crawl that runs are frozen, and a copy would be.
    file_settings.frozen = False
    for name, value in ({} if site is None else site.settings).items():
        given = settings.get(name)
        together = {**given, **value} if isinstance(value, Options) and isinstance(given, dict) else value
        if live or name not in LIVE:
            file_settings.set(name, together, priority="spider")
    return file_settings


def copied(settings: BaseSettings) -> BaseSettings:
    """Settings that can be set without changing those that are given. The values are the same objects: a deep
    copy takes as long as everything else that is checked before a crawl.
    """
    settings_copy = copy.copy(settings)
    settings_copy.attributes = attributes = {}
    for name, attribute in settings.attributes.items():
        # `copy.copy` takes five times as long, for some hundred of them.
        attributes[name] = attribute_copy = SettingsAttribute.__new__(SettingsAttribute)
        attribute_copy.value, attribute_copy.priority = attribute.value, attribute.priority
    return settings_copy


def told(mistakes: Iterable[WrongSetting], name: str, settings: BaseSettings) -> list[str]:
    """Returns a line for each of the ``mistakes`` in ``settings``, placed in the file of site ``name``."""
    site = None
    # The file may have been changed since the crawl began.
    with contextlib.suppress(ConfigurationError):
        site = site_file(name, settings, required=False, live=False)
    return [str(message) for message in checks.placed(mistakes, site, settings)]


@contextlib.contextmanager
def named_in_file(site: SiteFile | str | None, settings: BaseSettings) -> Iterator[None]:
    """Makes of a WrongSetting inside, where the site's file sets it, a WrongSiteFile with file and line."""
    try:
        yield
    except WrongSetting as error:
        file = site_file(site, settings, required=False, live=False) if isinstance(site, str) else site
        (message,) = checks.placed([error], file, settings)
        if isinstance(message, Problem):
            raise WrongSiteFile([message]) from error
        raise


class InForce(NamedTuple):
    """A value in force, without secrets: its key and setting, if it has them, and where it comes from."""

    key: str | None
    setting: str | None
    value: Any
    source: str

    @property
    def text(self) -> str:
        """The value on one line."""
        value = self.value
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def in_force(site: SiteFile, settings: BaseSettings) -> list[InForce]:
    """Returns all keys of a site file, then the other settings set anywhere. Raises ConfigurationError."""
    in_crawl = planned(site, settings)
    schema = checks.schema_of(in_crawl)

    def source(name: str) -> str:
        priority = in_crawl.getpriority(name) or 0
        if SETTINGS_PRIORITIES["spider"] <= priority < SETTINGS_PRIORITIES["cmdline"]:
            return _line(site, site.places[name])
        if priority < SETTINGS_PRIORITIES["project"]:
            return "default"
        return "project" if priority < SETTINGS_PRIORITIES["spider"] else "command line"

    of_base = {name for name in in_crawl if hasattr(base, name) or source(name) == "command line"}
    others = sorted({*of_base, *site.settings} - schema.key_of.keys())
    values_in_force = [InForce("url", None, site.urls, _line(site, ("url",)) if site.urls else "nowhere")]
    for name in (*schema.key_of, *others):
        value = without_secrets(name, in_crawl.get(name), schema)
        values_in_force.append(InForce(schema.key_of.get(name), name, value, source(name)))
    return values_in_force


def _line(site: SiteFile, place: tuple[str | int, ...]) -> str:
    return f"site file, line {site.locations.line(place)} ({key_text(place)})"
