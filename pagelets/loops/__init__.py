"""Loops over the texts and the elements of a page, compiled where that can be used (`pagelets.compiled`).

They know nothing of what is counted: tables say that. Both ways give the same numbers, bit for bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pagelets.compiled import compiled
from pagelets.loops import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.loops.contexts import Around, Context, Counted, Repeats
    from pagelets.loops.layers import Singles
    from pagelets.loops.plain import Climbed, ColumnPlan, Floats, Inline, Integers, Ratios, Tally
    from pagelets.loops.trees import Trees
    from pagelets.tree import Ids

Pair: TypeAlias = "tuple[Integers, Integers]"

_chosen: ModuleType = compiled("pagelets.loops.native") or plain
_features: ModuleType = compiled("pagelets.loops.native_features") or plain
_texts: ModuleType = compiled("pagelets.loops.native_texts") or plain

advanced: Callable[[Singles, Singles, Singles, Singles, Singles], Singles] = _chosen.advanced
alike: Callable[..., Integers] = _chosen.alike
bits: Callable[[list[str], Ids, Ids, dict[str, int], int], NDArray[np.uint64]] = _texts.bits
blocks: Callable[..., tuple[Floats, int, int]] = _features.blocks
climb: Callable[[Integers, Ids, Ids], Climbed] = _chosen.climb
context: Callable[[Climbed, Counted, Integers, Pair, Around], Context] = _features.context
ends: Callable[[Sequence[str], Mapping[str, int], tuple[int, int], tuple[int, int]], Ids] = _texts.ends
fall: Callable[[NDArray[np.float32], Trees, int, int], Floats] = _chosen.fall
grouped: Callable[[Integers, Floats], Floats] = _features.grouped
inherited: Callable[[NDArray[np.uint64], Integers, NDArray[np.bool_]], NDArray[np.uint64]] = _chosen.inherited
inline: Callable[[Integers, list[slice], Sequence[int], Sequence[int], int, int], Inline] = _chosen.inline
link_sums: Callable[[list[str], list[str], list[slice], str], Floats] = _texts.link_sums
mark: Callable[[NDArray[np.float32], ColumnPlan, NDArray[np.uint64], Integers | None], None] = _features.mark
means: Callable[[Singles, Ids], Singles] = _chosen.means
name_numbers: Callable[[list[str], Ids, Mapping[str, int], str, int, int], Ids] = _texts.name_numbers
named: Callable[[Integers, Ids, Ids, Ids, Sequence[int]], Ids] = _chosen.named
nearest: Callable[[NDArray[np.bool_], Integers], Integers] = _chosen.nearest
normalised: Callable[[Singles, Singles, Singles, float], tuple[Singles, Singles]] = _chosen.normalised
runs: Callable[[Sequence[str], NDArray[np.bool_]], Floats] = _texts.runs
numbered: Callable[[Ids, dict[str, int], dict[str, int], int], Integers] = _features.numbered
ordinals: Callable[[Integers], tuple[Integers, Integers]] = _chosen.ordinals
overlap: Callable[[Sequence[str], AbstractSet[str], int], Floats] = _texts.overlap
ratios: Callable[[Floats, Ratios], Floats] = _features.ratios
repeats: Callable[..., Repeats] = _features.repeats
tally: Callable[[Sequence[str], NDArray[np.uint8], int, int, int], Tally] = _texts.tally
write: Callable[[NDArray[np.float32], ColumnPlan, Floats, Integers | None], None] = _features.write
