"""The pages with pagelets of a sketch, counted as detection counts them."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
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
        "WITH wanted (fragment, sketch) AS MATERIALIZED "
        "(SELECT value ->> 0, value ->> 1 FROM json_each(?)) "
        "SELECT sketch, pages.host, min(url), pages.page FROM pagelets JOIN wanted USING (fragment) "
        f"JOIN pages USING (page) WHERE {ALIVE} GROUP BY sketch, pages.host, pages.fingerprint",
        (json.dumps(fragments),),
    ).fetchall()
    texts = f"SELECT host, count(DISTINCT fingerprint) FROM pages WHERE {ALIVE} GROUP BY host"
    of_hosts = dict(connection.execute(texts))
    held: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for sketch, host, url, page in rows:
        held[sketch].append((url, page, host))
    by_sketch = {}
    for sketch, places in held.items():
        page = min(places)[1]
        (position,) = connection.execute(
            "SELECT min(position) FROM pagelets JOIN fragments USING (fragment) "
            "WHERE page = ? AND sketch = ?",
            (page, sketch),
        ).fetchone()
        all_pages = sum(of_hosts[host] for host in {host for _, _, host in places})
        by_sketch[sketch] = Occurrence(len(places), len(places) / all_pages, page, position)
    return by_sketch


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
