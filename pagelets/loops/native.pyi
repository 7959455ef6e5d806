from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pagelets.loops.plain import Climbed, ColumnPlan, Floats, Inline, Integers, Ratios
from pagelets.loops.trees import Trees

SOURCE: Final[str]

def climb(blocks: Integers, parent: NDArray[np.int32], last: NDArray[np.int32]) -> Climbed: ...
def named(
    nodes: Integers,
    starts: NDArray[np.int32],
    name: NDArray[np.int32],
    value: NDArray[np.int32],
    wanted: Sequence[int],
) -> NDArray[np.int32]: ...
def inline(
    nodes: Integers,
    spans: list[slice],
    places: Sequence[int],
    holders: Sequence[int],
    picture: int,
    most: int,
) -> Inline: ...
def inherited(
    masks: NDArray[np.uint64], parent: Integers, outer: NDArray[np.bool_]
) -> NDArray[np.uint64]: ...
def alike(*rows: NDArray[np.integer]) -> Integers: ...
def ordinals(groups: Integers) -> tuple[Integers, Integers]: ...
def nearest(wanted: NDArray[np.bool_], parent: Integers) -> Integers: ...
def write(matrix: NDArray[np.float32], plan: ColumnPlan, values: Floats, at: Integers | None) -> None: ...
def bits(
    strings: list[str],
    places: NDArray[np.int32],
    known: dict[str, bytes],
    learn: Callable[[str], bytes],
    width: int,
) -> NDArray[np.uint64]: ...
def grouped(groups: Integers, values: Floats) -> Floats: ...
def between(values: Floats, low: Integers, high: Integers) -> Floats: ...
def ratios(values: Floats, plan: Ratios) -> Floats: ...
def fall(matrix: NDArray[np.float32], trees: Trees, first: int, last: int) -> Floats: ...
