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
_MANY: Final = re.compile(
    rb"""
    <[a-zA-Z]
    (?:
        [ \t\n\r\f/]*+ [^ \t\n\r\f/>] [^ \t\n\r\f/>=]{0,300}+
        (?:
            [ \t\n\r\f]*+ = [ \t\n\r\f]*+
            (?: "[^"]*+" | '[^']*+' | [^ \t\n\r\f>"'] [^ \t\n\r\f>]{0,300}+ )?+
        )?+
    ){%d}
    """
    % MOST,
    re.VERBOSE,
)
"""A tag with too many attributes, as HTML reads them; names and values that are longer count for several."""
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
    merged = islice(_MERGED.finditer(body), _MOST_MERGED, None)
    return _MANY.search(body) is not None or next(merged, None) is not None


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
