"""Matches the texts of a source with the texts of the tree that was parsed from it."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_AHEAD: Final = 24
"""So many texts further it is looked for a place from which both go on alike."""


def placed(tokens: Sequence[str], texts: Sequence[str], of_text: NDArray[np.int32]) -> NDArray[np.int32]:
    """Returns a value for each text of the source: int32[t], -1 for a text that the tree lacks.

    No text of the source is white space alone. A parser keeps the order of texts, and nearly all of their
    characters; it joins texts when it drops the markup between them, and leaves out some. Linear in the
    characters of both.

    Args:
        tokens: the texts of the source, in order.
        texts: the texts of the tree, in order.
        of_text: the value of each text of the tree, int32.

    """
    of_token = np.full(len(tokens), -1, np.int32)
    source = _Texts([html.unescape(token) if "&" in token else token for token in tokens])
    shown = [place for place, text in enumerate(texts) if not text.isspace()]
    other = _Texts([texts[place] for place in shown])
    values = of_text[shown].tolist()
    count, most = len(source), len(other)
    token = text = 0
    while token < count and text < most:
        if source.texts[token] == other.texts[text]:
            of_token[token] = values[text]
            token, text = token + 1, text + 1
            continue
        reach = (1, 1) if source.same(token, other, text) else _joined(source, token, other, text)
        if reach == (0, 0) and not (source.bare(token) and other.bare(text)):
            # One of them says nothing, in characters other than white space.
            token, text = token + (not source.bare(token)), text + (not other.bare(text))
            continue
        if reach == (0, 0):
            # Each step leaves at least one of both behind.
            skipped, passed, alike = _next(source, token, other, text)
            if alike:
                # What stands between what is alike is the same, decoded in another way.
                for step in range(min(skipped, passed)):
                    of_token[token + step] = values[text + step]
            token, text = token + skipped, text + passed
            continue
        taken, used = reach
        of_token[token : token + taken] = values[text]
        token, text = token + taken, text + used
    return of_token


class _Texts:
    """Texts in a row, to be compared."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._bare: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def same(self, place: int, other: _Texts, there: int) -> bool:
        """Returns True if the text at a ``place`` equals that of ``other`` ``there``."""
        return self.texts[place] == other.texts[there] or self.bare(place) == other.bare(there)

    def bare(self, place: int) -> str:
        """A text as it is read, without white space and what a parser takes out."""
        bare = self._bare.get(place)
        if bare is None:
            bare = "".join(self.texts[place].split())
            if not bare.isprintable():
                # What no document may hold is replaced or left out, by each reader in its own way.
                bare = "".join(filter(str.isprintable, bare.encode(errors="replace").decode()))
            self._bare[place] = bare
        return bare


def _joined(source: _Texts, token: int, other: _Texts, text: int) -> tuple[int, int]:
    """Counts the tokens and texts that are equal when joined, one of the two counts being 1; else 0, 0."""
    first, second = source.bare(token), other.bare(text)
    if not first or not second:
        return 0, 0
    if second.startswith(first):
        count = _together(second, source, token)
        return (count, 1) if count else (0, 0)
    count = _together(first, other, text) if first.startswith(second) else 0
    return (1, count) if count else (0, 0)


def _together(whole: str, parts: _Texts, place: int) -> int:
    """Counts the parts, from a place on, that make the whole; 0 if they do not."""
    start, first = 0, place
    while place < len(parts) and start < len(whole) and whole.startswith(parts.bare(place), start):
        start += len(parts.bare(place))
        place += 1
    return place - first if start == len(whole) else 0


def _next(source: _Texts, token: int, other: _Texts, text: int) -> tuple[int, int, bool]:
    """Returns how far the next two equal texts lie ahead on both sides, and whether there are any."""
    for ahead in range(1, _AHEAD):
        for skipped, passed in ((ahead, 0), (0, ahead), (ahead, ahead)):
            if (
                token + skipped < len(source)
                and text + passed < len(other)
                and source.same(token + skipped, other, text + passed)
            ):
                return skipped, passed, skipped == passed
    return 1, 1, False
