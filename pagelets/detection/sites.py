"""Templates of several sites that are looked at together, and on how many pages of each site they are.

Ids of pages and fragments are of one site. In the relations here they carry it: the bits above `SITE_BITS`
are the site's number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pagelets.detection import Algorithm, Templates, check_parameters, find_templates
from pagelets.detection.local import REPRESENTATIVES, supported_templates
from pagelets.detection.portions import BATCH_ROWS, entries_of
from pagelets.detection.relations import find_candidates, numbered_pages, page_ranges
from pagelets.detection.tables import Tables

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray


SITE_BITS: Final = 40
"""An id of a site takes so many bits at most."""

PAGES_OF_SITES = f"""
SELECT found.template AS template, sources.page >> {SITE_BITS} AS site, COUNT(*) AS pages
FROM template_candidates AS candidates
JOIN template_found AS found ON found.sketch = candidates.sketch
JOIN detection_sources AS sources ON sources.ordinal = candidates.ordinal
GROUP BY found.template, sources.page >> {SITE_BITS}
"""

ADDRESSES = (
    "SELECT pages.page, pages.url FROM pages JOIN template_samples ON template_samples.page = pages.page"
)


@dataclass(frozen=True, slots=True)
class SharedTemplate:
    """A template on pages of several sites: its sketch and support; the number of each site, and on how many
    of its pages it is; its page with the smallest address, and that address.
    """

    sketch: int
    pages: int
    share: float
    sites: dict[int, int]
    sample_page: int
    sample_url: str


@dataclass(frozen=True, slots=True, eq=False)
class SiteSupport:
    """The support of templates by site, one row a template and site, sorted by both: the index of the
    template, the number of the site, on how many of its pages the template is (int64[n] each).
    """

    template: NDArray[np.int64]
    site: NDArray[np.int64]
    pages: NDArray[np.int64]


def find_over_sites(
    con: duckdb.DuckDBPyConnection, algorithm: Algorithm, min_pages: int, min_share: float
) -> tuple[Templates, SiteSupport]:
    """Finds the templates of all sites together, as `find_templates` those of one, and where they stand.

    The pages of each site add up to a template's support. Raises as `find_templates`.

    Args:
        con: a connection with the relations of `pagelets.detection.relations`, whose ids carry their site.
        algorithm: `local` or `global`.
        min_pages: the least pages of a template.
        min_share: their least share of the pages of the hosts on which it occurs.

    """
    if algorithm == "global":
        templates = find_templates(con, algorithm, min_pages, min_share)
        return templates, _of_groups(templates)
    check_parameters(algorithm, min_pages, min_share)
    tables = Tables(con)
    with numbered_pages(tables):
        find_candidates(tables, REPRESENTATIVES, page_ranges(tables, BATCH_ROWS))
        templates = supported_templates(tables, min_pages, min_share)
        columns: dict[str, NDArray[Any]] = {
            "template": np.arange(len(templates), dtype=np.int64),
            "sketch": templates.sketch,
        }
        with tables.lent("template_found", columns):
            rows = tables.read(PAGES_OF_SITES)
    order = np.lexsort((rows["site"], rows["template"]))
    return templates, SiteSupport(rows["template"][order], rows["site"][order], rows["pages"][order])


def shared(
    con: duckdb.DuckDBPyConnection, templates: Templates, support: SiteSupport
) -> list[SharedTemplate]:
    """Returns the templates of `find_over_sites` on pages of two sites or more.

    Args:
        con: the same connection.
        templates: all templates.
        support: the pages of each site that has them.

    """
    bounds = np.searchsorted(support.template, np.arange(len(templates) + 1))
    several = np.flatnonzero(np.diff(bounds) > 1)
    samples = {"page": np.unique(templates.sample_page[several])}
    tables = Tables(con)
    with tables.lent("template_samples", samples):
        rows = tables.read(ADDRESSES)
    urls = dict(zip(rows["page"].tolist(), rows["url"].tolist(), strict=True))
    listed = []
    for row in several.tolist():
        part, sample = slice(bounds[row], bounds[row + 1]), int(templates.sample_page[row])
        listed.append(
            SharedTemplate(
                int(templates.sketch[row]),
                int(templates.pages[row]),
                float(templates.share[row]),
                dict(zip(support.site[part].tolist(), support.pages[part].tolist(), strict=True)),
                sample,
                urls[sample],
            )
        )
    return listed


def _of_groups(templates: Templates) -> SiteSupport:
    """The support of templates that are on the pages of a group each."""
    groups = templates.groups
    number = np.repeat(np.arange(len(groups)), np.diff(groups.bounds))
    pairs, pages = np.unique((number << (63 - SITE_BITS)) | (groups.pages >> SITE_BITS), return_counts=True)
    number, site = pairs >> (63 - SITE_BITS), pairs & ((1 << (63 - SITE_BITS)) - 1)
    first, last = (np.searchsorted(number, templates.group, side) for side in ("left", "right"))
    template = np.repeat(np.arange(len(templates)), last - first)
    rows = entries_of(first, last - first)
    return SiteSupport(template, site[rows], pages[rows])
