"""The HTML of a page as it was fetched, as arrays over its tokens: text and markup, lines and blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.methods.source.places import placed
from pagelets.page import Runs
from pagelets.text.words import BETWEEN, begins, character_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagelets.page import Page

Ids: TypeAlias = NDArray[np.int32]

TEXT, TAG, REMARK, RAW = range(4)
"""What a token is: text; a start or end tag; a comment, a declaration or the like; what stands in a
``script``, a ``style`` or another element whose content is no markup.
"""

_ATTRIBUTES: Final = r"""(?:[^>=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|=)*+>?"""
_TOKEN: Final = re.compile(
    # A tag, perhaps of an element whose content is no markup, or of one that holds nothing but text.
    r"<((?:(?i:(script|style|xmp|iframe|noembed|noframes)|(title|textarea|plaintext))(?=[\s/>])|/?[a-zA-Z])"
    rf"{_ATTRIBUTES}"
    # A comment, or what is read as one.
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)|[!?/][^>]*+>?)"
    # All before the end tag of such an element.
    r"(?(2)((?:[^<]++|<(?!/(?i:\2)[\s/>]))*+))"
    r"(?(3)((?:[^<]++|<(?!/(?i:\3)(?<!plaintext)[\s/>]))*+))"
)
_PARTS: Final = 6
"""What splitting gives for each match: the text before it, and the groups of the pattern."""
_LETTERS: Final = 8
_LAST_OF_ASCII: Final = 0x7F
_NO_TAG: Final = re.compile(r"[!?]|/[^a-zA-Z]|/\Z").match

_KINDS: Final = (TEXT, TAG, RAW, TEXT)
"""What each of them is but the names of elements, in the order in which they stand."""


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
        """Which tokens are tags: bool[t]."""
        tags: NDArray[np.bool_] = self.kind == TAG
        return tags

    @cached_property
    def start(self) -> Ids:
        """Where each token begins in the source, and where the last one ends: int32[t + 1]."""
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
        """Which tokens are start or end tags of elements with one of these names: bool[t].

        Names are told apart by their first eight letters.
        """
        wanted = np.array(sorted(tags), f"S{_LETTERS}").view(np.uint64)
        return np.isin(self._names, wanted)

    @cached_property
    def words(self) -> Ids:
        """How many words each text that the page shows has, 0 for all else: int32[t].

        Words as `pagelets.text.words` tells them: in scripts without spaces each character is one.
        """
        shown = np.flatnonzero(self.block >= 0)
        chars = self.chars[shown]
        ends = np.cumsum(chars)
        kinds = character_kinds().take(self.codes[np.repeat(self.block >= 0, self.chars)], mode="clip")
        found = begins(kinds)
        # What stands before a text is no part of its first word.
        found[ends - chars] = kinds[ends - chars] != BETWEEN
        words = np.zeros(len(self), np.int32)
        words[shown] = np.diff(np.cumsum(found)[ends - 1], prepend=0)
        return words

    @cached_property
    def beyond_ascii(self) -> Ids:
        """How many characters of each token are beyond ASCII: int32[t]."""
        if self.html.isascii():
            return np.zeros(len(self), np.int32)
        counted = np.concatenate([[0], np.cumsum(self.codes > _LAST_OF_ASCII)])
        return np.diff(counted[self.start]).astype(np.int32)

    def text(self, token: int) -> str:
        """A token as it is written."""
        return self.html[self.start[token] : self.start[token + 1]]

    @classmethod
    def of(cls, html: str, page: Page) -> SourceTokens:
        """Reads the tokens of a source, and finds the blocks of the page that was read from it.

        Linear in the size of both; whatever the source is, it raises nothing.
        """
        parts = _TOKEN.split(html)
        markup = parts[1::_PARTS]
        # One more row, for the text after the last match.
        lengths = np.zeros((len(markup) + 1, len(_KINDS)), np.int64)
        kinds = np.tile(np.array(_KINDS, np.int8), (len(markup) + 1, 1))
        lengths[:, 0] = np.fromiter(map(len, parts[::_PARTS]), np.int64)
        lengths[:-1, 1] = np.fromiter(map(len, markup), np.int64) + 1
        kinds[[row for row, found in enumerate(markup) if _NO_TAG(found)], 1] = REMARK
        for column, contents in ((2, parts[4::_PARTS]), (3, parts[5::_PARTS])):
            for row, content in enumerate(contents):
                if content:
                    lengths[row, column] = len(content)
        there = lengths.ravel() > 0
        chars, kind = lengths.ravel()[there], kinds.ravel()[there]
        starts = np.cumsum(chars) - chars
        is_text = kind == TEXT
        texts = [
            html[start : start + size]
            for start, size in zip(starts[is_text].tolist(), chars[is_text].tolist(), strict=True)
        ]
        block = np.full(len(kind), -1, np.int32)
        block[is_text] = placed(texts, page.tree.texts, _block_of_text(page))
        return _by_line(html, kind, starts, block)


def _block_of_text(page: Page) -> Sequence[int]:
    """The block that each text of a page's tree is a part of, -1 for those that are shown in none."""
    found = [-1] * len(page.tree.texts)
    for position, block in enumerate(page.blocks):
        assert isinstance(block.source, Runs), "the blocks of a page that was read share their runs"
        for place in block.source.places[block.span]:
            # Those from the end stand for what is no text of the tree.
            if 0 <= place < len(found):
                found[place] = position
    return found


def _by_line(html: str, kind: NDArray[np.int8], starts: NDArray[np.int64], block: Ids) -> SourceTokens:
    """The tokens, of which texts end with their line."""
    lines = np.cumsum([len(line) + 1 for line in html.split("\n")[:-1]], dtype=np.int64)
    if len(kind):
        owners = starts.searchsorted(lines, "right") - 1
        cut = (kind[owners] == TEXT) & (starts[owners] < lines) & (lines < len(html))
        owner = np.concatenate([np.arange(len(kind)), owners[cut]])
        starts = np.concatenate([starts, lines[cut]])
        order = np.argsort(starts, kind="stable")
        starts, owner = starts[order], owner[order]
        kind, block = kind[owner], block[owner]
        # Of a text in several lines some may be white space.
        for token in np.flatnonzero((block >= 0) & np.isin(owner, owners[cut])).tolist():
            stop = starts[token + 1] if token + 1 < len(starts) else len(html)
            if html[starts[token] : stop].isspace():
                block[token] = -1
    chars = np.diff(np.append(starts, len(html))).astype(np.int32)
    return SourceTokens(html, kind, chars, lines.searchsorted(starts, "right").astype(np.int32), block)
