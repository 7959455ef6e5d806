"""Conditions on the states of a page (docs/store.md), as a row of PAGES, each with a name."""

from __future__ import annotations

from typing import Final

from store.runs import FINISHED

UNREQUESTED: Final = frozenset({"scope", "nofollow", "depth", "trap", "type", "rule", "template"})
"""Reasons of a refusal that are decided on the URL alone, before any request."""

OTHER_TYPE: Final = "other type"
"""The reason of a refusal where a page is no HTML any more: it is requested again, and may be well then."""

CUT_SHORT: Final = "cut short"
"""The reason of a failure where a body broke off that was whole before."""

_REFUSED: Final = ", ".join(f"'{reason}'" for reason in sorted(UNREQUESTED))

WANTED: Final = f"(reason IS NULL OR reason NOT IN ({_REFUSED}))"
"""URLs that may be requested, by what they are."""

HELD: Final = "state = 'held'"
"""Pages that were fetched, and have not been judged since."""

RELEASED: Final = "state = 'released'"
"""Pages whose document is on its way."""

GONE: Final = "state = 'gone'"
"""URLs at which there is no page any more."""

REDIRECTED: Final = "state = 'redirected'"
"""URLs that lead to another, permanently or temporarily."""

FAILED: Final = "state = 'failed'"
"""URLs that cannot be had for the moment, which is no evidence."""

UNCONDITIONAL: Final = f"{FAILED} AND reason IN ('http 400', 'http 412')"
"""URLs whose server may refuse to be asked whether a page has changed."""

UNFETCHED: Final = "state IN ('known', 'refused')"
"""URLs of which nothing is known but what links say, or why they are not requested."""

UNLED: Final = f"(({GONE} OR state = 'known') AND NOT linked)"
"""URLs without a page that nothing leads to: given up, or met by an undone round alone."""

REQUESTED: Final = f"{WANTED} AND NOT {UNLED}"
"""URLs that each round requests."""

TOO_DEEP: Final = "reason = 'depth'"
"""URLs that are too far from the start; they may have been fetched when that was allowed."""

TRAP: Final = "reason = 'trap'"
"""URLs that look like a trap, or whose path has no place left for another query."""

READMITTED: Final = (
    f"({UNLED} OR {TOO_DEEP} OR state = 'refused' AND reason IN ('nofollow', 'scope', 'trap', 'template'))"
)
"""URLs that are not requested unless a page links to them that may be followed."""

SCOPED: Final = "(state != 'refused' OR reason IS NOT 'nofollow')"
"""URLs that another scope may refuse, or request: links may lead to them."""

REFUSED_BY_FORM: Final = "state = 'refused' AND reason IN ('rule', 'trap', 'type')"
"""URLs that are not requested for what they look like, or as an answer was no HTML."""

REFUSED_ON_SIGHT: Final = (
    f"({REFUSED_BY_FORM} AND linked OR state = 'refused' AND ({TOO_DEEP} OR reason = 'nofollow' "
    "AND page IN (SELECT target FROM fragment_links WHERE nofollow)))"
)
"""The same where something leads to them; URLs too far from the start, or that no link lets follow."""

LEFT_OUT_FOR_TEMPLATES: Final = "state = 'refused' AND reason = 'template'"
"""URLs that are not requested as templates alone lead to them."""

WELL: Final = "state IN ('held', 'released', 'delivered')"
"""Pages that were found well when they were last asked for."""

PAST: Final = f"({GONE} OR {REDIRECTED} AND reason IS NULL)"
"""Pages that are no more, here or at all. A redirect with a reason is one for the time being."""

FETCHED: Final = "fetched_run IS NOT NULL"
"""Pages that were fetched: the store has their body."""

ALLOWED: Final = "coalesce(excluded, '') != 'rule'"
"""Pages that no rule of the site file takes the document from."""

ALIVE: Final = f"{FETCHED} AND NOT {PAST} AND {ALLOWED}"
"""Pages that the site has: they were fetched, and nothing says that they are no more. What the site repeats
is counted over them."""

