"""Numbers by which templates and duplicates are found, and the one place of their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelets.detection import Algorithm


@dataclass(slots=True, frozen=True)
class Detection:
    """Parameters of detection: the algorithm, and the support that makes a group of pagelets a template.

    ``block_share`` is the share of a site's pages on which a block's text counts as repeated, 0 for never.
    With ``near_duplicates`` pages with the same shingle count once, as the paper has it, and not only those
    with the same text.
    """

    algorithm: Algorithm = "local"
    min_pages: int = 3
    min_share: float = 0.1
    block_share: float = 0.5
    near_duplicates: bool = False

    @property
    def support(self) -> tuple[int, float]:
        """The least number of pages that a template is on, and their least share."""
        return self.min_pages, self.min_share


@dataclass(slots=True, frozen=True)
class Duplicates:
    """Parameters of near duplicates: whether the texts of a site's pages are compared, the least similarity
    of two that are nearly the same, and whether pages with another original are left out.
    """

    compared: bool = True
    min_similarity: float = 0.9
    left_out: bool = False

    @property
    def similarity(self) -> float | None:
        """The similarity that makes duplicates, None where texts are not compared."""
        return self.min_similarity if self.compared else None
