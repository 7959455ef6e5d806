"""Near duplicates among texts: MinHash signatures, and the bands that bring similar ones together.

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
_RECENT: Final = 4096

_SHINGLE: Final = 4
_SCHEMES: Final = tuple(
    Scheme(num_perm=VALUES, shingle_size=size, links=False) for size in range(1, _SHINGLE + 1)
)


def signature(text: str) -> Signature | None:
    """The `VALUES` MinHash values of a text over its shingles of four words; None for a text without words.

    A text of fewer than four words is one shingle. Case, punctuation and space do not count.
    """
    hashes = hashed(text)
    if not len(hashes):
        return None
    scheme = _SCHEMES[min(len(hashes), _SHINGLE) - 1]
    # The upper half of a product modulo 2**64 depends on all bits of its factors.
    return (scheme.minima(scheme.shingles(hashes)) >> np.uint64(32)).astype(np.uint32)


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
        self._count = 0
        self._signatures = np.zeros((_RECENT, VALUES), np.uint32)
        # The places of each band's key: of most texts by sorted arrays, which take 12 bytes a band, ...
        self._keys = np.empty(0, np.int64)
        self._places = np.empty(0, np.int32)
        # ... of the last ones as they came.
        self._recent: dict[int, list[int]] = defaultdict(list)

    def first(self, values: Signature | None) -> int | None:
        """Takes the next text's signature, None for one without words; returns the place of the first earlier
        one that is nearly the same, or None.
        """
        place = self._count
        if place and place % _RECENT == 0:
            self._sort_recent()
        self._count += 1
        if values is None:
            return None
        self._signatures[place] = values
        keys = bands(values)
        begins, stops = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        sharing = [self._places[begin:stop] for begin, stop in zip(begins, stops, strict=True)]
        recent = [self._recent[key] for key in keys]
        earlier = next(
            (
                int(other)
                for other in heapq.merge(*sharing, *recent)
                if similarity(self._signatures[other], values) >= self._threshold
            ),
            None,
        )
        for places in recent:
            places.append(place)
        return earlier

    def _sort_recent(self) -> None:
        """Makes room for as many texts more."""
        if self._count + _RECENT > len(self._signatures):
            # Nobody else has seen them.
            self._signatures.resize((self._count + max(_RECENT, self._count // 4), VALUES), refcheck=False)
        keys = np.fromiter((key for key, places in self._recent.items() for _ in places), np.int64)
        places = np.fromiter((place for places in self._recent.values() for place in places), np.int32)
        self._recent.clear()
        keys, places = np.concatenate([self._keys, keys]), np.concatenate([self._places, places])
        # Stable: of equal keys those of earlier texts stay in front.
        order = np.argsort(keys, kind="stable")
        self._keys, self._places = keys[order], places[order]
