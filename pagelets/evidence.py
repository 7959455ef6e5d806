"""What a site knows of one of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True)
class Evidence:
    """What the site knows of one page, as arrays aligned with its pagelets and its blocks.

    ``templates`` holds the id of each pagelet's template, 0 where it is none; ``pagelet_pages`` and
    ``pagelet_shares`` that template's support; ``block_pages`` and ``block_shares`` the support of each
    block's text, 0 where it is on no other page. ``version`` names the set of templates. ``affixes`` are the
    parts of titles that name the site.
    """

    templates: Sequence[int]
    pagelet_pages: Sequence[int]
    pagelet_shares: Sequence[float]
    block_pages: Sequence[int]
    block_shares: Sequence[float]
    version: str = ""
    affixes: frozenset[str] = frozenset()

    @classmethod
    def none(cls, pagelets: int, blocks: int) -> Evidence:
        """The evidence of a page whose site is not known."""
        return cls([0] * pagelets, [0] * pagelets, [0.0] * pagelets, [0] * blocks, [0.0] * blocks)
