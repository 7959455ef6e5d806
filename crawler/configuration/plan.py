"""The plan of a crawl: spider arguments, site file and settings, checked before anything is requested."""

from __future__ import annotations

import contextlib
import copy
import os
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy.settings import SettingsAttribute

from crawler.configuration.checks import check_settings, setting_problem
from crawler.configuration.converters import ARGUMENTS, acceptance, converted, normal
from crawler.configuration.cross_checks import check_together, is_of_file, placed
from crawler.configuration.extensions import schema_of, set_presets
from crawler.frontier.domains import domain_of
from settings import site as site_files
from settings import values
from settings.canonical import canonical
from settings.errors import ConfigurationError, Problem, UnknownName, WrongSetting, WrongSiteFile
from settings.places import sites_dir
from settings.schema import LIVE
from settings.types import Options
from settings.values import flag

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from scrapy.settings import BaseSettings

    from settings.related import Related
    from settings.site import SiteFile

_OF_SCRAPYD: Final = ("_job", "_version")
"""Arguments by which Scrapyd says which of its jobs a crawl is, and of which egg."""


def site_name(name: str) -> str:
    """A site's name, checked: it is a folder's name, and may lead nowhere else.

    Raises ConfigurationError.
    """
    if not site_files.SITE_NAME.match(name):
        raise ConfigurationError(f"site name {name!r}: {site_files.SITE_NAME_MEND}")
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
    urls: list[str]
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
        for name, value in self.read.items():
            settings.set(name, value, priority=settings.getpriority(name) or 0)
        for name, value in self.site_settings.items():
            settings.set(name, value, priority="spider")
        for name, value in self.settings.items():
            settings.set(name, value, priority="cmdline")
        set_presets(settings)


def plan_site(arguments: Mapping[str, str], settings: BaseSettings, extra: Collection[str] = ()) -> Plan:
    """Checks the ``arguments`` of the spider ``site`` by the ``settings``, but for its ``extra`` ones. Raises
    ConfigurationError.
    """
    given = _known(arguments, ("url", "site", *extra))
    name = given.get("site")
    urls = _urls(given["url"]) if "url" in given else []
    if name is not None:
        site = site_file(name, settings, required=not urls)
    else:
        site = _taught(_host_name(urls[0]), settings) if urls else None
    urls = urls or ([] if site is None else site.urls)
    if not urls and site is not None:
        raise WrongSiteFile([no_urls(site)])
    if not urls:
        raise ConfigurationError("no start URL: give -a url=https://example.org/ or -a site=NAME")
    return _plan(name or _host_name(urls[0]), given, site, settings, urls=urls)


def _taught(name: str, settings: BaseSettings) -> SiteFile | None:
    """The file of a site that the command line does not name, where it holds what was taught alone."""
    if not (sites_dir(settings) / f"{name}.toml").exists():
        return None
    site = site_file(name, settings, required=False)
    return site if site is not None and is_taught_alone(site) else None


def _host_name(url: str) -> str:
    """The host and port of a URL as the name of a site: in ASCII, an IPv6 address without its brackets."""
    return urlsplit(canonical(url)).netloc.replace("[", "ip6-").replace("]", "")


def plan_archive(arguments: Mapping[str, str], settings: BaseSettings, extra: Collection[str] = ()) -> Plan:
    """Checks the ``arguments`` of the spider ``archive`` by the ``settings``, but for its ``extra`` ones.
    Raises ConfigurationError.
    """
    given = _known(arguments, ("path", "base", "site", "partial", *extra))
    paths = [Path(part.strip()) for part in given.get("path", "").split(",") if part.strip()]
    if not paths:
        raise ConfigurationError("no archive: give -a path=FILE.warc.gz or -a path=FOLDER")
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"{path}: no such file or folder; give -a path=FILE.warc.gz or a folder")
    base = given.get("base")
    if base is not None:
        base = _urls(base)[0]
    name = site_name(given.get("site") or re.sub(r"\.warc(\.gz)?\Z", "", paths[0].resolve().name))
    site = site_file(name, settings, required=False, live=False)
    partial = converted("partial", given.get("partial", "0"), flag)
    plan = _plan(name, given, site, settings, live=False, paths=paths, base=base, partial=partial)
    if plan.partial and plan.fresh:
        raise ConfigurationError("partial=1, fresh=1: a fresh store has this archive alone; give one of them")
    return plan


def _known(arguments: Mapping[str, str], extra: Collection[str]) -> Mapping[str, str]:
    names = (*extra, *ARGUMENTS, "fresh", "sample", "accept")
    for name in arguments:
        if name not in (*names, *_OF_SCRAPYD):
            raise UnknownName("spider argument", name, names)
    return arguments


def site_file(name: str, settings: BaseSettings, *, required: bool, live: bool = True) -> SiteFile | None:
    """The file of the site ``name`` in the folder that ``settings`` name; None where there is none and none
    is ``required``. Where it is ``live``, the environment variables that it names have to be set. Raises
    ConfigurationError.
    """
    folder = sites_dir(settings)
    try:
        return _loaded(folder / f"{site_name(name)}.toml", settings, live=live)
    except FileNotFoundError:
        known = site_files.names(folder)
        if required or name.casefold() in map(str.casefold, known):
            raise UnknownName("site", name, known) from None
        return None


def _loaded(path: Path, settings: BaseSettings, *, live: bool = True) -> SiteFile:
    schema = schema_of(settings)
    check = partial(setting_problem, schema=schema)
    return site_files.load(path, environ=os.environ if live else None, check=check, schema=schema)


def _urls(value: str) -> list[str]:
    parts = [part.strip() for part in value.split(",") if part.strip()]
    hint = "; a comma inside an address is written %2C" if len(parts) > 1 else ""
    for part in parts:
        try:
            values.url(part)
        except ValueError as error:
            raise ConfigurationError(f"url {values.shown(part)}: {error}{hint}") from None
    return parts


