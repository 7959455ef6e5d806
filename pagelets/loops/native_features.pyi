from typing import Final

import numpy as np
from numpy.typing import NDArray

from pagelets.loops.contexts import Around, Context, Counted, Repeats
from pagelets.loops.plain import Climbed, ColumnPlan, Floats, Integers, Ratios

SOURCE: Final[str]

def write(matrix: NDArray[np.float32], plan: ColumnPlan, values: Floats, at: Integers | None) -> None: ...
def grouped(groups: Integers, values: Floats) -> Floats: ...
def ratios(values: Floats, plan: Ratios) -> Floats: ...
def context(
    held: Climbed, page: Counted, marked: Integers, siblings: tuple[Integers, Integers], plan: Around
) -> Context: ...
def repeats(
    chars: Floats,
    known: Floats,
    bounds: tuple[Integers, Integers, Integers],
    shifts: Integers,
    windows: Integers,
) -> Repeats: ...
