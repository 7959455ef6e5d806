"""``scrapy runs``: what a site's crawls came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crawler.commandline.base import StoreCommand, write_json
from crawler.commandline.tables import show
from settings.errors import ConfigurationError

if TYPE_CHECKING:
    import argparse

    from store.runs import Run

_SHOWN: Final = 20
_COLUMNS: Final = {
    "fetched": "pages/held",
    "unchanged": "pages/not_modified",
    "failed": "pages/failed",
    "released": "documents/released",
    "deleted": "documents/deleted",
    "templates": "templates/count",
    "requests": "downloader/request_count",
}
"""Columns of the table, and the stats that they show."""


class Command(StoreCommand):
    """Lists the crawls of a site, the latest first: outcome, duration, what was fetched, confirmed and
    released, and how that differs from the crawl before.

    With --json all that is known of each: parameters, versions, counts, and `changes`, the difference of each
    count from the crawl before. A run without an outcome runs still, or was killed.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "SITE [--last N]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "List the crawls of a site and what they came to"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds how many to list."""
        super().add_options(parser)
        parser.add_argument(
            "--last", metavar="N", help=f"list the last N crawls (default: {_SHOWN}, 0 for all)"
        )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the crawls."""
        last = _number(opts.last)
        with self.snapshot(self.one_argument(args)) as store:
            runs = store.runs.all()
        earlier = [*runs[1:], None]
        pairs = list(zip(runs, earlier, strict=True))[: last or None]
        if opts.json:
            for run, before in pairs:
                write_json(_whole(run, before))
        else:
            show(
                ("run", "started", "seconds", "outcome", *_COLUMNS),
                [_row(run, before) for run, before in pairs],
            )


def _number(text: str | None) -> int:
    if text is None:
        return _SHOWN
    if not text.isdecimal():
        raise ConfigurationError(f"--last {text}: give a whole number, 0 for all")
    return int(text)


def _whole(run: Run, before: Run | None) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in run.__slots__}
    return {**values, "seconds": run.duration, "changes": run.changes(before)}


def _row(run: Run, before: Run | None) -> tuple[object, ...]:
    changes = run.changes(before)
    cells = []
    for stat in _COLUMNS.values():
        change = changes.get(stat, 0)
        cells.append(f"{run.counts.get(stat, 0)}" + (f" ({change:+})" if change else ""))
    seconds = "" if run.duration is None else run.duration
    return (run.run, run.started_at, seconds, run.outcome or "none", *cells)
