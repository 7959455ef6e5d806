"""Templates of crawled pages: local and global detection over the relations PAGES, PAGELETS and LINKS.

Source: Ziv Bar-Yossef and Sridhar Rajagopalan, "Template Detection via Data Mining and its Applications",
WWW 2002, Section 3.2. `pagelets.detection.relations` says which relations the connection must have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from pagelets.detection.base import PageSets, Templates
from pagelets.detection.global_ import find_global
from pagelets.detection.local import find_local
from pagelets.detection.portions import BATCH_ROWS
from pagelets.detection.tables import Tables

if TYPE_CHECKING:
    import duckdb

__all__ = ["Algorithm", "PageSets", "Templates", "check_parameters", "find_templates"]

Algorithm = Literal["local", "global"]


def find_templates(
    con: duckdb.DuckDBPyConnection,
    algorithm: Algorithm,
    min_pages: int = 2,
    min_share: float = 0.0,
    *,
    batch_rows: int = BATCH_ROWS,
) -> Templates:
    """Finds the templates among the pages that the connection shows.

    Args:
        con: a connection with the relations of `pagelets.detection.relations`. Its limits (memory, threads,
            temporary directory) are the caller's; temporary tables named detection_* and template_* are made
            and dropped.
        algorithm: `local` (Figure 4) or `global` (Figure 5).
        min_pages: a template is on so many pages, 2 or more. 2 with `min_share` 0 is the paper's rule.
        min_share: and on this share of the pages of the hosts on which it occurs, from 0 to 1.
        batch_rows: about so many rows of pagelets or links are taken into memory at once; the result does not
            depend on it.

    Returns:
        The templates, sorted by (sketch, smallest URL of the group).

    Raises:
        ValueError: a parameter is out of range; the text says which and what it may be.
        duckdb.Error: a relation is missing or a limit of the connection was reached.

    """
    check_parameters(algorithm, min_pages, min_share)
    if isinstance(batch_rows, bool) or not isinstance(batch_rows, int) or batch_rows < 1:
        raise ValueError(f"batch_rows must be an integer of 1 or more, not {batch_rows!r}")
    if algorithm == "local":
        return find_local(Tables(con), min_pages, min_share, batch_rows)
    return find_global(Tables(con), min_pages, min_share, batch_rows)


def check_parameters(algorithm: str, min_pages: int, min_share: float) -> None:
    """Raises ValueError for an ``algorithm``, ``min_pages`` or ``min_share`` that is out of range."""
    if algorithm not in get_args(Algorithm):
        raise ValueError(f"algorithm must be 'local' or 'global', not {algorithm!r}")
    if isinstance(min_pages, bool) or not isinstance(min_pages, int) or min_pages < 2:
        raise ValueError(
            f"min_pages must be an integer of 2 or more, not {min_pages!r}: one page repeats nothing"
        )
    if isinstance(min_share, bool) or not isinstance(min_share, int | float) or not 0 <= min_share <= 1:
        raise ValueError(f"min_share must be a number from 0 to 1, not {min_share!r}")
