"""Fingerprints and MinHash sketches of pagelets.

A sketch s(p) follows Broder's shingling as Bar-Yossef & Rajagopalan use it (WWW 2002, Section 3.2): the words
of a pagelet are cut into overlapping shingles, each shingle is hashed, and for each of a few random
permutations the smallest hash is kept. Pagelets whose sketches are equal are near-identical.

The permutations are those of datasketch's ``affine64`` scheme, so that values can be compared with any
`datasketch.MinHash` made with the same seed over the same shingle hashes. Words are found and hashed for a
whole page at once, as arrays of characters: no word of it becomes an object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pagelets.compiled import compiled
from pagelets.text.words import BETWEEN, Kinds, begins, character_kinds, codes_of

NORMALISER_VERSION: Final = 1
"""Counts the changes of words and of their hashes: sketches of another version are never compared."""

Hashes: TypeAlias = npt.NDArray[np.uint64]
Codes: TypeAlias = npt.NDArray[np.uint32]

_CHUNK: Final = 1 << 16
"""Characters that are worked on at once: bounds the memory that a large page takes."""

_PERMUTED: Final = 1 << 12
"""Shingles that are permuted at once."""

_GOLDEN: Final = 0x9E3779B97F4A7C15
_BASE: Final = 0xD1342543DE82EF95


def _powers(base: int, count: int) -> Hashes:
    """1, base, base squared, ... modulo 2**64."""
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return factors.cumprod(dtype=np.uint64)


_POWERS: Final = _powers(_BASE, _CHUNK)
_INVERSES: Final = _powers(pow(_BASE, -1, 1 << 64), _CHUNK)


def hashed(text: str) -> Hashes:
    """Hashes of the words of a text, in order: of each word of `pagelets.text.words.words` its own."""
    return _word_hashes(text, character_kinds())


def word_hashes(text: str, kinds: Kinds) -> Hashes:
    """Hashes of the words of a text, in order; takes what each character is to words."""
    return _hash((text,), (), kinds)[0]


def page_shingle(values: Collection[bytes]) -> int | None:
    """The key that pages with the same smallest hashes share, None for a page without any.

    Takes the values of the `Sketch` of each fragment of the page, by one `Scheme`. A minimum over fragments
    is the minimum over all shingles of the page.
    """
    if not (known := [row for row in values if row]):
        return None
    rows = np.frombuffer(b"".join(known), "<u8").reshape(len(known), -1)
    return _digest(rows.min(axis=0).tobytes())


class Sketch(NamedTuple):
    """A fragment's sketch: the 64-bit key that equal sketches share, its values, and its number of words.

    ``values`` are the `Scheme.num_perm` MinHash values, 64-bit little-endian; empty for a tiny fragment
    (fewer words than a shingle), which equals only what has the same words and links.
    """

    key: int
    values: bytes
    words: int


@dataclass(frozen=True)
class Scheme:
    """What two sketches must share to be compared, and the making of sketches.

    ``num_perm`` is the number of permutations (values a sketch has), ``shingle_size`` the words of a shingle;
    ``links`` tells whether the targets of links count beside the words. Raises ValueError where a number is
    out of range.
    """

    num_perm: int = 4
    shingle_size: int = 4
    links: bool = True
    seed: int = 1
    permutations: str = "affine64"
    normaliser: int = NORMALISER_VERSION

    def __post_init__(self) -> None:
        if not 1 <= self.num_perm <= 256:
            raise ValueError(f"{self.num_perm} permutations: a sketch has 1 to 256")
        if not 1 <= self.shingle_size <= 64:
            raise ValueError(f"{self.shingle_size} words: a shingle has 1 to 64")

    @cached_property
    def _affine(self) -> tuple[Hashes, Hashes]:
        # As datasketch draws them. NumPy keeps what this generator gives for a seed.
        generator = np.random.RandomState(self.seed)
        a = generator.randint(0, 1 << 63, self.num_perm, np.uint64) * np.uint64(2) + np.uint64(1)
        b = generator.randint(0, 1 << 64, self.num_perm, np.uint64)
        return a, b

    @cached_property
    def _places(self) -> Hashes:
        """An odd multiplier for each place in a shingle, so that the order of its words counts."""
        return _powers(_GOLDEN, self.shingle_size)

    def shingles(self, hashes: Hashes) -> Hashes:
        """Hashes of the shingles of a sequence of words (`hashed`), in order; none where it is too short."""
        return _shingles(hashes, self._places)

    def minima(self, shingles: Hashes) -> Hashes:
        """The MinHash values of one text's shingles, however many: `num_perm` of them.

        Raises ValueError where there is no shingle.
        """
        if not len(shingles):
            raise ValueError("no shingle: nothing to take the smallest of")
        return _minima(shingles, *self._affine)

    def sketches(self, fragments: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[Sketch]:
        """Sketches the fragments of a page together.

        Takes for each fragment its block texts and its links' targets; returns a sketch for each.
        """
        if not fragments:
            return []
        if not self.links:
            fragments = [(texts, ()) for texts, _ in fragments]
        return [
            Sketch(_digest(row), row, count)
            if row
            else Sketch(_digest(b"%d %b" % (count, hashes)), b"", count)
            for count, row, hashes in _sketched(fragments, character_kinds(), self._places, *self._affine)
        ]


def minima(shingles: Hashes, a: Hashes, b: Hashes) -> Hashes:
    """The smallest of the hashes of ``shingles`` under each of n permutations, uint64[n].

    Args:
        shingles: uint64 hashes.
        a: the factors of the permutations, uint64[n].
        b: what they add, uint64[n].
    """
    parts = [shingles[start : start + _PERMUTED] for start in range(0, len(shingles), _PERMUTED)]
    smallest: Hashes = np.concatenate([_values([part], [len(part)], a, b) for part in parts]).min(axis=0)
    return smallest


def sketched(
    fragments: Sequence[tuple[Sequence[str], Sequence[str]]],
    kinds: Kinds,
    places: Hashes,
    a: Hashes,
    b: Hashes,
) -> list[tuple[int, bytes, bytes]]:
    """The number of words of each fragment, and its MinHash values, 64-bit little-endian.

    Where a fragment has no shingle its values are empty, and the hashes of its words and targets follow them.
    All fragments go through numpy at once.

    Args:
        fragments: the texts and the targets of each.
        kinds: what each character is to words.
        places: an odd multiplier for each place in a shingle.
        a: the factors of the permutations.
        b: what the permutations add.
    """
    hashes, ends, link_hashes = _hash(
        ["\n".join(texts) for texts, _ in fragments],
        [target for _, targets in fragments for target in targets],
        kinds,
    )
    link_ends = [0, *accumulate(len(targets) for _, targets in fragments)]
    shingles = _shingles(hashes, places)
    features: list[Hashes] = []
    sizes: list[int] = []
    tiny: list[bytes] = []
    for (start, stop), (first, last) in zip(pairwise(ends), pairwise(link_ends), strict=True):
        # Shingles that reach from one fragment into the next are left out.
        count = stop - start - len(places) + 1
        if count > 0:
            tiny.append(b"")
            features += shingles[start : start + count], link_hashes[first:last]
            sizes.append(count + last - first)
        else:
            tiny.append(hashes[start:stop].tobytes() + link_hashes[first:last].tobytes())
    values = map(bytes, _values(features, sizes, a, b))
    return [
        (stop - start, b"", rest) if stop - start < len(places) else (stop - start, next(values), b"")
        for rest, (start, stop) in zip(tiny, pairwise(ends), strict=True)
    ]


def _shingles(hashes: Hashes, places: Hashes) -> Hashes:
    count = max(len(hashes) - len(places) + 1, 0)
    total = np.zeros(count, np.uint64)
    for place, multiplier in enumerate(places):
        total += hashes[place : place + count] * multiplier
    return total


def _values(features: list[Hashes], sizes: list[int], a: Hashes, b: Hashes) -> Hashes:
    """MinHash values, one row a fragment, of hashed features in a row, ``sizes`` of them each."""
    if not sizes:
        return np.empty((0, len(a)), np.uint64)
    permuted = _fmix64(np.concatenate(features)) * a[:, None] + b[:, None]
    offsets = np.cumsum([0, *sizes[:-1]])
    return np.ascontiguousarray(np.minimum.reduceat(permuted, offsets, axis=1).T, np.dtype("<u8"))


def _hash(texts: Sequence[str], strings: Sequence[str], kinds_of: Kinds) -> tuple[Hashes, list[int], Hashes]:
    """Hashes of the words of texts in a row, the places in that row between texts, hashes of strings."""
    folded = [text.casefold() for text in texts]
    codes = codes_of(chain(folded, strings))
    ends = np.array([0, *accumulate(len(string) + 1 for string in chain(folded, strings))])
    of_texts = ends[len(folded)]
    kinds = kinds_of.take(codes[:of_texts], mode="clip")
    starts = begins(kinds).nonzero()[0]
    bounds = starts.searchsorted(ends[: len(folded) + 1]).tolist()
    codes[:of_texts] *= kinds != BETWEEN
    codes[ends[len(folded) + 1 :] - 1] = 0
    hashes = _segments(codes, np.concatenate((starts, ends[len(folded) : -1])))
    return hashes[: len(starts)], bounds, hashes[len(starts) :]


def _segments(codes: Codes, starts: npt.NDArray[np.int64]) -> Hashes:
    """Karp-Rabin hashes, mixed, of the segments that begin at ``starts``; code 0 adds nothing to a hash.

    Of a segment longer than `_CHUNK` only its beginning counts.
    """
    bounds = np.append(starts, len(codes))
    hashes = np.empty(len(starts), np.uint64)
    first = 0
    while first < len(starts):
        origin = bounds[first]
        last = max(int(bounds.searchsorted(origin + _CHUNK, "right")) - 1, first + 1)
        chunk = codes[origin : min(bounds[last], origin + _CHUNK)]
        offsets = starts[first:last] - origin
        sums = np.add.reduceat(chunk * _POWERS[: len(chunk)], offsets)
        hashes[first:last] = sums * _INVERSES[offsets]
        first = last
    return _fmix64(hashes)


def _fmix64(hashes: Hashes) -> Hashes:
    """MurmurHash3's finaliser, which datasketch's affine schemes apply before they permute."""
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return hashes ^ (hashes >> np.uint64(33))


def _digest(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)


def plain_fingerprint(texts: Iterable[str], targets: Iterable[str] = ()) -> int:
    """A signed 64-bit fingerprint of exact words: texts of blocks and targets of links, in order."""
    joined = "\x1e".join(("\x1f".join(texts), "\x1f".join(targets)))
    return _digest(joined.encode("utf-8", "surrogatepass"))


_native = compiled("pagelets.native")
fingerprint = _native.fingerprint if _native else plain_fingerprint
_word_hashes = _native.word_hashes if _native else word_hashes
_minima = _native.minima if _native else minima
_sketched = _native.sketched if _native else sketched
