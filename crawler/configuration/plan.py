"""What a crawl is to do: spider arguments, site file and settings, checked before anything is requested."""

from __future__ import annotations

import contextlib
import copy
import os
import re
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from crawler.configuration.checks import check_settings, setting_problem
from crawler.configuration.converters import ARGUMENTS, acceptance, converted, flag, normal
from crawler.configuration.extensions import extend
from crawler.frontier.domains import domain_of
from crawler.frontier.scope import canonical, ignored_parameters
from pagelets.methods import METHODS
from pagelets.methods.base import MethodError
from search.backends import sink_of
from settings import site as site_files
from settings import values
from settings.errors import ConfigurationError, UnknownName, WrongSetting, WrongSiteFile
from settings.mistakes import Wrong
from settings.patterns import Rules
from settings.places import sites_dir
from settings.related import Related, related
from settings.schema import LIVE
from settings.site import Problem, key_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy.settings import BaseSettings

    from settings.site import Site

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
        for name, value in METHODS[settings["METHOD"]].settings.items():
            if (settings.getpriority(name) or 0) <= settings_priority("project"):
                settings.set(name, value, priority="project")


def settings_priority(name: str) -> int:
    """Scrapy's number for a priority's name."""
    from scrapy.settings import SETTINGS_PRIORITIES

    return SETTINGS_PRIORITIES[name]


def plan_site(arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
    """Checks a crawl of the spider ``site``. Raises ConfigurationError."""
    given = _known(arguments, ("url", "site"))
    name = given.get("site")
    site = None if name is None else site_file(name, settings, required="url" not in given)
    urls = _urls(given["url"]) if "url" in given else [] if site is None else site.urls
    if not urls and site is not None:
        raise WrongSiteFile([no_urls(site)])
    if not urls:
        raise ConfigurationError("no start URL: give -a url=https://example.org/ or -a site=NAME")
    return _plan(name or _host_name(urls[0]), given, site, settings, urls=urls)


def _host_name(url: str) -> str:
    """The host and port of a URL as the name of a site: in ASCII, an IPv6 address without its brackets."""
    return urlsplit(canonical(url)).netloc.replace("[", "ip6-").replace("]", "")


def plan_archive(arguments: Mapping[str, str], settings: BaseSettings) -> Plan:
    """Checks a crawl of the spider ``archive``. Raises ConfigurationError."""
    given = _known(arguments, ("path", "base", "site", "partial"))
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


def _known(arguments: Mapping[str, str], own: tuple[str, ...]) -> Mapping[str, str]:
    names = (*own, *ARGUMENTS, "fresh", "sample", "accept")
    for name in arguments:
        if name not in (*names, *_OF_SCRAPYD):
            raise UnknownName("spider argument", name, names)
    return arguments


def site_file(name: str, settings: BaseSettings, *, required: bool, live: bool = True) -> Site | None:
    """A site's file, None where it has none and none is required. Raises ConfigurationError.

    With ``live`` the environment variables that it names have to be set: requests will be made.
    """
    extend(settings)
    folder = sites_dir(settings)
    try:
        return site_files.load(
            site_name(name), folder, environ=os.environ if live else None, check=setting_problem
        )
    except FileNotFoundError:
        known = site_files.names(folder)
        if required or name.casefold() in map(str.casefold, known):
            raise UnknownName("site", name, known) from None
        return None
    except site_files.SiteFileError as error:
        raise WrongSiteFile(error.problems) from error


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
    site: Site | None,
    settings: BaseSettings,
    *,
    live: bool = True,
    **places: Any,
) -> Plan:
    from_file = {} if site is None else dict(site.settings)
    if not live:
        from_file = {name: value for name, value in from_file.items() if name not in LIVE}
    from_file = {name: normal(name, value) for name, value in from_file.items()}
    read = check_settings(settings)
    own = {
        setting: normal(setting, given[name], name) for name, setting in ARGUMENTS.items() if name in given
    }
    accept, hosts = converted("accept", given.get("accept", "0"), acceptance)
    sample = normal("MAX_PAGES", given.get("sample", "0"), "sample")
    if sample:
        own["MAX_PAGES"] = sample
    plan = Plan(
        site_name(name),
        settings=own,
        site_settings=from_file,
        read=read,
        fresh=converted("fresh", given.get("fresh", "0"), flag),
        sample=sample,
        accept=accept,
        hosts=hosts,
        named=() if site is None else tuple(site.urls),
        **{"urls": [], **places},
    )
    _check_together(plan, site, settings_of(plan, settings))
    return plan


def check_file(path: Path, settings: BaseSettings) -> list[Problem]:
    """All that is wrong in a site file, for a crawl with these settings beside it; also where it says nothing
    of what is to be crawled.
    """
    try:
        site, _ = checked_file(path, settings)
    except WrongSiteFile as error:
        return error.problems
    return [] if site.urls or site.for_archive else [no_urls(site)]


def no_urls(site: Site) -> Problem:
    """What is wrong with a site file that names no start URL."""
    said = "is missing; give the start URLs, or url = [] in a file for crawls of an archive"
    return Problem(site.path, 1, "url", said)


def checked_file(path: Path, settings: BaseSettings) -> tuple[Site, Plan]:
    """A site file, and the crawl that it asks for with these settings beside it.

    Raises WrongSiteFile, whatever it is that keeps this site from being crawled, and no other, where the
    settings are right by themselves (`check_settings`).
    """
    extend(settings)
    try:
        site = site_files.load_file(path, environ=os.environ, check=setting_problem)
        return site, plan_of(site, settings)
    except site_files.SiteFileError as error:
        raise WrongSiteFile(error.problems) from error
    except FileNotFoundError as error:
        said = "is a link that leads nowhere, or was removed just now; see that it is there"
        raise WrongSiteFile([Problem(path, 1, "", said)]) from error
    except WrongSiteFile:
        raise
    except ConfigurationError as error:
        raise WrongSiteFile([Problem(path, 1, "", str(error))]) from error


