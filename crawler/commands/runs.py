"""``scrapy runs``: what a site's crawls came to."""

from __future__ import annotations

import argparse
from typing import Final

from crawler.commandline.base import StoreCommand, number, option, write_json
from crawler.commandline.output import COUNTS, printable
from inspection.runs import ComparedRuns, ListedRun, compare_runs, list_runs

_SHOWN: Final = 20
_COLUMNS: Final = {**COUNTS, "templates": "templates/count", "requests": "downloader/request_count"}
"""Columns of the table, and the stats that they show."""


class Command(StoreCommand):
    """Lists the crawls of a site, the latest first: outcome, duration, what was fetched, confirmed and
    released, and how that differs from the crawl before. --compare shows the difference of two of them:
    parameters, counts, and the documents that came, changed and went.

    With --json all that is known of each: parameters, versions, counts, and `changes`, the difference of each
    count from the crawl before. A run without an outcome runs still, or was killed.
    """

    usage = "SITE [--last N] [--compare RUN RUN]"
    summary = "List the crawls of a site and what they came to"
    examples = ("example.org --last 5", "example.org --compare 3 4")
    options = (
        option("--last N", f"list the last N crawls (default: {_SHOWN}, 0 for all)"),
        option("--compare RUN", "say what is other between two crawls", nargs=2),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the crawls."""
        site, last = self.one_argument(args), number("--last", opts.last or str(_SHOWN))
        if opts.compare is not None:
            with self.snapshot(site) as store:
                compared = compare_runs(store, *(number("--compare", run) for run in opts.compare))
            if opts.json:
                write_json(compared)
            else:
                _print(compared)
            return
        with self.snapshot(site) as store:
            runs = list_runs(store, last)
        self.answer(opts, ("run", "started", "seconds", "outcome", *_COLUMNS), list(map(_row, runs)), *runs)


def _row(run: ListedRun) -> tuple[object, ...]:
    cells = []
    for stat in _COLUMNS.values():
        change = run.changes.get(stat, 0)
        cells.append(f"{run.counts.get(stat, 0)}" + (f" ({change:+})" if change else ""))
    seconds = "" if run.seconds is None else run.seconds
    return (run.run, run.started_at, seconds, run.outcome or "none", *cells)


def _print(compared: ComparedRuns) -> None:
    print(f"{compared.site}: from run {compared.first} to run {compared.second}")
    for name, (before, after) in compared.parameters.items():
        print(f"  {name}: {printable(str(before))}, then {printable(str(after))}")
    for name in _COLUMNS.values():
        if change := compared.counts.get(name):
            print(f"  {name}: {change:+}")
    for kind, urls in (("came", compared.came), ("changed", compared.changed), ("went", compared.went)):
        print(f"{len(urls)} documents {kind}")
        for url in urls[:_SHOWN]:
            print(f"  {printable(url)}")
        if len(urls) > _SHOWN:
            print(f"  and {len(urls) - _SHOWN} more: --json has all of them")
