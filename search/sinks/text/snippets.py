"""The place of a text that shows best why it was found, with what was looked for marked."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from search.query import Occur, Piece, Query
from search.sinks.text.words import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Words = Callable[[str], Sequence[str]]

SNIPPET_CHARS: Final = 240
_READ_CHARS: Final = 200_000
"""How much of a text is looked through."""
_LEAD: Final = 60
"""How much is shown before the first hit, about."""


class _Place(NamedTuple):
    start: int
    stop: int
    wanted: int


def wanted(query: Query, words: Words) -> list[tuple[str, ...]]:
    """Lists the words and phrases of a query, given a function that splits a text into words."""
    phrases = (tuple(words(clause.text)) for clause in query.clauses if clause.occur is not Occur.NOT)
    return list(dict.fromkeys(phrase for phrase in phrases if phrase))


def snippet(text: str, phrases: Sequence[tuple[str, ...]], words: Words) -> tuple[Piece, ...]:
    """About `SNIPPET_CHARS` characters of the text, around the most that can be seen at once of the phrases;
    its beginning where none is in it. Runs of white space are one space; an ellipsis stands where it is cut.

    Args:
        text: of the unit.
        phrases: the words of each.
        words: cuts a text into words as the index does.
    """
    text = text[:_READ_CHARS]
    places = _places(text, phrases, words)
    start, stop = _window(text, places)
    pieces = [Piece("…", False)] if start else []
    at = start
    for place in places:
        if at <= place.start and place.stop <= stop:
            pieces += [Piece(text[at : place.start], False), Piece(text[place.start : place.stop], True)]
            at = place.stop
    pieces += [Piece(text[at:stop], False), Piece("…" if stop < len(text) else "", False)]
    return _joined(pieces)


def _places(text: str, phrases: Sequence[tuple[str, ...]], words: Words) -> list[_Place]:
    """Where the phrases are, none over another."""
    if not phrases:
        return []
    sought = {word for phrase in phrases for word in phrase}
    # What a run of characters says: its words, or how many they are where none of them is sought.
    known: dict[str, Sequence[str] | int] = {}
    spans: dict[int, tuple[str, int, int]] = {}
    number = 0
    for run in RUN.finditer(text):
        characters = run[0]
        run_words = known.get(characters)
        if run_words is None:
            run_words = words(characters)
            known[characters] = run_words = len(run_words) if sought.isdisjoint(run_words) else run_words
        if isinstance(run_words, int):
            number += run_words
            continue
        for word in run_words:
            spans[number] = (word, run.start(), run.end())
            number += 1
    return _matches(spans, phrases)


def _matches(spans: Mapping[int, tuple[str, int, int]], phrases: Sequence[tuple[str, ...]]) -> list[_Place]:
    """Where phrases are among words that are known by their numbers; the longer phrase where two are."""
    first: dict[str, list[int]] = {}
    for wanted_one in sorted(range(len(phrases)), key=lambda item: -len(phrases[item])):
        first.setdefault(phrases[wanted_one][0], []).append(wanted_one)
    places: list[_Place] = []
    for number, (word, start, _) in spans.items():
        for wanted_one in first.get(word, ()):
            phrase = phrases[wanted_one]
            there = [spans.get(number + step) for step in range(len(phrase))]
            if all(item is not None and item[0] == other for item, other in zip(there, phrase, strict=True)):
                if not places or places[-1].stop <= start:
                    places.append(_Place(start, spans[number + len(phrase) - 1][2], wanted_one))
                break
    return places


def _window(text: str, places: Sequence[_Place]) -> tuple[int, int]:
    """The part of the text with the most phrases, then the most hits, then the first."""
    best, start = (0, 0), 0
    stop = 0
    for index, place in enumerate(places):
        stop = max(stop, index)
        while stop < len(places) and places[stop].stop <= place.start + SNIPPET_CHARS - _LEAD:
            stop += 1
        worth = (len({other.wanted for other in places[index:stop]}), stop - index)
        if worth > best:
            best, start = worth, max(0, place.start - _LEAD)
    if start:
        # Not in the middle of a word, where there are spaces.
        space = max(text.find(" ", start, start + _LEAD), text.find("\n", start, start + _LEAD))
        start = space + 1 if space >= 0 else start
    stop = start + SNIPPET_CHARS
    if stop < len(text):
        stop = max(stop, *(place.stop for place in places if place.start < stop <= place.stop), 0)
        space = max(text.rfind(" ", start, stop + 1), text.rfind("\n", start, stop + 1))
        if space > start + SNIPPET_CHARS // 2:
            stop = space
    return start, min(stop, len(text))


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Pieces without runs of white space, none empty, none next to another of its kind."""
    plain = (Piece(" ".join(f"|{text}|".split())[1:-1], hit) for text, hit in pieces)
    runs = groupby((piece for piece in plain if piece.text), key=attrgetter("hit"))
    return tuple(Piece("".join(piece.text for piece in run), hit) for hit, run in runs)
