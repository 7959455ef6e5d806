"""Waiting URLs that templates alone lead to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from pagelets.judging.decisions import PINNED, REJECTED
from store.states import LEFT_OUT_FOR_TEMPLATES
from store.templates import ETDM

_LINKS = "FROM fragment_links WHERE NOT nofollow AND fragment"


class TemplateLinks(NamedTuple):
    """Ids of URLs: ``only`` are due, and links of templates alone lead to them; ``no_more`` were left out
    for that, and other links lead to them now. Of ``only``, those ``unasked`` were never requested.
    """

    only: list[int]
    unasked: list[int]
    no_more: list[int]


def known_templates(connection: sqlite3.Connection, sketches: Iterable[int]) -> set[int]:
    """The sketches of templates, given those that a detection has found: with what people and key pages have
    shown, without what people have rejected.
    """
    execute = connection.execute
    shown = execute("SELECT sketch FROM templates WHERE state = ? OR algorithm = ?", (PINNED, ETDM))
    rejected = execute("SELECT sketch FROM decisions WHERE state = ?", (REJECTED,))
    return {*sketches, *(sketch for (sketch,) in shown)} - {sketch for (sketch,) in rejected}


def template_links(connection: sqlite3.Connection, sketches: Iterable[int]) -> TemplateLinks:
    """Returns the targets of links in templates with these sketches that no other links lead to.

    Start URLs, and what sitemaps, redirects, canonical links and refreshes lead to, are not among them.
    Reads the links of the store once: linear in the rows of FRAGMENT_LINKS.
    """
    execute = connection.execute
    execute("CREATE TEMP TABLE of_templates (fragment INTEGER PRIMARY KEY)")
    execute("CREATE TEMP TABLE candidates (page INTEGER PRIMARY KEY)")
    try:
        execute(
            "INSERT INTO of_templates SELECT fragment FROM fragments "
            "WHERE sketch IN (SELECT value FROM json_each(?))",
            (json.dumps([*sketches]),),
        )
        of_templates = "(SELECT fragment FROM of_templates)"
        execute(
            f"INSERT INTO candidates SELECT page FROM pages WHERE (due OR {LEFT_OUT_FOR_TEMPLATES}) "
            f"AND depth > 0 AND page IN (SELECT target {_LINKS} IN {of_templates})"
        )
        execute(
            f"DELETE FROM candidates WHERE page IN (SELECT target {_LINKS} NOT IN {of_templates} "
            "AND target IN (SELECT page FROM candidates) UNION ALL SELECT page FROM sitemap_pages "
            "UNION ALL SELECT target FROM follows UNION ALL SELECT target FROM pages "
            "WHERE target IS NOT NULL UNION ALL SELECT canonical FROM pages WHERE canonical IS NOT NULL)"
        )
        only = execute(
            "SELECT page, state FROM candidates CROSS JOIN pages USING (page) WHERE due ORDER BY page"
        ).fetchall()
        no_more = execute(
            f"SELECT page FROM pages WHERE {LEFT_OUT_FOR_TEMPLATES} "
            "AND page NOT IN (SELECT page FROM candidates) "
            f"AND page IN (SELECT target {_LINKS} NOT IN {of_templates})"
        ).fetchall()
    finally:
        execute("DROP TABLE temp.of_templates")
        execute("DROP TABLE temp.candidates")
    return TemplateLinks(
        [page for page, _ in only],
        [page for page, state in only if state == "known"],
        [page for (page,) in no_more],
    )
