"""``scrapy run-due``: crawls the sites whose schedule says so."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from crawler.commandline.base import StoreCommand, number, option, write_json
from crawler.commandline.output import COUNTS
from crawler.run.outcome import EXIT_CODES
from crawler.run.redaction import SEEN, passed, seen
from crawler.scheduling.dispatch import Dispatcher, Ended, Skipped
from crawler.scheduling.due import Scheduled, Standing, scheduled_sites, shard_of, standing
from settings.errors import ConfigurationError, relative
from store.errors import StoreError

_JOBS: Final = 2
_MOST_JOBS: Final = 1000


class Command(StoreCommand):
    """Crawls all sites whose `schedule` is due, or those of the named that are; for cron and systemd timers.

    A site is due when a scheduled time has passed since its last run began: however many have passed while
    the machine was off, it is crawled once. A site that has no run is due at once. A run that was cut short
    is continued, once for each scheduled time. Sites that are being crawled are passed over. What becomes due
    while crawls run is crawled as well; each site once.

    An error in a site file is reported, with line and key, and stops no other site.

    With --shard I/N only those sites are looked at whose names fall to shard I of N, counted from 0: of many
    machines each crawls its own. N alone takes I from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID.

    Each crawl is a process of its own, whose log is RUN.log in the folder `runs` of its site. Exit codes: 0
    all went well or nothing was due, 1 a crawl did not, 2 a site file, an argument or a store is wrong, 4 a
    signal ended it: its crawls have delivered what they had.
    """

    usage = "[--shard [I/]N] [--jobs N] [--dry-run] [SITE ...]"
    summary = "Crawl the sites whose schedule is due"
    examples = ("--dry-run", "--jobs 4")
    options = (
        option("--shard [I/]N", "the sites of shard I of N, counted from 0"),
        option("--jobs N", f"crawl N sites at a time (default: {_JOBS})", default=str(_JOBS)),
        option("--dry-run", "list the sites that have a schedule; crawl none"),
    )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Keeps what each crawl is to be given of the command line."""
        super().process_options(args, opts)
        self._passed = ["-L", opts.loglevel] if opts.loglevel else []
        for name in seen(opts.set, self.project):
            self.say(SEEN.format(name))

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawls what is due, or lists it."""
        jobs = number("--jobs", opts.jobs, 1, _MOST_JOBS)
        shard = None if opts.shard is None else shard_of(opts.shard, os.environ)
        if opts.logfile:
            raise ConfigurationError("--logfile: each crawl has a log of its own, runs/RUN.log; leave it out")
        sites, wrong = scheduled_sites(args, self.project, shard)
        for path, problems in wrong.items():
            # Before the others are crawled, which may take all night.
            self._tell_of(path.stem, list(map(str, problems)), opts)
        standings = self._standings(sites, opts)
        if opts.dry_run:
            self._list(standings, opts)
        else:
            self._crawl(standings, jobs, opts)

    def _tell_of(self, site: str, problems: list[str], opts: argparse.Namespace) -> None:
        for problem in problems:
            self.fail(problem)
        if opts.json:
            write_json({"site": site, "outcome": "impossible", "said": "; ".join(problems)})

    def _standings(self, sites: Sequence[Scheduled], opts: argparse.Namespace) -> list[Standing]:
        """Returns the sites by their schedules, those that have waited longest first."""
        now = datetime.now(UTC)
        standings = []
        for site in sites:
            try:
                standings.append(standing(site, now))
            except (StoreError, OSError) as error:
                self._tell_of(site.name, [f"site {site.name}: {error}"], opts)
        return sorted(standings, key=lambda at: (at.last.started_at if at.last else "", at.site.name))

    def _list(self, standings: list[Standing], opts: argparse.Namespace) -> None:
        if standings or opts.json:
            columns = ("site", "schedule", "time zone", "last run", "outcome", "next time", "due")
            self.answer(opts, columns, list(map(_row, standings)), *map(_whole, standings))
        elif not self.exitcode:
            none = "no site has a schedule; write one into its file, such as schedule = '0 2 * * *'"
            self.say(f"no site of --shard {opts.shard} has a schedule" if opts.shard else none)

    def _crawl(self, standings: list[Standing], jobs: int, opts: argparse.Namespace) -> None:
        bad: list[str] = []
        ended = 0

        def report(what: Ended | Skipped) -> None:
            nonlocal ended
            if opts.json:
                write_json(_record(what))
            if isinstance(what, Ended):
                ended += 1
                if not opts.json:
                    print(_line(what), flush=True)
                told_to = dispatcher.stopping and what.outcome == "interrupted"
                if what.exit_code and not told_to:
                    end = f"{what.outcome}, exit {what.exit_code}, see {relative(what.log)}"
                    bad.append(f"{what.site} ({end})")
            elif what.why == "impossible":
                self.fail(f"site {what.site}: {what.said}")
            elif not opts.json:
                print(f"{what.site}: {what.why}, {what.said}", flush=True)

        dispatcher = Dispatcher(jobs, self._passed, passed(opts.set), report)
        dispatcher.run([entry.site for entry in standings])
        if bad:
            # On standard error, so that cron mails it where standard output goes nowhere.
            self.say(f"{len(bad)} of {ended} {'crawl' if ended == 1 else 'crawls'} failed: {'; '.join(bad)}")
            self.exitcode = max(self.exitcode, 1)
        if dispatcher.stopping:
            self.exitcode = EXIT_CODES["interrupted"]


def _row(entry: Standing) -> tuple[object, ...]:
    whole = _whole(entry)
    outcome = entry.last and (entry.last.outcome or "none")
    due = "running" if entry.running else entry.due or "no"
    names = ("site", "schedule", "timezone", "last_started")
    return (*(whole[name] for name in names), outcome, whole["next"] or "never", due)


def _text(time: datetime | None, entry: Standing) -> str | None:
    """A time as the clock of the site's time zone has it."""
    return None if time is None else time.astimezone(entry.site.zone).isoformat(timespec="minutes")


def _whole(entry: Standing) -> dict[str, Any]:
    return {
        "site": entry.site.name,
        "schedule": entry.site.schedule,
        "timezone": str(entry.site.zone),
        "due": entry.due is not None and not entry.running,
        "reason": entry.due,
        "running": entry.running,
        "scheduled": _text(entry.scheduled, entry),
        "next": _text(entry.following, entry),
        "last_run": entry.last.run if entry.last else None,
        "last_started": entry.last.started_at if entry.last else None,
        "last_outcome": entry.last.outcome if entry.last else None,
    }


def _record(what: Ended | Skipped) -> dict[str, Any]:
    if isinstance(what, Ended):
        return {**asdict(what), "log": os.fspath(what.log)}
    return {"site": what.site, "outcome": what.why, "said": what.said}


def _line(what: Ended) -> str:
    counts = ", ".join(f"{what.counts.get(stat, 0)} {name}" for name, stat in COUNTS.items())
    details = counts if what.run is not None else what.said
    return f"{what.site}: {what.outcome}, exit {what.exit_code}, {what.seconds} s; {details}"
