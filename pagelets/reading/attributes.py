"""Pages whose elements have more attributes than any page needs.

libxml2 keeps the attributes of an element in a list, and goes to its end for each of them: a page of eight
megabytes could keep it busy for an hour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from itertools import islice
from typing import Any, Final, cast

from lxml import etree

MOST: Final = 4000
"""So many attributes an element may have; others are left out."""
_SMALL: Final = 1 << 18
"""A page of fewer bytes takes some seconds at worst, and most are smaller: looking takes a quarter as long as
parsing.
"""
_ATTRIBUTE: Final = rb"""
    [ \t\n\r\f/]*+ [^ \t\n\r\f/>] [^ \t\n\r\f/>=]{0,300}+
    (?:
        [ \t\n\r\f]*+ = [ \t\n\r\f]*+
        (?: "[^"]*+" | '[^']*+' | [^ \t\n\r\f>"'] [^ \t\n\r\f>]{0,300}+ )?+
    )?+
"""
"""An attribute, as HTML reads it; longer names and values count for several."""
_TAG: Final = re.compile(
    rb"<[a-zA-Z] (?:%b){1,%d}+ (?P<many>%b)?+" % (_ATTRIBUTE, MOST - 1, _ATTRIBUTE), re.VERBOSE
)
_PASSES: Final = 8
"""How often bytes are looked at on average, before a page counts as one that takes long."""
_MERGED: Final = re.compile(rb"<(?:html|body)[ \t\n\r\f/]", re.IGNORECASE)
_MOST_MERGED: Final = 50
"""Tags whose attributes all come to one element, and how often they may be repeated."""
_NAME: Final = re.compile(r"[a-zA-Z_:][\w:.-]*\Z", re.ASCII)
_RAW: Final = frozenset({"script", "style"})
_VOID: Final = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())


def are_too_many(body: bytes) -> bool:
    """Returns True if elements of HTML, in UTF-8, have so many attributes that `etree.HTMLParser` may take
    long.

    Linear in the size of the text.
    """
    if len(body) < _SMALL:
        return False
    left = _PASSES * len(body)
    for tag in _TAG.finditer(body):
        if tag["many"]:
            return True
        # What is a value to one tag may hold a tag: libxml2 sees no tag in a comment, for one.
        place = body.find(b"<", tag.start() + 1, tag.end())
        while place >= 0:
            inner = _TAG.match(body, place)
            left -= inner.end() - place if inner else 0
            if left < 0 or (inner and inner["many"]):
                return True
            place = body.find(b"<", place + 1, tag.end())
    return next(islice(_MERGED.finditer(body), _MOST_MERGED, None), None) is not None


def without_too_many(body: bytes) -> bytes:
    """The same HTML with the first `MOST` attributes of each element."""
    # Told of tags one by one libxml2 makes no elements, and the parser takes as long as for other pages.
    target: Any = _Tags()
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True, target=target)
    return cast("bytes", etree.fromstring(body, parser))


class _Tags:
    """Writes HTML anew of the tags that a parser finds."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._raw = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        kept = ((name, value) for name, value in attributes.items() if _NAME.match(name))
        written = "".join(f' {name}="{escape(value)}"' for name, value in islice(kept, MOST))
        self._written.append(f"<{tag}{written}>")
        self._raw = tag in _RAW

    def end(self, tag: str) -> None:
        """An element ends."""
        self._raw = False
        if tag not in _VOID:
            self._written.append(f"</{tag}>")

    def data(self, text: str) -> None:
        """Text comes."""
        self._written.append(text if self._raw else escape(text, quote=False))

    def close(self) -> bytes:
        """The page, in UTF-8."""
        return "".join(self._written).encode()
