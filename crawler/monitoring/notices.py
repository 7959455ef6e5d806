"""Notices to people about a run: its outcome, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from crawler.run.outcome import EXIT_CODES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.runs import Run

_SINK: Final = re.compile(r"index/(.+)/(indexed|deleted|refused|undelivered|down)\Z")

_SENTENCES: Final = {
    "complete": "Everything was crawled and delivered; there is nothing to do.",
    "limited": "A limit that the settings set has stopped the crawl; there is nothing to do.",
    "empty": "No page could be used, and all documents stay as they were: see whether the site can be "
    "reached, and whether its robots.txt lets it be crawled.",
    "interrupted": "The crawl was stopped before its end, and what it has fetched is kept: start it again, "
    "it goes on where it was.",
    "suspicious": "Far less of the site than last time, or it leads to another domain, so nothing went out "
    "and nothing was deleted: look at the site; if it is meant to be like that, the log says how to accept "
    "it.",
    "undelivered": "Some documents have not arrived, and they are kept: mend what has refused them (the log "
    "names it); the next run sends them again, or to a search index at once: scrapy redeliver {site}.",
}


def message(site: str, outcome: str | None) -> str:
    """Returns a sentence with a run's outcome and what to do. A missing outcome counts as interrupted."""
    return _SENTENCES[outcome or "interrupted"].format(site=site)


def notice(site: str, run: Run, before: Run | None) -> dict[str, Any]:
    """Returns the notice of a ``run`` of a ``site`` for JSON; ``before`` is the run before it."""
    outcome = run.outcome or "interrupted"
    text = message(site, outcome)
    return {
        "text": f"{site}: {outcome}. {text}",
        "site": site,
        "run": run.run,
        "outcome": outcome,
        "exit_code": EXIT_CODES[outcome],
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "message": text,
        "counts": run.counts,
        "changes": run.changes(before),
    }


def sink_counts(counts: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Counts documents by sink of a run: indexed, deleted, refused, undelivered, down."""
    by_sink: dict[str, dict[str, int]] = {}
    for name, count in counts.items():
        match = _SINK.match(name)
        if match is not None:
            by_sink.setdefault(match[1], {})[match[2]] = int(count)
    return by_sink


def good(runs: Sequence[Run]) -> list[Run]:
    """The runs that ended as they should."""
    return [run for run in runs if run.outcome is not None and EXIT_CODES[run.outcome] == 0]
