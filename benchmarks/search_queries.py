"""Queries of which the answer is known, made of the gold text of a site's pages.

Nothing here looks at what a method has made of a page: all methods get the same queries.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.reading import parse
from pagelets.text.scripts import UNSPACED_LETTERS
from pagelets.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TITLES: Final = "titles"
SENTENCES: Final = "sentences"
KINDS: Final = (TITLES, SENTENCES)

COMMON_SHARE: Final = 0.5
"""A word that the gold text of more of a site's pages holds is common: nobody searches a site for it."""
SENTENCES_A_PAGE: Final = 5
WORDS_OF_A_SENTENCE: Final = 3
LONGEST_TITLE: Final = 30
"""A first line of more words is no title."""
OVERVIEWS: Final = frozenset({"listing", "home"})
"""Types of pages that hold beginnings of other pages: these are what is looked for, not the overview."""

_SEED: Final = 1
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"'»”’)\]]*\s+|(?<=[。！？])")
_RUN: Final = re.compile(f"([{UNSPACED_LETTERS}]+)")


class GoldText(NamedTuple):
    """What a page should be found by: its URL, its gold text, its type, and its HTML."""

    url: str
    text: str
    group: str | None
    html: str

    @property
    def is_overview(self) -> bool:
        """Whether the page lists other pages."""
        return self.group in OVERVIEWS


class Query(NamedTuple):
    """The words to look for, the URLs that answer, and the page that they were taken from."""

    kind: str
    words: tuple[str, ...]
    answers: frozenset[str]
    page: GoldText


def terms(text: str) -> list[str]:
    """The words of a text, in order and in lower case, as somebody would type them.

    In scripts that put no space between words, each two characters in a row stand for one.
    """
    found: list[str] = []
    for token in tokens(text):
        for part in filter(None, _RUN.split(token)):
            if len(part) > 1 and _RUN.fullmatch(part):
                found += [part[place : place + 2] for place in range(len(part) - 1)]
            else:
                found.append(part)
    return found


def queries(pages: Sequence[GoldText]) -> list[Query]:
    """The queries of a site: for each page with a subject of its own one of its title, and some of sentences.

    The answers to a title are the pages of which it is the title, to a sentence those whose gold text holds
    it; a page whose gold text is the same as an answer's is one, too. The same pages give the same queries,
    in any order.
    """
    pages = sorted(pages, key=lambda page: page.url)
    texts = {page.url: frozenset(terms(page.text)) for page in pages}
    counts = Counter(term for found in texts.values() for term in found)
    common = {term for term, count in counts.items() if count > COMMON_SHARE * len(pages)}
    subjects = [page for page in pages if not page.is_overview]
    return [*_of_titles(subjects, pages, common), *_of_sentences(subjects, pages, common)]


def title(page: GoldText) -> str | None:
    """The page's title: its first ``h1`` that is a line of the gold text, without one the gold text's first
    line. None where that is too long to be one.
    """
    lines = [(line, tuple(tokens(line))) for line in page.text.splitlines()]
    found = {words: line for line, words in reversed(lines) if words}
    for heading in _headings(page.html):
        line = found.get(tuple(tokens(heading)))
        if line is not None:
            return line
    first = next((line for line, words in lines if words), "")
    return first if 0 < len(tokens(first)) <= LONGEST_TITLE else None


def sentences(text: str) -> list[str]:
    """The sentences of a text, each once, in order; a line ends one."""
    found = (part.strip() for line in text.splitlines() for part in _SENTENCE_END.split(line))
    return list(dict.fromkeys(filter(None, found)))


def _headings(html: str) -> Iterator[str]:
    for element in parse(html).iter("h1"):
        yield "".join(map(str, element.itertext()))


def _of_titles(subjects: Sequence[GoldText], pages: Sequence[GoldText], common: set[str]) -> Iterator[Query]:
    titled: dict[frozenset[str], list[tuple[tuple[str, ...], GoldText]]] = {}
    for page in subjects:
        words = _uncommon(title(page) or "", common)
        if words:
            titled.setdefault(frozenset(words), []).append((words, page))
    for found in titled.values():
        words, page = found[0]
        yield Query(TITLES, words, _with_twins({page.url for _, page in found}, pages), page)


def _of_sentences(
    subjects: Sequence[GoldText], pages: Sequence[GoldText], common: set[str]
) -> Iterator[Query]:
    for page in subjects:
        draw = random.Random(f"{_SEED} {page.url}")
        long = [
            (sentence, words)
            for sentence in sentences(page.text)
            if len(words := _uncommon(sentence, common)) >= WORDS_OF_A_SENTENCE
        ]
        for sentence, words in draw.sample(long, min(SENTENCES_A_PAGE, len(long))):
            places = sorted(draw.sample(range(len(words)), WORDS_OF_A_SENTENCE))
            answers = _with_twins({other.url for other in pages if sentence in other.text}, pages)
            yield Query(SENTENCES, tuple(words[place] for place in places), answers, page)


def _uncommon(text: str, common: set[str]) -> tuple[str, ...]:
    """The words of a text that are not common, each once; single letters say nothing."""
    return tuple(
        dict.fromkeys(
            term for term in terms(text) if term not in common and (len(term) > 1 or not term.isascii())
        )
    )


def _with_twins(urls: set[str], pages: Sequence[GoldText]) -> frozenset[str]:
    texts = {page.text for page in pages if page.url in urls}
    return frozenset(page.url for page in pages if page.text in texts)