def _plan(
    name: str,
    given: Mapping[str, str],
    site: SiteFile | None,
    settings: BaseSettings,
    *,
    live: bool = True,
    **places: Any,
) -> Plan:
    from_file = {} if site is None else dict(site.settings)
    if not live:
        from_file = {name: value for name, value in from_file.items() if name not in LIVE}
    read = check_settings(settings)
    # Fields that are asked for may be those that the file extracts.
    extracting = {name: from_file[name] for name in ("EXTRACT", "OVERRIDES") if name in from_file}
    with_file = copied(settings) if extracting else settings
    for setting, value in extracting.items():
        with_file.set(setting, value, priority="spider")
    schema = schema_of(with_file)
    from_file = {
        name: beside(with_file, name, normal(name, value, schema=schema)) for name, value in from_file.items()
    }
    from_arguments = {
        setting: normal(setting, given[name], name, schema)
        for name, setting in ARGUMENTS.items()
        if name in given
    }
    accept, hosts = converted("accept", given.get("accept", "0"), acceptance)
    sample = normal("MAX_PAGES", given.get("sample", "0"), "sample")
    if "sample" in given and not sample:
        # No limit, as of MAX_PAGES, would be a whole crawl into the store that is kept.
        raise ConfigurationError(f"sample={given['sample']}: is too small; give at least 1")
    if sample:
        from_arguments["MAX_PAGES"] = sample
    plan = Plan(
        site_name(name),
        settings=from_arguments,
        site_settings=from_file,
        read=read,
        fresh=converted("fresh", given.get("fresh", "0"), flag),
        sample=sample,
        accept=accept,
        hosts=hosts,
        named=() if site is None else tuple(site.urls),
        **{"urls": [], **places},
    )
    check_together(plan.site, plan.urls, site, settings_of(plan, settings))
    return plan


def check_file(path: Path, settings: BaseSettings) -> list[Problem]:
    """All that is wrong in a site file, for a crawl with these settings beside it; also where it says nothing
    of what is to be crawled.
    """
    try:
        site, _ = checked_file(path, settings)
    except WrongSiteFile as error:
        return error.problems
    return [] if site.urls or site.for_archive or is_taught_alone(site) else [no_urls(site)]


def is_taught_alone(site: SiteFile) -> bool:
    """Returns true if a site file holds what was taught and nothing else, as ``scrapy teach`` makes it."""
    return set(site.settings) == {"TAUGHT"} and not site.urls


def no_urls(site: SiteFile) -> Problem:
    """Returns the mistake of a site file without a start URL."""
    message = "is missing; give the start URLs, or url = [] in a file for crawls of an archive"
    return Problem(site.path, 1, "url", message)


def checked_file(path: Path, settings: BaseSettings) -> tuple[SiteFile, Plan]:
    """A site file, and the crawl that it asks for with these settings beside it.

    Raises WrongSiteFile, whatever it is that keeps this site from being crawled, and no other, where the
    settings are right by themselves (`check_settings`).
    """
    try:
        site = _loaded(path, settings)
        return site, plan_of(site, settings)
    except FileNotFoundError as error:
        message = "is a link that leads nowhere, or was removed just now; see that it is there"
        raise WrongSiteFile([Problem(path, 1, "", message)]) from error
    except WrongSiteFile:
        raise
    except ConfigurationError as error:
        raise WrongSiteFile([Problem(path, 1, "", str(error))]) from error


def plan_of(site: SiteFile, settings: BaseSettings) -> Plan:
    """Checks a crawl of a site file, which need not name start URLs. Raises ConfigurationError."""
    return _plan(site.path.stem, {}, site, settings, urls=site.urls)


def settings_of(plan: Plan, settings: BaseSettings) -> BaseSettings:
    """The settings as a plan will have set them; those that are given stay as they are."""
    plan_settings = copied(settings)
    plan.apply(plan_settings)
    return plan_settings


def beside(settings: BaseSettings, name: str, value: Any) -> Any:
    """Returns the ``value`` that a site file has of the setting ``name``: a table of options has those of
    the project's ``settings`` beside its own.
    """
    given = settings.get(name)
    return {**given, **value} if isinstance(value, Options) and isinstance(given, dict) else value


def copied(settings: BaseSettings) -> BaseSettings:
    """Settings that can be set without changing those that are given; the values are the same objects.

    A deep copy takes as long as everything else that is checked before a crawl.
    """
    settings_copy = copy.copy(settings)
    settings_copy.attributes = {
        name: SettingsAttribute(attribute.value, attribute.priority)
        for name, attribute in settings.attributes.items()
    }
    return settings_copy


def told(mistakes: Iterable[Related], name: str, settings: BaseSettings) -> list[str]:
    """What the ``mistakes`` in the ``settings`` in force say, a line each: with file and line where the file
    of the site ``name`` sets them.
    """
    try:
        site = site_file(name, settings, required=False, live=False)
    except ConfigurationError:
        # The file has been changed since the crawl began.
        site = None
    return [str(message) for message in placed(mistakes, site, settings)]


@contextlib.contextmanager
def named_in_file(name: str, settings: BaseSettings) -> Iterator[None]:
    """Makes of a WrongSetting inside, where a site's file sets it, a WrongSiteFile that names file and line.

    Takes the settings with those of the file in them.
    """
    try:
        yield
    except WrongSetting as error:
        site = site_file(name, settings, required=False, live=False)
        if site is None or not is_of_file(site, error.setting, settings):
            raise
        raise WrongSiteFile([site.problem(error.what, *site.places[error.setting], *error.within)]) from error
