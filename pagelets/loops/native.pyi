from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pagelets.loops.plain import Climbed, Floats, Inline, Integers
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
def fall(matrix: NDArray[np.float32], trees: Trees, first: int, last: int) -> Floats: ...
def means(table: NDArray[np.float32], numbers: NDArray[np.int32]) -> NDArray[np.float32]: ...
def normalised(
    rows: NDArray[np.float32], scale: NDArray[np.float32], shift: NDArray[np.float32], least: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
def advanced(
    rows: NDArray[np.float32],
    itself: NDArray[np.float32],
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]: ...
