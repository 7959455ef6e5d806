"""The pages with pagelets of a sketch, counted as detection counts them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from pagelets.judging.decisions import PINNED, REJECTED
from store.states import ALIVE


@dataclass(slots=True, frozen=True)
class TemplateFrequency:
    """The number of pages of a site, and of those that contain a template."""

    pages: int
    with_template: int

    def __str__(self) -> str:
        """Returns the counts in words."""
        share = f" ({self.with_template / self.pages:.0%})" if self.pages else ""
        return f"{self.with_template:,} of {self.pages:,} pages{share} contain a template"


@dataclass(slots=True, frozen=True)
class Occurrence:
    """On how many pages a sketch is, which share of the pages of their hosts that is, and the first of them:
    that with the smallest URL, and the first position on it.
    """

    pages: int
    share: float
    page: int
    position: int


def occurrences(connection: sqlite3.Connection, sketches: Collection[int]) -> dict[int, Occurrence]:
    """The occurrences of sketches, without those that no page of the site holds.

    Of the pages of a host with the same text one counts. One pass over all pagelets, if any fragment has one
    of the sketches at all.
    """
    # Fragments first: most sketches that are asked for here belong to texts that are gone.
    fragments = connection.execute(
        "SELECT fragment, sketch FROM fragments WHERE sketch IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(sketches)),),
    ).fetchall()
    if not fragments:
        return {}
    rows = connection.execute(
        # One pass over the pagelets: as an integer what is wanted is found by an index.
        "WITH wanted (fragment, sketch) AS MATERIALIZED "
        "(SELECT CAST(value ->> 0 AS INTEGER), value ->> 1 FROM json_each(?)), "
        "held AS MATERIALIZED (SELECT sketch, pages.host AS host, min(url) AS url, pages.page AS page "
        "FROM pagelets CROSS JOIN wanted USING (fragment) CROSS JOIN pages USING (page) "
        f"WHERE {ALIVE} GROUP BY sketch, pages.host, pages.fingerprint), "
        "sizes AS (SELECT host, count(DISTINCT fingerprint) AS size FROM pages "
        f"WHERE {ALIVE} GROUP BY host), "
        "around AS (SELECT sketch, sum(size) AS size FROM (SELECT DISTINCT sketch, host FROM held) "
        "JOIN sizes USING (host) GROUP BY sketch), "
        # A column beside one min() is of the row that has it.
        "firsts AS (SELECT sketch, count(*) AS pages, min(url), page FROM held GROUP BY sketch) "
        "SELECT sketch, pages, CAST(pages AS REAL) / size, page, "
        "(SELECT min(position) FROM pagelets JOIN fragments USING (fragment) "
        "WHERE pagelets.page = firsts.page AND fragments.sketch = firsts.sketch) "
        "FROM firsts JOIN around USING (sketch)",
        (json.dumps(fragments),),
    )
    return {sketch: Occurrence(*occurrence) for sketch, *occurrence in rows}


def template_frequency(connection: sqlite3.Connection) -> TemplateFrequency:
    """Counts the pages that contain a template (Bar-Yossef & Rajagopalan, WWW 2002, Table 2), without
    rejected ones, by a ``connection`` to the store. Of the pages of a host with the same text one counts.
    """
    sets = connection.execute(
        "SELECT pages FROM page_sets WHERE page_set IN (SELECT page_set FROM templates WHERE state != ?)",
        (REJECTED,),
    )
    in_sets = {page for (pages,) in sets for page in np.frombuffer(pages, "<i4").tolist()}
    row = connection.execute(
        "WITH everywhere AS MATERIALIZED (SELECT fragment FROM fragments JOIN templates USING (sketch) "
        "WHERE state = ?1 OR page_set IS NULL AND state != ?2), "
        "texts AS (SELECT max(page IN (SELECT value FROM json_each(?3)) OR EXISTS ("
        "SELECT 1 FROM pagelets WHERE pagelets.page = pages.page AND fragment IN everywhere)) AS found "
        f"FROM pages WHERE {ALIVE} GROUP BY host, fingerprint) "
        "SELECT count(*), coalesce(sum(found), 0) FROM texts",
        (PINNED, REJECTED, json.dumps(list(in_sets))),
    )
    return TemplateFrequency(*row.fetchone())
