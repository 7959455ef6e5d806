"""Lines that a site writes around the title of each page: "Did you like TITLE? Tell a friend."."""

from __future__ import annotations

import re
from bisect import bisect
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from pagelets.judging.title import parts_of
from pagelets.page import HEADING_TAGS
from pagelets.patterns import host_of
from pagelets.text.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.page import Page

FILLED: Final = "\0"
"""Stands for the title, which no text of a page holds."""
_MOST_PARTS: Final = 6
_SHORTEST, _LONGEST = 3, 300
"""Minimum and maximum number of characters of a title."""
_AROUND: Final = 160
"""Maximum number of characters around it."""
_LEAST_WORDS: Final = 3
"""Minimum number of words around it, which a field of a record ("Job title: TITLE") does not have."""
_WORD: Final = re.compile(r"\w+")
_HEADLINES: Final = 3
"""So many of the first texts of the first ``h1`` may be the title."""
_END: Final = r"(?:[?!.](?!\w)|[。？！؟।])"
_SENTENCE: Final = re.compile(_END)
_ANOTHER: Final = re.compile(rf"{_END}\W*\w")
"""Two sentences, which a heading of the article's own seldom is."""


def filled_lines(page: Page) -> dict[int, str]:
    """Returns the places of a page's blocks that are sentences with its title in them, and their texts with
    `FILLED` in its place. The title is the page's own, a part of it between separators or that a block says,
    or the text of an ``h1``, but not the site's name, as far as the host tells. A heading has to be two
    sentences. Linear in the size of the page.
    """
    texts = [block.text for block in page.blocks]
    whole, ends = "\n".join(texts), list(accumulate(len(text) + 1 for text in texts))
    lines: dict[int, str] = {}
    seen: set[int] = set()
    for title in _titles(page, texts):
        for place in _places(title, whole, ends):
            text = texts[place]
            if place in seen or len(text) - len(title) > _AROUND or title not in text:
                continue
            seen.add(place)
            rest = text.replace(title, FILLED)
            tag = page.tree.tags[page.blocks[place].node]
            sentence = _ANOTHER if tag in HEADING_TAGS else _SENTENCE
            if sentence.search(rest) and len(words(rest)) >= _LEAST_WORDS:
                lines[place] = rest
    return lines


def _titles(page: Page, texts: Sequence[str]) -> list[str]:
    """Returns the texts that may be the title of a page, the longest first."""
    title, headlines = page.title[:_LONGEST], set(page.tree.of_tag("h1")[:_HEADLINES])
    parts = parts_of(title)[:_MOST_PARTS]
    names = {title, *parts, max([text for text in texts if text in title], key=len, default="")}
    if headlines:
        names.update(islice((block.text for block in page.blocks if block.node in headlines), _HEADLINES))
    host = host_of(page.url)
    # The site's name is in some of its titles alone: a line with it would count as two.
    names = {
        name
        for name in names
        if _SHORTEST <= len(name) <= _LONGEST
        and not all(word in host for word in _WORD.findall(name.lower()))
    }
    return sorted(names, key=lambda name: (-len(name), name))


def _places(title: str, whole: str, ends: Sequence[int]) -> Iterator[int]:
    """The places of the texts, joined in ``whole``, at whose beginnings or in which a title is found."""
    at = whole.find(title)
    while at >= 0:
        place = bisect(ends, at)
        yield place
        at = whole.find(title, ends[place])
