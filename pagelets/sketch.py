"""Fingerprints and MinHash sketches of pagelets.

A sketch s(p) follows Broder's shingling as Bar-Yossef & Rajagopalan use it (WWW 2002, Section 3.2): the words
of a pagelet are cut into overlapping shingles, each shingle is hashed, and for each of a few random
permutations the smallest hash is kept. Pagelets whose sketches are equal are near-identical.

The permutations are those of datasketch's ``affine64`` scheme, so that values can be compared with any
`datasketch.MinHash` made with the same seed over the same shingle hashes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from datasketch import MinHash

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NORMALISER_VERSION: Final = 1
"""Counts the changes of `words`: sketches of another version are never compared."""

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Han, Hiragana, Katakana
)
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_KNOWN_WORDS: Final = 1 << 18
_GOLDEN: Final = 0x9E3779B97F4A7C15

Hashes: TypeAlias = npt.NDArray[np.uint64]


def words(text: str) -> list[str]:
    """The words of a text for comparison: case folded, without punctuation.

    In scripts that write no spaces between words (Han, Kana, Thai, ...) each character counts as a word.
    """
    folded = text.casefold()
    return (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)


def fingerprint(texts: Iterable[str], targets: Iterable[str] = ()) -> int:
    """A signed 64-bit fingerprint of exact content: texts of blocks and targets of links, in order."""
    content = "\x1e".join(("\x1f".join(texts), "\x1f".join(targets)))
    digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


class _WordHashes(dict[str, int]):
    """64-bit hashes of words; forgets them all when there are too many, as on a page of random strings."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _KNOWN_WORDS:
            self.clear()
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        value = self[word] = int.from_bytes(digest, "little")
        return value


_word_hashes: Final = _WordHashes()


class Sketch(NamedTuple):
    """A content's sketch: the 64-bit key that equal sketches share, its values, and its number of words.

    ``values`` are the `Scheme.num_perm` MinHash values, 64-bit little-endian; empty for a tiny content
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
    links: bool = False
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
        a, b = MinHash(num_perm=self.num_perm, seed=self.seed, scheme="affine64").permutations
        return np.asarray(a, np.uint64)[:, None], np.asarray(b, np.uint64)[:, None]

    @cached_property
    def _places(self) -> Hashes:
        """An odd multiplier for each place in a shingle, so that the order of its words counts."""
        powers = np.full(self.shingle_size, _GOLDEN, np.uint64).cumprod(dtype=np.uint64)
        return powers | np.uint64(1)

    def shingles(self, text_words: Sequence[str]) -> Hashes:
        """Hashes of the shingles of a sequence of words, in order; none where it is too short for one."""
        return self._shingles(_hashes(text_words))

    def _shingles(self, hashes: Hashes) -> Hashes:
        count = max(len(hashes) - self.shingle_size + 1, 0)
        total = np.zeros(count, np.uint64)
        for place, multiplier in enumerate(self._places):
            total += hashes[place : place + count] * multiplier
        return total

    def sketches(self, contents: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[Sketch]:
        """Sketches the contents of a page together: all its shingles go through numpy at once.

        Takes for each content its block texts and its links' targets; returns a sketch for each.
        """
        of_words = [words("\n".join(texts)) for texts, _ in contents]
        of_links = [targets if self.links else () for _, targets in contents]
        rich = [index for index, found in enumerate(of_words) if len(found) >= self.shingle_size]
        rows = iter(self._values([(of_words[index], of_links[index]) for index in rich]))
        sketches: list[Sketch] = []
        for found, targets in zip(of_words, of_links, strict=True):
            if len(found) >= self.shingle_size:
                values = next(rows).tobytes()
                sketches.append(Sketch(fingerprint((values.hex(),)), values, len(found)))
            else:
                sketches.append(Sketch(fingerprint(found, targets), b"", len(found)))
        return sketches

    def _values(self, contents: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Hashes:
        """MinHash values, one row a content; every content has a shingle at least."""
        if not contents:
            return np.empty((0, self.num_perm), np.uint64)
        # Shingles of all words in a row; those that reach from one content into the next are left out.
        running = self._shingles(_hashes([word for found, _ in contents for word in found]))
        links = _hashes([target for _, targets in contents for target in targets])
        pieces: list[Hashes] = []
        sizes: list[int] = []
        start = link_start = 0
        for found, targets in contents:
            count = len(found) - self.shingle_size + 1
            pieces += running[start : start + count], links[link_start : link_start + len(targets)]
            sizes.append(count + len(targets))
            start += len(found)
            link_start += len(targets)
        features = _fmix64(np.concatenate(pieces))
        a, b = self._affine
        offsets = np.concatenate(([0], np.cumsum(sizes[:-1], dtype=np.int64)))
        return np.ascontiguousarray(np.minimum.reduceat(a * features + b, offsets, axis=1).T)


def _hashes(strings: Sequence[str]) -> Hashes:
    return np.fromiter(map(_word_hashes.__getitem__, strings), np.uint64, len(strings))


def _fmix64(hashes: Hashes) -> Hashes:
    """MurmurHash3's finaliser, which datasketch's affine schemes apply before they permute."""
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return hashes ^ (hashes >> np.uint64(33))
