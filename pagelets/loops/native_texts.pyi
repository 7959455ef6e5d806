from collections.abc import Sequence
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
