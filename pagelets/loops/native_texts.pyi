from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pagelets.loops.plain import Floats, Tally

SOURCE: Final[str]

def link_sums(urls: list[str], texts: list[str], spans: list[slice], host: str) -> Floats: ...
def tally(texts: Sequence[str], kind_of: NDArray[np.uint8], width: int, low: int, high: int) -> Tally: ...
def runs(texts: Sequence[str], is_part: NDArray[np.bool_]) -> Floats: ...
def overlap(texts: Sequence[str], words: AbstractSet[str], longest: int) -> Floats: ...
def bits(
    strings: list[str],
    tags: NDArray[np.int32],
    values: NDArray[np.int32],
    known: dict[str, int],
    longest: int,
) -> NDArray[np.uint64]: ...
def ends(
    texts: Sequence[str], numbers: Mapping[str, int], most: tuple[int, int], read: tuple[int, int]
) -> NDArray[np.int32]: ...
def name_numbers(
    strings: list[str],
    places: NDArray[np.int32],
    numbers: Mapping[str, int],
    prefix: str,
    most: int,
    longest: int,
) -> NDArray[np.int32]: ...
