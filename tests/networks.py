"""Networks and words by chance."""

from __future__ import annotations

import numpy as np

from pagelets.methods.judged.model.network import DILATIONS, Network
from pagelets.methods.judged.model.tokens import BUCKETS, Tokens


def network(features: int, seed: int = 1, width: int = 8) -> Network:
    """Returns a network of so many ``features``, by a ``seed``; its layers have a ``width``."""
    draw = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (features,), "deviation": (features,), "words": (BUCKETS, 6), "names": (BUCKETS, 4),
        "meanings": (30, 5), "in": (features + 19, width), "in_bias": (width,),
        "out": (width, width), "out_bias": (width,), "last": (width, 1), "last_bias": (1,),
    }  # fmt: skip
    for place in range(len(DILATIONS)):
        shapes |= {f"{name}_{place}": (width,) for name in ("scale", "shift", "bias")}
        shapes |= {f"taps_{place}": (3, width, width), f"page_{place}": (2 * width, width)}
    # Of 16 bits each, as they are stored.
    arrays = {name: draw.normal(scale=0.4, size=shape).astype(np.float16) for name, shape in shapes.items()}
    arrays["deviation"] = np.abs(arrays["deviation"]) + np.float16(0.1)
    for table in ("words", "names", "meanings"):
        arrays[table][0] = 0
    return Network(arrays)


def random_tokens(blocks: int, seed: int = 1) -> Tokens:
    """Words of so many blocks, a third of them missing."""
    draw, none = np.random.default_rng(seed), Tokens.none(blocks)
    made = []
    sizes = (none.words, BUCKETS), (none.meanings, 30), (none.near, BUCKETS), (none.far, BUCKETS)
    for numbers, size in sizes:
        drawn = draw.integers(1, size, numbers.shape)
        made.append(np.where(draw.random(numbers.shape) < 1 / 3, 0, drawn).astype(np.int32))
    return Tokens(*made)