def plan_of(site: Site, settings: BaseSettings) -> Plan:
    """Checks a crawl of a site file, which need not name start URLs. Raises ConfigurationError."""
    return _plan(site.path.stem, {}, site, settings, urls=site.urls)


def settings_of(plan: Plan, settings: BaseSettings) -> BaseSettings:
    """The settings as a plan will have set them; those that are given stay as they are."""
    own = copied(settings)
    plan.apply(own)
    return own


def copied(settings: BaseSettings) -> BaseSettings:
    """Settings that can be set without changing those that are given; the values are the same objects.

    A deep copy takes as long as everything else that is checked before a crawl.
    """
    own = copy.copy(settings)
    own.attributes = {name: copy.copy(attribute) for name, attribute in settings.attributes.items()}
    return own


def _check_together(plan: Plan, site: Site | None, settings: BaseSettings) -> None:
    """Checks what is right, each by itself, against each other, wherever each was said."""
    problems, others = [], []
    found = chain(
        related(dict(settings)),
        _denied(plan, settings),
        _no_sinks(plan, settings),
        _unwatched(settings),
        _not_ready(settings),
    )
    for setting, within, wrong in found:
        if site is not None and _sets(site, setting, settings):
            problems.append(site.problem(str(wrong), *site.places[setting], *within))
        else:
            others.append(f"{setting}{key_text(within)}: {wrong}")
    if problems:
        raise WrongSiteFile(sorted(problems))
    if others:
        raise ConfigurationError(others[0])


def _sets(site: Site, setting: str, settings: BaseSettings) -> bool:
    """Whether the value in force of a setting is that of a site file."""
    return setting in site.places and settings.getpriority(setting) == settings_priority("spider")


def told(found: Iterable[Related], name: str, settings: BaseSettings) -> list[str]:
    """What there is to say of settings, a line each: with file and line where the site's file sets them."""
    try:
        site = site_file(name, settings, required=False, live=False)
    except ConfigurationError:
        # The file has been changed since the crawl began.
        site = None
    lines = []
    for setting, within, wrong in found:
        if site is not None and _sets(site, setting, settings):
            lines.append(str(site.problem(str(wrong), *site.places[setting], *within)))
        else:
            lines.append(f"{setting}{key_text(within)}: {wrong}")
    return lines


@contextlib.contextmanager
def named_in_file(name: str, settings: BaseSettings) -> Iterator[None]:
    """Makes of a WrongSetting inside, where a site's file sets it, a WrongSiteFile that names file and line.

    Takes the settings with those of the file in them.
    """
    try:
        yield
    except WrongSetting as error:
        site = site_file(name, settings, required=False, live=False)
        if site is None or not _sets(site, error.setting, settings):
            raise
        raise WrongSiteFile([site.problem(error.what, *site.places[error.setting])]) from error


def _denied(plan: Plan, settings: BaseSettings) -> Iterator[Related]:
    """A rule that denies a start URL would leave the crawl nothing to start from."""
    rules = Rules.of(settings.getlist("SCOPE_RULES"))
    ignored = ignored_parameters(settings)
    for url in plan.urls:
        rule = rules.denying(canonical(url, ignored))
        if rule is not None:
            what = f"{rule} denies the start URL {url}; write a rule before it that allows it"
            yield Related("SCOPE_RULES", (rules.rules.index(rule),), Wrong(None, what))


def _no_sinks(plan: Plan, settings: BaseSettings) -> Iterator[Related]:
    """Search indexes that the crawl could not feed, whatever it finds."""
    for place, name in enumerate(settings.getlist("SINKS")):
        try:
            sink_of(name, plan.site, settings)
        except WrongSetting as error:
            if error.setting in plan.site_settings or "SINKS" not in plan.site_settings:
                yield Related(error.setting, (), Wrong(None, error.what))
            else:
                yield Related("SINKS", (place,), Wrong(None, str(error)))
        except ConfigurationError as error:
            yield Related("SINKS", (place,), Wrong(None, str(error)))


def _unwatched(settings: BaseSettings) -> Iterator[Related]:
    """Spidermon switched on where it is not there: monitors of our own were removed."""
    there = any("spidermon" in str(path).lower() for path in settings.getdict("EXTENSIONS"))
    if str(settings.get("SPIDERMON_ENABLED", 0)).lower() not in ("0", "false") and not there:
        what = "needs Spidermon's own extension in EXTENSIONS; docs/monitoring.md says how"
        yield Related("SPIDERMON_ENABLED", (), Wrong(None, what))


def methods_of(settings: BaseSettings) -> list[str]:
    """The names of the methods in force, each once: first that of the site, then those of overrides."""
    others = (own["method"] for own in settings.getlist("OVERRIDES") if "method" in own)
    return list(dict.fromkeys([settings["METHOD"], *others]))


def _not_ready(settings: BaseSettings) -> Iterator[Related]:
    """Methods that lack what they need, as a model or a package, of the site and of overrides."""
    named: list[tuple[str, tuple[str | int, ...], str]] = [("METHOD", (), settings["METHOD"])]
    for number, override in enumerate(settings.getlist("OVERRIDES")):
        if "method" in override:
            named.append(("OVERRIDES", (number, "method"), override["method"]))
    for setting, within, name in named:
        try:
            METHODS[name]().check()
        except MethodError as error:
            yield Related(setting, within, Wrong(None, f"{name} is not ready: {error}"))