WHOLE: Final = (
    f"{ALIVE} AND instr(' ' || flags || ' ', ' truncated ') = 0 AND coalesce(reason, '') != '{CUT_SHORT}'"
)
"""Pages that were transferred whole, and have not broken off since."""

CURRENT: Final = f"{ALIVE} AND excluded IS NULL"
"""Pages that have a document."""

OTHER_CLASS: Final = "class"
"""Why a page gets no document that is not of the sample's class."""

LEFT_OUT: Final = f"{ALIVE} AND excluded = 'duplicate'"
"""Pages without a document, as another page is their original."""

JUDGED: Final = f"{ALIVE} AND (excluded IS NULL OR excluded = 'duplicate')"
"""Pages that may have one: what is nearly the same as another page is judged before it is left out."""

REACHED: Final = f"linked AND {WANTED}"
"""URLs that a new crawl would come to."""

FOUND: Final = f"{CURRENT} AND {WELL} AND {REACHED}"
"""Pages that have a document, were found well, and that a new crawl would come to."""

OUT_OF_REACH: Final = (
    f"(NOT linked OR state = 'refused' AND reason IN ('robots', 'archive', '{OTHER_TYPE}') "
    f"OR {REDIRECTED} OR NOT {WANTED})"
)
"""Stored pages that a round has missed: no link leads to them, robots.txt forbids them, the archive lacks
them, they are no HTML any more, or they redirect elsewhere for the time being."""

CANONICAL: Final = f"{CURRENT} AND {WELL} AND coalesce(canonical, page) = page"
"""Pages that another one may name as its canonical one: they name no further one."""

ELSEWHERE: Final = f"CASE WHEN {REDIRECTED} THEN target WHEN excluded = 'canonical' THEN canonical END"
"""The page in place of another one now: it redirects there, or names it as canonical; null for others."""

_HAS_DOCUMENT: Final = (
    "EXISTS (SELECT 1 FROM documents WHERE documents.page = pages.page AND op = 'index' AND "
)
_FINISHED: Final = ", ".join(f"'{outcome}'" for outcome in sorted(FINISHED))

ARRIVED: Final = f"{_HAS_DOCUMENT} delivered)"
"""Pages whose last document has arrived, and was not deleted."""

DELIVERED: Final = (
    f"{_HAS_DOCUMENT} (delivered OR sent_hash IS NOT NULL "
    f"OR documents.run <= (SELECT max(run) FROM runs WHERE outcome IN ({_FINISHED}))))"
)
"""The same, or an earlier one, or one of a round that is over: that it could not be delivered makes what was
stored no less the site."""

LOST: Final = f"{DELIVERED} AND {ALLOWED} AND ({GONE} OR {REDIRECTED})"
"""Pages that indexes have still, and that were found not to be there."""

BEFORE: Final = f"{DELIVERED} AND {WANTED} AND NOT (missed AND state = 'refused' AND reason = 'archive')"
"""Pages of the last good round, without those that its archive lacked."""

PENDING: Final = (
    "NOT (coalesce(delivered, 0) AND documents.run >= coalesce(fetched_run, 0) "
    "AND (op = 'index' OR excluded IS NOT NULL))"
)
"""Pages, joined with DOCUMENTS, whose last document never arrived, or was made before they were fetched
again: a run that was cut short between the two leaves them so. Or it was deleted, and the page is back."""

SEEN_AGAIN: Final = (
    "(substr(basis, 1, 7) = CAST('at most' AS BLOB) AND seen_run > "
    "(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'unseen_since'))"
)
"""Pages, joined with DOCUMENTS, that had not been seen when theirs was made, and kept less than they were
judged to for that (`store.judging.AT_MOST`): now they have been seen."""

# Multiplied and cut to 32 bits: two sets of as many pages are unlikely to have the same sum.
WHICH_PAGES: Final = (
    "count(*), coalesce(sum(page * 2654435761 % 4294967296), 0), coalesce(max(fetched_run), 0)"
)
"""Columns that name a set of pages: they differ where the set is another, or was fetched again."""

OBSOLETE: Final = (
    f"documents.page NOT IN (SELECT page FROM pages WHERE {CURRENT}) AND (op = 'index' OR NOT delivered)"
)
"""Documents that went out, of pages that are to have no document any more."""
