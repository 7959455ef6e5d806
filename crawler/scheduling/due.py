"""Sites that are due: their schedules, compared with the last runs in their stores; and shards of many sites
over machines: each site belongs to one shard of N, by its name alone.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from scrapy.settings import BaseSettings

from crawler.configuration.checks import check_settings
from crawler.configuration.plan import checked_file, no_urls
from settings import schedule
from settings import site as site_files
from settings.errors import ConfigurationError, Problem, UnknownName, WrongSiteFile, relative
from settings.places import data_dir, sites_dir
from store.database import FILE, unusable
from store.lock import is_held
from store.runs import FINISHED, Run
from store.site import Store

Reason = Literal["never crawled", "scheduled", "continued"]
"""Why a site is due: it has no run; a scheduled time has passed since the last; that one was cut short."""

SPIDER: Final = "site"
FOLDER: Final = ".due"
"""Where in the data folder it is kept what runs by schedule: no site's name begins with a dot."""
MOST: Final = 100_000
"""More shards than this are a typing error."""
_GIVEN: Final = re.compile(r"(?:([0-9]{1,6})/)?([0-9]{1,6})\Z", re.ASCII)
_AHEAD: Final = timedelta(hours=1)
"""A run that began later than so long from now was noted by a clock that has been set back since."""


@dataclass(slots=True, frozen=True)
class Scheduled:
    """A site that has a schedule, as `settings.schedule.expression` gives it, in a time zone."""

    name: str
    schedule: str
    zone: tzinfo
    home: Path

    @property
    def lock(self) -> Path:
        """The file of the lock that a crawl of the site holds."""
        return self.home.with_name(f"{self.name}.lock")

    @property
    def attempt(self) -> Path:
        """The file that says when the site was last started by its schedule."""
        return self.home.with_name(FOLDER) / "sites" / self.name


@dataclass(slots=True, frozen=True)
class Standing:
    """The state of a site by its schedule: ``due`` is the reason to crawl it now, None without one.

    ``scheduled`` is the last scheduled time, ``following`` the next; ``last`` is the site's last run, ``run``
    the number that the next one will have, and ``running`` is True while a crawl of the site is under way.
    """

    site: Scheduled
    due: Reason | None
    scheduled: datetime | None
    following: datetime | None
    last: Run | None
    run: int
    running: bool


