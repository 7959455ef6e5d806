"""All features of a page's blocks, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pagelets.methods.judged.context_features import context_features
from pagelets.methods.judged.page_features import page_features
from pagelets.methods.judged.site_features import site_features
from pagelets.methods.judged.table import Columns, Floats, Integers, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.containers import Containers
    from pagelets.judging.page_facts import PageFacts
    from pagelets.methods.judged.names import Vocabulary
    from pagelets.page import Page
    from pagelets.partition import Pagelet

VERSION: Final = 1
"""Counts the changes of what features mean: a model of another version is of no use."""


@dataclass(slots=True, frozen=True, eq=False)
class Vocabularies:
    """The words that features tell apart: those that name parts of a page, and what it says of the whole."""

    parts: Vocabulary
    whole: Vocabulary


def own_features(
    page: Page, containers: Containers, known: Vocabularies, wanted: Columns | None = None
) -> tuple[Table, Floats, Integers]:
    """The features that the page itself tells, of its blocks, of which there is at least one: all, or those
    wanted.

    Returns them with the blocks' characters (float64[b]) and the levels that are around them, which the
    site's features take.
    """
    table = Table(len(page.blocks), wanted)
    counted = page_features(page, containers, known.parts, known.whole, table)
    return table, counted.counts[:, 0], context_features(containers, counted, table)


def features(
    page: Page, pagelets: Sequence[Pagelet], containers: Containers, evidence: PageFacts, known: Vocabularies,
    wanted: Columns | None = None,
) -> Table:  # fmt: skip
    """All features of a page's blocks, of which there is at least one, or those ``wanted``."""
    table, chars, levels = own_features(page, containers, known, wanted)
    site_features(chars, pagelets, containers, levels, evidence, table)
    return table
