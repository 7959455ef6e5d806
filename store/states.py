"""What the states of a page say (docs/store.md): conditions on a row of PAGES, each with a name."""

from __future__ import annotations

from typing import Final

UNREQUESTED: Final = frozenset({"scope", "nofollow", "depth", "trap", "type", "rule"})
"""Reasons of a refusal that are decided on the URL alone, before any request."""

_REFUSED: Final = ", ".join(f"'{reason}'" for reason in sorted(UNREQUESTED))

WANTED: Final = f"(reason IS NULL OR reason NOT IN ({_REFUSED}))"
"""URLs that may be requested, by what they are."""

REQUESTED: Final = f"{WANTED} AND NOT (state = 'gone' AND NOT linked)"
"""URLs that each round requests."""

TOO_DEEP: Final = "state = 'refused' AND reason = 'depth'"
"""URLs that are too far from the start."""

READMITTED: Final = (
    "(state = 'gone' AND NOT linked "
    "OR state = 'refused' AND reason IN ('nofollow', 'depth', 'scope', 'trap'))"
)
"""URLs that are not requested unless a page links to them that may be followed."""

WELL: Final = "state IN ('held', 'released', 'delivered')"
"""Pages that were found well when they were last asked for."""

PAST: Final = "(state = 'gone' OR state = 'redirected' AND reason IS NULL)"
"""Pages that are no more, here or at all. A redirect with a reason is one for the time being."""

ALIVE: Final = f"fetched_run IS NOT NULL AND NOT {PAST} AND coalesce(excluded, '') != 'rule'"
"""Pages that the site has: they were fetched, and nothing says that they are no more. What the site repeats
is counted over them."""

CURRENT: Final = f"{ALIVE} AND excluded IS NULL"
"""Pages that have a document."""

JUDGED: Final = f"{ALIVE} AND (excluded IS NULL OR excluded = 'duplicate')"
"""Pages that may have one: what is nearly the same as another page is judged before it is left out."""

REACHED: Final = f"linked AND {WANTED}"
"""URLs that a new crawl would come to."""

FOUND: Final = f"{CURRENT} AND {WELL} AND {REACHED}"
"""Pages that have a document, were found well, and that a new crawl would come to."""

OUT_OF_REACH: Final = (
    f"(NOT linked OR state = 'refused' AND reason IN ('robots', 'archive') OR state = 'redirected' "
    f"OR NOT {WANTED})"
)
"""Stored pages that a round has missed: no link leads to them, robots.txt forbids them, the archive lacks
them, or they redirect elsewhere for the time being."""

ELSEWHERE: Final = "CASE WHEN state = 'redirected' THEN target WHEN excluded = 'canonical' THEN canonical END"
"""The page that stands for another one now: it redirects there, or names it as canonical; null for others."""
