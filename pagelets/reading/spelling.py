"""Words as readers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.reading.formulas import put_signs

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.tree import Tree


INVISIBLE: Final = "\u00ad\u034f\u200b\u200c\u200d\u200e\u200f\u2060\ufeff \n"
"""Characters that show nothing where they stand alone, as in the paragraphs that editors leave empty."""
_IN_WORDS: Final = "\u00ad\u2060\ufeff"
"""Soft hyphens, word joiners and byte order marks, which no reader sees in a word."""

RAISED: Final = dict(zip("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ", strict=True))
"""What stands above a line, by its characters. Of a number it would be the last figures."""
_UNSEEN: Final = ("sr-only", "screen-reader", "visually-hidden", "visuallyhidden", "a-offscreen", "-vishid")
"""Parts of classes of words for screen readers alone, which stand apart from the line that they are in."""
_ENDS: Final = frozenset('.!?”")')
_QUOTES: Final = frozenset("\"'“”„«»‹›‘’「『")

_LONGEST: Final = 9


def spell(tree: Tree) -> None:
    """Takes soft hyphens and the like out of the texts of a page, puts brackets around the readings of
    characters (``rt``), quotation marks around a ``q`` without any, raised figures, signs between the parts
    of formulas, and a space where only a style sheet does: before the type of a term ("axis" and "int", in
    docutils and Sphinx), around words for screen readers, between a caption and its credit, and between a
    time and the author or another time beside it.
    """
    if any(map("".join(tree.texts).__contains__, _IN_WORDS)):
        unseen = dict.fromkeys(map(ord, _IN_WORDS))
        tree.texts[:] = [text.translate(unseen) or text for text in tree.texts]
    put_signs(tree)
    bracketed = {tree.parents[node] for node in tree.of_tag("rp")}
    for node in tree.of_tag("rt"):
        if tree.tags[tree.parents[node]] == "ruby" and tree.parents[node] not in bracketed:
            tree.put_around(node, "(", ")")
    for node in tree.of_tag("sup"):
        span = tree.text_span(node)
        if len(span) == 1 and span.start:
            text, before = tree.texts[span.start], tree.texts[span.start - 1]
            # Notes are links. What an exponent does to a letter, its reader sees.
            linked = "a" in (tree.tags[tree.holders[span.start]], tree.tags[tree.parents[node]])
            if len(text) < _LONGEST and RAISED.keys() >= set(text) and (linked or before[-1:].isdecimal()):
                tree.texts[span.start] = "".join(map(RAISED.__getitem__, text))
    for node in tree.of_tag("q"):
        if span := tree.text_span(node):
            before = tree.texts[span.start - 1] if span.start else ""
            if _QUOTES.isdisjoint((before.rstrip()[-1:], tree.texts[span.start].lstrip()[:1])):
                tree.put_around(node, '"', '"')
    classes = tree.attribute("class")
    names = set(classes.values())
    apart = names & {"classifier"}
    if any(map(" ".join(names).__contains__, _UNSEEN)):
        apart.update(name for name in names if any(map(name.__contains__, _UNSEEN)))
    for node, name in classes.items() if apart else ():
        # One space is enough for elements that are nested by the thousand.
        if name in apart and (span := tree.text_span(node)) and tree.texts[span.start][0] != " ":
            tree.put_around(node, " ", "" if name == "classifier" else " ")
    begin = 1
    for node in tree.of_tag("figcaption"):
        span = tree.text_span(node)
        begin, end = max(begin, span.start + 1), span.stop
        for place in range(begin, end):
            if tree.texts[place - 1][-1:] in _ENDS and tree.texts[place][:1].isupper():
                tree.texts[place] = f" {tree.texts[place]}"
        begin = max(begin, end)
    for node in tree.of_tag("time"):
        if span := tree.text_span(node):
            _part(tree.texts, span.start, str.isalnum)
            if span.stop < len(tree.texts) and _is_beside(tree, node, tree.holders[span.stop]):
                _part(tree.texts, span.stop, _begins)


def _is_beside(tree: Tree, node: int, other: int) -> bool:
    """Returns True for the element around a ``node`` and those in it, unless they are code."""
    return tree.tags[other] != "pre" and tree.parents[node] in (other, tree.parents[other])


def _part(texts: list[str], place: int, is_word: Callable[[str], bool]) -> None:
    """Puts a space before a text that begins so where the one before ends in a word."""
    if place and texts[place - 1][-1:].isalnum() and is_word(texts[place][:1]):
        texts[place] = f" {texts[place]}"


def _begins(letter: str) -> bool:
    """Returns True for letters and digits that no ending begins with ("1990s")."""
    return letter.isupper() or letter.isdigit()
