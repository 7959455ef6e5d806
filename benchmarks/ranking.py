"""How well a ranked list of results answers a query: the figures of one query, whose means are reported."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

CUTOFF: Final = 10
"""Results beyond this rank count as not found."""


def reciprocal_rank(ranked: Sequence[str], answers: Collection[str], cutoff: int = CUTOFF) -> float:
    """One divided by the rank, from 1, of the first answer among the first results; 0 where there is none.

    Its mean over queries is MRR@cutoff: Voorhees, "The TREC-8 Question Answering Track Report", 1999.
    """
    for rank, result in enumerate(ranked[:cutoff], 1):
        if result in answers:
            return 1 / rank
    return 0.0


def ndcg(ranked: Sequence[str], answers: Collection[str], cutoff: int = CUTOFF) -> float:
    """The discounted gain of the first results, where each answer gains 1, as a share of the best possible.

    nDCG@cutoff with the discount ``log2(rank + 1)``: Järvelin and Kekäläinen, "Cumulated gain-based
    evaluation of IR techniques", ACM TOIS 20(4), 2002. A result that comes twice gains once. Raises
    ValueError where there is no answer.
    """
    wanted = set(answers)
    if not wanted:
        raise ValueError("a query without an answer has no nDCG")
    gained = 0.0
    for rank, result in enumerate(ranked[:cutoff], 1):
        if result in wanted:
            wanted.remove(result)
            gained += 1 / log2(rank + 1)
    best = min(len(set(answers)), cutoff)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, best + 1))
