"""The tokens of a source in a row, for the methods that judge along it, and not line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pagelets.literature.source.verdicts import verdict_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pagelets.methods.base import Subject, Verdict
    from pagelets.methods.source.tokens import SourceTokens

_SCRIPTS: Final = frozenset({"script", "style"})


class Stream(NamedTuple):
    """The n tokens of a source that count, in order: ``token`` int[n] are their places among all.

    ``text`` bool[n] tells texts from tags; ``edges`` int[n + 1] is where each begins and the last one ends,
    counted in the units that a method counts, as characters or words.
    """

    token: NDArray[np.intp]
    text: NDArray[np.bool_]
    edges: NDArray[np.int64]

    @classmethod
    def of(cls, token: NDArray[np.intp], text: NDArray[np.bool_], size: NDArray[np.integer]) -> Stream:
        """Returns the stream of n tokens.

        Args:
            token: their places among all tokens of the source, int[n].
            text: which of them are texts, bool[n].
            size: their lengths in units of the method, int[n].

        """
        return cls(token, text, np.append(0, np.cumsum(size, dtype=np.int64)))

    def verdict(self, subject: Subject, borders: NDArray[np.int64], content: NDArray[np.bool_]) -> Verdict:
        """Returns the verdict on a page's blocks.

        Args:
            subject: the page.
            borders: the beginning of each of m pieces of the stream and the end of the last, int[m + 1].
            content: which pieces are content, bool[m].

        """
        inside = np.append(0, np.cumsum(np.diff(borders) * content))
        size = np.diff(self.edges)
        share = np.diff(np.interp(self.edges, borders, inside)) / np.maximum(size, 1)
        block = subject.source.block[self.token[self.text]]
        return verdict_of(len(subject.page.blocks), block, size[self.text], share[self.text])


def counted(tokens: SourceTokens) -> NDArray[np.intp]:
    """The tokens that count: texts that the page shows, and tags but those of scripts and styles."""
    return np.flatnonzero((tokens.block >= 0) | (tokens.is_tag & ~tokens.named(_SCRIPTS)))


def words_of(tokens: SourceTokens) -> Stream:
    """The stream of a source in which each word of a text is a unit, and each tag."""
    token = counted(tokens)
    text = tokens.block[token] >= 0
    return Stream.of(token, text, np.where(text, tokens.words[token], 1))
