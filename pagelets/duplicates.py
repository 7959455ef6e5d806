"""Which texts are nearly the same: MinHash signatures, and the bands that bring similar ones together.

After Broder, "On the resemblance and containment of documents" (1997), and Leskovec, Rajaraman & Ullman,
"Mining of Massive Datasets", chapter 3: the share of equal values of two signatures estimates the Jaccard
similarity of the texts' sets of shingles; signatures are cut into bands, and texts that share a band are
compared. Of two texts of similarity s the estimate has a standard deviation of sqrt(s (1 - s) / 64), and they
share a band with probability 1 - (1 - s^8)^8: 0.99 at s = 0.9, 0.03 at s = 0.5.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from pagelets.sketch import Scheme, hashed

Signature: TypeAlias = npt.NDArray[np.uint32]

VALUES: Final = 64
BANDS: Final = 8
ROWS: Final = VALUES // BANDS

_SHINGLE: Final = 4
_SCHEMES: Final = tuple(
    Scheme(num_perm=VALUES, shingle_size=size, links=False) for size in range(1, _SHINGLE + 1)
)


def signature(text: str) -> Signature | None:
    """The `VALUES` MinHash values of a text over its shingles of four words; None for a text without words.

    A text of fewer than four words is one shingle. Case, punctuation and space do not count.
    """
    found = hashed(text)
    if not len(found):
        return None
    scheme = _SCHEMES[min(len(found), _SHINGLE) - 1]
    # The upper half of a product modulo 2**64 depends on all bits of its factors.
    return (scheme.minima(scheme.shingles(found)) >> np.uint64(32)).astype(np.uint32)


def bands(values: Signature) -> list[int]:
    """The keys of a signature's `BANDS` bands, each from 0 to 2**63 - 1.

    Two signatures have a key in common where they agree in the `ROWS` values of a band.
    """
    rows = values.astype("<u4").reshape(BANDS, ROWS)
    return [
        int.from_bytes(hashlib.blake2b(row.tobytes(), digest_size=8, salt=bytes([band])).digest(), "little")
        >> 1
        for band, row in enumerate(rows)
    ]


def similarity(a: Signature, b: Signature) -> float:
    """The estimated Jaccard similarity of two texts, from their signatures: 0 to 1, in steps of 1/64."""
    return float(np.count_nonzero(a == b)) / VALUES


class NearDuplicates:
    """Texts one after the other: of each, the first of those before it that is nearly the same.

    Two texts are, where they share a band and are ``threshold`` similar or more.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._signatures: list[Signature] = []
        self._bands: dict[int, list[int]] = defaultdict(list)

    def first(self, values: Signature | None) -> int | None:
        """Takes the next text's signature, None for one without words; returns the place among those that
        were given of the first that is nearly the same, None where there is none.
        """
        self._signatures.append(np.zeros(VALUES, np.uint32) if values is None else values)
        if values is None:
            return None
        sharing = [self._bands[key] for key in bands(values)]
        found = next(
            (
                place
                for place in heapq.merge(*sharing)
                if similarity(self._signatures[place], values) >= self._threshold
            ),
            None,
        )
        for band in sharing:
            band.append(len(self._signatures) - 1)
        return found
