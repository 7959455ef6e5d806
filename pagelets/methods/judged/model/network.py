"""A network over a page's blocks in their order, as arrays.

It reads what trees cannot: words, names of elements, and the course of the page. Its layers are dilated
convolutions over the blocks (Strubell et al., "Fast and Accurate Entity Recognition with Iterated Dilated
Convolutions", EMNLP 2017), each given the mean and the maximum of the page; words are embedded by their hash
(Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from pagelets import loops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from pagelets.methods.judged.model.tokens import Tokens

Floats: TypeAlias = "NDArray[np.float32]"

DILATIONS: Final = (1, 2, 4, 8, 16)
"""How many blocks a layer looks back and ahead."""
MEANINGS: Final = "meanings"
LOOKED_UP: Final = (("words", "words"), (MEANINGS, "meanings"), ("names", "near"), ("names", "far"))
"""Tables, and the tokens that are looked up in each."""
MOST: Final = 5.0
"""Standard deviations: a feature further from its mean counts as one of so many."""
_STORED: Final = np.dtype("<f2")
EPSILON: Final = 1e-5
_ONE_THREAD: Final = 1 << 18
"""Multiplications up to which OpenBLAS starts no thread."""


class Network:
    """The weights of a network, float32 arrays by name.

    ``mean`` and ``deviation`` [f] describe f features; ``words`` [`BUCKETS`, w] and ``names`` [`BUCKETS`, n]
    hold the meaning of each word, zeros for `NONE`. `MEANINGS` (`pagelets.methods.judged.model.meanings`) is
    not stored with the others. ``in`` and ``in_bias``, ``out`` and ``out_bias``,
    ``last`` and ``last_bias`` are layers of each block alone; of layer i ``scale_i``, ``shift_i`` [d] are for
    normalisation, ``taps_i`` [3, d, d] for the block before, itself and the one after, ``page_i`` [2 d, d]
    for the mean and the maximum of the page, ``bias_i`` [d].
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.floating]]) -> None:
        self.arrays = {name: np.ascontiguousarray(values, np.float32) for name, values in arrays.items()}

    @classmethod
    def from_bytes(cls, content: bytes, shapes: Mapping[str, Sequence[int]], meanings: Floats) -> Network:
        """Reads a network. Raises ValueError where content and shapes do not fit.

        Args:
            content: what `to_bytes` wrote.
            shapes: of its arrays, by name.
            meanings: its table of what words mean.

        """
        weights = np.frombuffer(content, _STORED)
        ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
        parts = np.split(weights, ends)
        if parts.pop().size:
            raise ValueError("the network has more weights than its shapes")
        arrays = {
            name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }
        return cls({**arrays, MEANINGS: meanings})

    @property
    def shapes(self) -> dict[str, list[int]]:
        """The shape of each array that is stored, by name."""
        return {name: list(self.arrays[name].shape) for name in sorted(self.arrays) if name != MEANINGS}

    def to_bytes(self) -> bytes:
        """Returns the weights in 16 bits each, in the order of `shapes`."""
        return b"".join(self.arrays[name].astype(_STORED).tobytes() for name in self.shapes)

    def odds(self, features: Floats, tokens: Tokens) -> NDArray[np.float64]:
        """Returns the log odds that each of a page's b blocks is content: float64[b].

        Args:
            features: those of the page itself, float32[b, f].
            tokens: the words of the blocks and of the elements around them.

        """
        get = self.arrays.__getitem__
        known = (squeezed(features) - get("mean")) / get("deviation")
        known = np.minimum(np.maximum(known, -MOST, out=known), MOST, out=known)
        looked_up = [loops.means(get(table), getattr(tokens, numbers)) for table, numbers in LOOKED_UP]
        state = _rectified(_product(np.concatenate([known, *looked_up], axis=1), get("in")) + get("in_bias"))
        for place, reach in enumerate(DILATIONS):
            level, page = loops.normalised(state, get(f"scale_{place}"), get(f"shift_{place}"), EPSILON)
            bias = page @ get(f"page_{place}") + get(f"bias_{place}")
            before, itself, after = get(f"taps_{place}")
            others = _product(level[:-reach], before), _product(level[reach:], after)
            state = loops.advanced(state, _product(level, itself), *others, bias)
        last = _rectified(_product(state, get("out")) + get("out_bias")) @ get("last") + get("last_bias")
        odds: NDArray[np.float64] = last[:, 0].astype(np.float64)
        return odds


def squeezed(features: Floats) -> Floats:
    """Returns features on a scale of logarithms; a missing one is zero."""
    known = np.where(np.isfinite(features), features, np.float32(0))
    sizes = np.abs(known)
    return np.copysign(np.log1p(sizes, out=sizes), known, out=known)


def _product(rows: Floats, weights: Floats) -> Floats:
    """Multiplies rows with weights in parts that BLAS leaves to one thread: to share so little work between
    threads takes twice the CPU time.
    """
    step = max(1, _ONE_THREAD // weights.size)
    product = np.empty((len(rows), weights.shape[1]), np.float32)
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], weights, out=product[start : start + step])
    return product


def _rectified(values: Floats) -> Floats:
    return np.maximum(values, 0, out=values)
