"""The words of texts and of names, in plain code: the reference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

NAME_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
"""A word of a name; camel case is parted."""
_WORD: Final = re.compile(r"\w+")


def bits(
    strings: Sequence[str], tags: NDArray[np.int32], values: NDArray[np.int32], known: Mapping[str, int],
    longest: int,
) -> NDArray[np.uint64]:  # fmt: skip
    """Marks the known words that name each of n elements: uint64[n, w], from the lowest bit.

    Args:
        strings: all tags and names.
        tags: the place of each element's tag among them, int32[n]; its word is ``<tag>``.
        values: the places of its names, int32[k, n], -1 for a missing one.
        known: the bit of each word, below their number.
        longest: so many characters of a name are read.

    """
    # The last row is of a missing name.
    tagged, named = np.zeros((2, len(strings) + 1, (len(known) + 63) // 64), "<u8")
    words = {place: {f"<{strings[place]}>"} for place in set(tags.tolist())}
    names = {place: name_words(strings[place], longest) for place in set(values.ravel().tolist()) - {-1}}
    for table, found in ((tagged, words), (named, names)):
        for place, all_words in found.items():
            for bit in map(known.__getitem__, all_words & known.keys()):
                table[place, bit // 64] |= np.uint64(1 << bit % 64)
    marked: NDArray[np.uint64] = np.bitwise_or.reduce(named[values], axis=0) | tagged[tags]
    return marked


def name_words(name: str, longest: int) -> set[str]:
    """The words of the beginning of a name, lower-cased."""
    return {word.lower() for word in NAME_WORD.findall(name[:longest])}


def name_numbers(
    strings: Sequence[str], places: NDArray[np.int32], numbers: Mapping[str, int], prefix: str, most: int,
    longest: int,
) -> NDArray[np.int32]:  # fmt: skip
    """Numbers the first words, by the alphabet, that name each of n elements: int32[n, most], filled up with
    0.

    Args:
        strings: all tags and names.
        places: of each element the places of its tag and of its names among them, int32[1 + k, n], -1 for a
            missing name.
        numbers: those of words.
        prefix: what stands before a word there.
        most: so many words count.
        longest: so many characters of a name are read.

    """
    rows = np.zeros((places.shape[1], most), np.int32)
    for row, (tag, *names) in zip(rows, places.T.tolist(), strict=True):
        words = (name_words(strings[place], longest) for place in names if place >= 0)
        first = sorted({f"<{strings[tag]}>"}.union(*words))[:most]
        row[: len(first)] = [numbers[prefix + word] for word in first]
    return rows


def ends(
    texts: Sequence[str], numbers: Mapping[str, int], most: tuple[int, int], read: tuple[int, int]
) -> NDArray[np.int32]:
    r"""Numbers the first and the last words of each of n texts, maximal runs of ``\w`` in lower case:
    int32[n, sum(most)], filled up with 0. Each counts once: all of a text of few words.

    Args:
        texts: the texts.
        numbers: those of words.
        most: so many words of the beginning and of the end.
        read: so many characters of the beginning and of the end are read of a longer text.

    """
    rows = np.zeros((len(texts), sum(most)), np.int32)
    for row, text in zip(rows, texts, strict=True):
        if len(text) > sum(read):
            found = _WORD.findall(text[: read[0]].lower())[: most[0]]
            found += _WORD.findall(text[-read[1] :].lower())[-most[1] :]
        else:
            found = _WORD.findall(text.lower())
            del found[most[0] : max(most[0], len(found) - most[1])]
        row[: len(found)] = [numbers[word] for word in found]
    return rows
