"""The relations that both algorithms start from.

Input, under these names (tables, or views over Parquet); no column NULL, no id below 0:

    pages(page BIGINT, host BIGINT, url VARCHAR, fingerprint BIGINT)   page and url unique
    pagelets(page BIGINT, position INTEGER, fragment BIGINT)           (page, position) unique
    fragments(fragment BIGINT, sketch BIGINT)                          fragment unique
    fragment_links(fragment BIGINT, target BIGINT)                     a target may be missing in pages

Narrower integers are as good.

LINKS of the paper is pagelets ⋈ fragment_links, restricted to targets in pages that are not the page itself.

Pages are numbered by URL first, and everything after that is computed on these ordinals: so the ids that
pages got by order of arrival decide nothing, "the smallest URL" is a plain MIN, and arrays by ordinal have no
holes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pagelets.detection.portions import EVERY, arranged, ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.detection.tables import Kept, Tables

# TEMPLATE_SHINGLES, with the fragments that have them: MIN and MAX of the page tell "at least two pages"
# without counting distinct pages, and leave out what is unique, most of the fragments, before anything is
# grouped by page. Of all pages, those that do not count among them: another join would take as much memory
# again, and what only they repeat falls out where support is counted.
TEMPLATE_FRAGMENTS = """
SELECT fragments.fragment AS fragment, fragments.sketch AS sketch
FROM fragments
JOIN (
    SELECT fragments.sketch AS sketch
    FROM pagelets
    JOIN fragments ON fragments.fragment = pagelets.fragment
    GROUP BY fragments.sketch
    HAVING MIN(pagelets.page) < MAX(pagelets.page)
) AS shingles ON shingles.sketch = fragments.sketch
"""

# TEMPLATE_CANDIDATES, one row a sketch and page: a sketch twice on a page is support from one page. Of some
# of the pages.
TEMPLATE_CANDIDATES = """
SELECT fragments.sketch AS sketch, sources.ordinal AS ordinal, MIN(pagelets.position) AS position
FROM pagelets
JOIN detection_sources AS sources ON sources.page = pagelets.page
JOIN template_fragments AS fragments ON fragments.fragment = pagelets.fragment
WHERE pagelets.page >= {first} AND pagelets.page <= {last}
    AND sources.page >= {first} AND sources.page <= {last}
GROUP BY fragments.sketch, sources.ordinal
"""

_PAGELETS: Final = 10
"""For each row that is taken into memory, DuckDB looks at so many pagelets."""


@contextmanager
def numbered_pages(tables: Kept) -> Iterator[None]:
    """Keeps `detection_pages(page, host, fingerprint, ordinal)`; drops in the end all that is kept."""
    with tables.scratch():
        # URLs are unique; the page id in the order only keeps the numbering a function of the rows where
        # they are not.
        tables.number("detection_pages", "page, host, fingerprint", "pages", "url, page", "ordinal")
        yield


def page_ranges(tables: Tables, batch_rows: int) -> list[tuple[int, int]]:
    """The ranges of page ids, first and last, whose pagelets are looked at in one query."""
    pagelets = int(tables.read("SELECT COUNT(*) AS pagelets FROM pagelets")["pagelets"][0])
    parts = -(-pagelets // (_PAGELETS * batch_rows))
    return [EVERY] if parts < 2 else ranges_of(tables.read("SELECT page FROM pages")["page"], parts)


def find_candidates(tables: Kept, sources: str, ranges: Sequence[tuple[int, int]] = (EVERY,)) -> None:
    """Keeps `template_candidates(sketch, ordinal, position)`: sketches by the pages they are on, those on two
    pages or more and perhaps some that have only duplicates beside one of them.

    Args:
        tables: those of `numbered_pages`.
        sources: a SELECT of (page, host, ordinal), the pages to look at; kept as `detection_sources`.
        ranges: of page ids, that are looked at one after the other.

    """
    tables.keep("detection_sources", sources)
    tables.keep("template_fragments", TEMPLATE_FRAGMENTS)
    candidates = (TEMPLATE_CANDIDATES.format(first=first, last=last) for first, last in ranges)
    tables.gather("template_candidates", candidates)
    tables.drop("template_fragments")


def pages_by_ordinal(tables: Tables) -> NDArray[np.int64]:
    """The page id at each ordinal, int64[number of pages]."""
    rows = tables.read("SELECT ordinal, page FROM detection_pages")
    return arranged(rows["ordinal"], rows["page"])
