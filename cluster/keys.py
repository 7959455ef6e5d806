"""Keys of many sites in one table: 64 bits that carry the site, and can be turned back.

What a site counts by (texts, sketches, tag paths, addresses) is the same number on every site that has it.
Mixed with the site it is another number on each, so that a SELECT that groups by it keeps sites apart, and
needs no column of theirs. The mixing is one to one: with the site the first number can be had again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The finaliser of SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014).
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_WIDTH: Final = 1 << 64


def site_key(name: str) -> int:
    """The key of a site: signed 64 bits of its name."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def keyed(numbers: NDArray[np.integer[Any]], site: int) -> NDArray[np.int64]:
    """Numbers of n bits, 64 at most, as keys of a site: int64[n]."""
    mixed = numbers.astype(np.int64).view(np.uint64) + np.uint64(site % _WIDTH)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


def unkeyed(keys: NDArray[np.int64], site: int) -> NDArray[np.int64]:
    """The numbers that `keyed` has made keys of."""
    mixed = keys.view(np.uint64)
    mixed = _unshifted(mixed, 31) * np.uint64(pow(_SECOND, -1, _WIDTH))
    mixed = _unshifted(mixed, 27) * np.uint64(pow(_FIRST, -1, _WIDTH))
    return (_unshifted(mixed, 30) - np.uint64(site % _WIDTH)).view(np.int64)


def _unshifted(mixed: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Inverts ``x ^ x >> bits``."""
    original: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(bits)) ^ (mixed >> np.uint64(2 * bits))
    return original
