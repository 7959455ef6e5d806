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
    """The words that features know: those that name parts of a page, and those that describe the whole."""

    parts: Vocabulary
    whole: Vocabulary


def own_features(
    page: Page, containers: Containers, known: Vocabularies, wanted: Columns | None = None
) -> tuple[Table, Floats, Integers]:
    """Returns the features of a page's blocks that come from the page itself.

    Args:
        page: the page, with at least one block.
        containers: the elements around its blocks.
        known: the words that features know.
        wanted: the wanted features, None for all.

    Returns:
        The features, the characters of the blocks (float64[b]) and the levels around them, which the site's
        features take.

    """
    table = Table(len(page.blocks), wanted)
    counted = page_features(page, containers, known.parts, known.whole, table)
    return table, counted.counts[:, 0], context_features(containers, counted, table)


def features(
    page: Page, pagelets: Sequence[Pagelet], containers: Containers, evidence: PageFacts, known: Vocabularies,
    wanted: Columns | None = None,
) -> Table:  # fmt: skip
    """Returns the features of a page's blocks.

    Args:
        page: the page, with at least one block.
        pagelets: its pagelets.
        containers: the elements around its blocks.
        evidence: the site's facts on the page.
        known: the words that features know.
        wanted: the wanted features, None for all.

    """
    table, chars, levels = own_features(page, containers, known, wanted)
    site_features(chars, pagelets, containers, levels, evidence, table)
    return table
