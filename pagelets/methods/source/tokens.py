"""The HTML of a page as it was fetched, as arrays over its tokens: text and markup, lines and blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.methods.source.places import placed
from pagelets.page import Page, Runs
from pagelets.text.words import BETWEEN, begins, character_kinds

TEXT, TAG, REMARK, RAW = range(4)
"""What a token is: text; a start or end tag; a comment, a declaration or the like; what stands in a
``script``, a ``style`` or another element whose content is no markup.
"""

_ATTRIBUTES: Final = r"""(?:[^>=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|=)*+>?"""
_TOKEN: Final = re.compile(
    # A tag, perhaps of an element whose content is no markup, or of one that holds nothing but text.
    r"<((?:(?ai:(script|style|xmp|iframe|noembed|noframes)|(title|textarea|plaintext))(?=[\s/>])|/?[a-zA-Z])"
    rf"{_ATTRIBUTES}"
    # A comment, or what is read as one.
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)|[!?/][^>]*+>?)"
    # All before the end tag of such an element.
    r"(?(2)((?:[^<]++|<(?!/(?ai:\2)[\s/>]))*+))"
    r"(?(3)((?:[^<]++|<(?!/(?ai:\3)(?<!plaintext)[\s/>]))*+))"
)
_PARTS: Final = 6
"""What splitting gives for each match: the text before it, and the groups of the pattern."""
_NO_TAG: Final = re.compile(r"[!?]|/[^a-zA-Z]|/\Z").match

_KINDS: Final = (TEXT, TAG, RAW, TEXT)
"""What each of them is but the names of elements, in the order in which they stand."""

Ids: TypeAlias = NDArray[np.int32]
_LETTERS: Final = 8
_LAST_OF_ASCII: Final = 0x7F


class Scanned(NamedTuple):
    """The t tokens of a source, of which texts end with their line.

    ``start`` int32[t] is where each begins, ``kind`` int8[t] what it is, ``line`` int32[t] the line that it
    begins in; ``further`` bool[t] tells texts that go on with the one before, ``blank`` bool[t] those of
    white space alone.
    """

    start: NDArray[np.int32]
    kind: NDArray[np.int8]
    line: NDArray[np.int32]
    further: NDArray[np.bool_]
    blank: NDArray[np.bool_]


def scan(html: str) -> Scanned:
    """The tokens of a source; linear in its size, whatever it is."""
    parts = _TOKEN.split(html)
    markup = parts[1::_PARTS]
    # One more row, for the text after the last match.
    lengths = np.zeros((len(markup) + 1, len(_KINDS)), np.int64)
    kinds = np.tile(np.array(_KINDS, np.int8), (len(markup) + 1, 1))
    lengths[:, 0] = np.fromiter(map(len, parts[::_PARTS]), np.int64)
    lengths[:-1, 1] = np.fromiter(map(len, markup), np.int64) + 1
    kinds[[row for row, found in enumerate(markup) if _NO_TAG(found)], 1] = REMARK
    for column, contents in ((2, parts[4::_PARTS]), (3, parts[5::_PARTS])):
        rows = [row for row, content in enumerate(contents) if content]
        lengths[rows, column] = [len(contents[row]) for row in rows]
    there = lengths.ravel() > 0
    chars, kind = lengths.ravel()[there], kinds.ravel()[there]
    starts = np.cumsum(chars) - chars
    lines = np.cumsum([len(line) + 1 for line in html.split("\n")[:-1]], dtype=np.int64)
    owners = np.maximum(starts.searchsorted(lines, "right") - 1, 0)
    cut = (kind[owners] == TEXT) & (starts[owners] < lines) & (lines < len(html))
    owner = np.concatenate([np.arange(len(kind)), owners[cut]])
    starts = np.concatenate([starts, lines[cut]])
    order = np.argsort(starts, kind="stable")
    starts, kind = starts[order], kind[owner[order]]
    blank = kind == TEXT
    stops = np.append(starts[1:], len(html))[blank].tolist()
    found = zip(starts[blank].tolist(), stops, strict=True)
    blank[blank] = [html[start:stop].isspace() for start, stop in found]
    line = lines.searchsorted(starts, "right").astype(np.int32)
    return Scanned(starts.astype(np.int32), kind, line, order >= len(there.nonzero()[0]), blank)


@dataclass(eq=False)
class SourceTokens:
    """The t tokens of a source, which follow each other without a gap: all of them are the source.

    ``kind`` int8[t] is what each token is (`TEXT`, `TAG`, `REMARK`, `RAW`); ``chars`` int32[t] its length in
    characters of the source, white space and references (``&amp;``) as they are written; ``line`` int32[t]
    the line that it begins in, from 0. A text goes no further than its line: the next one is a token of its
    own. ``block`` int32[t] is the block of the page that a text is a part of, -1 for one that the page does
    not show, for white space, and for what is no text; it rises from token to token.
    """

    html: str
    kind: NDArray[np.int8]
    chars: Ids
    line: Ids
    block: Ids

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def is_tag(self) -> NDArray[np.bool_]:
        """Marks the tokens that are tags: bool[t]."""
        tags: NDArray[np.bool_] = self.kind == TAG
        return tags

    @cached_property
    def start(self) -> Ids:
        """The beginning of each token in the source, and the end of the last one: int32[t + 1]."""
        return np.concatenate([[0], np.cumsum(self.chars)]).astype(np.int32)

    @cached_property
    def codes(self) -> NDArray[np.uint8] | NDArray[np.uint32]:
        """The code points of the source, one after the other."""
        if self.html.isascii():
            return np.frombuffer(self.html.encode(), np.uint8)
        return np.frombuffer(self.html.encode("utf-32-le", "surrogatepass"), np.uint32)

    @cached_property
    def _names(self) -> NDArray[np.uint64]:
        """The first letters of the names of tags, as one number: uint64[t], 0 for what is no tag."""
        names = np.zeros(len(self), np.uint64)
        tags = np.flatnonzero(self.is_tag)
        first = self.start[tags] + 1
        first += self.codes.take(first, mode="clip") == ord("/")
        letters = self.codes.take(first[:, None] + np.arange(_LETTERS), mode="clip")
        lower = letters | 0x20
        inside = ((lower >= ord("a")) & (lower <= ord("z"))) | ((letters >= ord("0")) & (letters <= ord("9")))
        inside = np.logical_and.accumulate(inside, axis=1)
        names[tags] = np.where(inside, lower, 0).astype(np.uint8).view(np.uint64).ravel()
        return names

    def named(self, tags: frozenset[str]) -> NDArray[np.bool_]:
        """Marks the start and end tags of elements with one of these names: bool[t].

        Names are compared by their first eight letters.
        """
        wanted = np.sort(np.array(list(tags), f"S{_LETTERS}").view(np.uint64))
        named: NDArray[np.bool_] = wanted.take(wanted.searchsorted(self._names), mode="clip") == self._names
        return named

    @cached_property
    def words(self) -> Ids:
        """Counts the words of each text that the page shows, 0 for all else: int32[t].

        Words are split as by `pagelets.text.words`: in scripts without spaces each character is one.
        """
        shown = np.flatnonzero(self.block >= 0)
        chars = self.chars[shown]
        ends = np.cumsum(chars)
        kinds = character_kinds().take(self.codes[np.repeat(self.block >= 0, self.chars)], mode="clip")
        starts = begins(kinds)
        # White space before a text does not belong to its first word.
        starts[ends - chars] = kinds[ends - chars] != BETWEEN
        words = np.zeros(len(self), np.int32)
        words[shown] = np.diff(np.cumsum(starts)[ends - 1], prepend=0)
        return words

    @cached_property
    def beyond_ascii(self) -> Ids:
        """Counts the characters of each token beyond ASCII: int32[t]."""
        if self.html.isascii():
            return np.zeros(len(self), np.int32)
        counted = np.concatenate([[0], np.cumsum(self.codes > _LAST_OF_ASCII)])
        return np.diff(counted[self.start]).astype(np.int32)

    @classmethod
    def of(cls, html: str, page: Page) -> SourceTokens:
        """Reads the tokens of a source, and finds the blocks of the page that was read from it.

        Linear in the size of both; whatever the source is, it raises nothing.
        """
        scanned = scan(html)
        # What ends at line ends is whole in the tree.
        first = np.flatnonzero(~scanned.further)
        bounds = np.append(scanned.start[first], len(html))
        has_text = np.zeros(len(first), bool)
        if len(first):
            has_text = (scanned.kind[first] == TEXT) & ~np.logical_and.reduceat(scanned.blank, first)
        starts, stops = bounds[:-1][has_text].tolist(), bounds[1:][has_text].tolist()
        texts = [html[start:stop] for start, stop in zip(starts, stops, strict=True)]
        of_whole = np.full(len(first), -1, np.int32)
        of_whole[has_text] = placed(texts, page.tree.texts, _block_of_text(page))
        block = of_whole[np.cumsum(~scanned.further) - 1]
        block[scanned.blank] = -1
        chars = np.diff(scanned.start, append=np.int32(len(html)))
        return cls(html, scanned.kind, chars, scanned.line, block)


def _block_of_text(page: Page) -> Ids:
    """The block that each text of a page's tree is a part of, -1 for those that are shown in none."""
    of_text = np.full(len(page.tree.texts), -1, np.int32)
    if not page.blocks:
        return of_text
    runs = page.blocks[0].source
    assert isinstance(runs, Runs), "the blocks of a page that was read share their runs"
    places = np.array(runs.places, np.int64)
    start = np.array([block.span.start for block in page.blocks])
    count = np.array([block.span.stop for block in page.blocks]) - start
    indices = np.arange(count.sum()) + np.repeat(start - np.cumsum(count) + count, count)
    places, blocks = places[indices], np.repeat(np.arange(len(count)), count)
    # Those from the end mark texts that the tree lacks.
    texts = (places >= 0) & (places < len(of_text))
    of_text[places[texts]] = blocks[texts]
    return of_text