@dataclass(slots=True, frozen=True)
class Shard:
    """Shard ``index`` of ``count``, counted from 0."""

    index: int
    count: int

    def has(self, site: str) -> bool:
        """Returns True if a site is of this shard: exactly one of ``count`` shards has it, whatever other
        sites there are.
        """
        digest = blake2b(os.fsencode(site), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.index


def shard_of(text: str, environment: Mapping[str, str]) -> Shard:
    """The shard that ``I/N`` names, or ``N`` where the environment has I: ``JOB_COMPLETION_INDEX``
    (Kubernetes), else ``SLURM_ARRAY_TASK_ID`` less ``SLURM_ARRAY_TASK_MIN`` (Slurm).

    Raises ConfigurationError.
    """
    given = _GIVEN.match(text)
    if given is None or not 1 <= int(given[2]) <= MOST:
        raise ConfigurationError(
            f"--shard {text[:20]}: give I/N, such as 0/4 for the first of four, or N alone where the "
            f"environment has I; N is at most {MOST}"
        )
    count = int(given[2])
    index = int(given[1]) if given[1] else _of_the_environment(count, environment)
    if not 0 <= index < count:
        raise ConfigurationError(
            f"--shard {text}: shard {index} of {count}; they are counted from 0, so the last is {count - 1}"
        )
    return Shard(index, count)


def _of_the_environment(count: int, environment: Mapping[str, str]) -> int:
    if "JOB_COMPLETION_INDEX" in environment:
        return _number("JOB_COMPLETION_INDEX", count, environment)
    if "SLURM_ARRAY_TASK_ID" not in environment:
        raise ConfigurationError(
            f"--shard {count}: the environment has neither JOB_COMPLETION_INDEX nor SLURM_ARRAY_TASK_ID; "
            f"give I/N, such as 0/{count}"
        )
    tasks = _number("SLURM_ARRAY_TASK_COUNT", count, environment)
    if tasks != count:
        # One task of an array that is sent in again alone would take itself for the first.
        raise ConfigurationError(
            f"--shard {count}: the array has SLURM_ARRAY_TASK_COUNT={tasks} tasks; give it {count}, or I/N"
        )
    first = _number("SLURM_ARRAY_TASK_MIN", count, environment)
    return _number("SLURM_ARRAY_TASK_ID", count, environment) - first


def _number(name: str, count: int, environment: Mapping[str, str]) -> int:
    value = environment.get(name, "")
    if not (value.isdecimal() and value.isascii() and len(value) <= 9):
        raise ConfigurationError(f"{name}={value[:20]}: is no whole number; give --shard I/{count}")
    return int(value)


def scheduled_sites(
    names: Sequence[str], settings: BaseSettings, shard: Shard | None = None
) -> tuple[list[Scheduled], dict[Path, list[Problem]]]:
    """Returns the sites with a schedule, and the problems in their files.

    Args:
        names: limits them to these sites.
        settings: the project's settings.
        shard: limits them to the sites of a shard.

    Raises:
        UnknownName: a name has no file.
        ConfigurationError: the folder of site files is missing, a named site has no schedule, or a setting
            is wrong that no site file sets.

    """
    check_settings(settings)
    folder = sites_dir(settings)
    # A crawl that nobody misses: cron would call in vain for ever.
    site_files.check_folder(folder)
    known = site_files.names(folder)
    for name in names:
        if name not in known:
            raise UnknownName("site", name, known)
    sites: list[Scheduled] = []
    wrong: dict[Path, list[Problem]] = {}
    for path in site_files.files(folder):
        if (names and path.stem not in names) or (shard and not shard.has(path.stem)):
            continue
        try:
            site = _scheduled(path, settings)
        except WrongSiteFile as error:
            wrong[path] = error.problems
        else:
            if site is not None:
                sites.append(site)
            elif names:
                raise ConfigurationError(
                    f"site {path.stem!r} has no schedule; write one into {relative(path)}, "
                    "such as schedule = '0 2 * * *'"
                )
    return sites, wrong


def _scheduled(path: Path, settings: BaseSettings) -> Scheduled | None:
    site, site_settings = checked_file(path, settings)
    if not site_settings["SCHEDULE"]:
        return None
    if not site.urls:
        raise WrongSiteFile([no_urls(site)])
    try:
        zone = schedule.zone(site_settings["SCHEDULE_TIMEZONE"])
    except ValueError as error:
        problem = site.problem(f"{error}; or give the key timezone", "schedule")
        raise WrongSiteFile([problem]) from None
    return Scheduled(path.stem, site_settings["SCHEDULE"], zone, data_dir(settings) / path.stem)


def standing(site: Scheduled, now: datetime) -> Standing:
    """Compares a site with its schedule. Raises StoreError if its store cannot be used."""
    running = is_held(site.lock)
    runs = runs_of(site)
    crawls = [run for run in runs if run.parameters.get("spider") == SPIDER]
    # The clock has been set back since a run in the future: what came before that was noted by a right one.
    past = [run for run in crawls if _began(run) <= now + _AHEAD]
    tried = _attempted(site.attempt)
    if tried is not None and tried > now + _AHEAD:
        tried = None
    time = schedule.latest(site.schedule, site.zone, now)
    due = _due(past, tried, time)
    return Standing(
        site,
        # The run that is to be continued has not ended.
        None if running and due == "continued" else due,
        time,
        schedule.following(site.schedule, site.zone, now),
        crawls[0] if crawls else None,
        runs[0].run + 1 if runs else 1,
        running,
    )


def runs_of(site: Scheduled) -> list[Run]:
    """The runs of a site, the latest first. Raises StoreError if its store cannot be used."""
    if not (site.home / FILE).exists():
        return []
    try:
        with Store.open(site.home) as store, store.snapshot():
            return store.runs.all()
    except sqlite3.Error as error:
        raise unusable(site.home / FILE, error) from error


def _due(runs: list[Run], tried: datetime | None, time: datetime | None) -> Reason | None:
    """Returns the reason why a site with these runs, the latest first, is due; ``time`` is the last scheduled
    one.

    ``tried`` is its last start: a crawl that ends before its run begins would else be started without end.
    """
    since = [run for run in runs if time is None or _began(run) >= time]
    if not since:
        served = tried is not None and (time is None or tried >= time)
        return None if served else "scheduled" if runs else "never crawled"
    if len(since) > 1 or since[0].outcome in FINISHED:
        return None
    # Continued once: what cuts each run short is not mended by trying all night.
    return None if tried is not None and tried > _began(since[0]) else "continued"


def _began(run: Run) -> datetime:
    return datetime.fromisoformat(run.started_at).astimezone(UTC)


def _attempted(path: Path) -> datetime | None:
    try:
        return datetime.fromisoformat(path.read_text(encoding="utf-8").strip()).astimezone(UTC)
    except (FileNotFoundError, ValueError):
        # Never started, or cut short while it was noted: the store's runs tell the rest.
        return None
