"""Links of headings, definitions and captions to themselves, shown as "¶" or "#" by many generators."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LONGEST: Final = 3
"""Characters of a mark."""
_NEAR: Final = 3
"""Elements around a link. What lies further out is a part of the page, and a link to it leads to its top."""
_BEFORE: Final = 5
"""So many elements before a heading are asked for their names."""
_INSIDE: Final = 50
"""So many elements of a heading are asked for their names."""


def is_permalink(anchor: HtmlElement, texts: Sequence[str]) -> bool:
    """Whether a link shows a mark alone, no letter and no digit, and leads to what it stands in or beside.

    Takes an ``a`` whose target is a fragment of its own page, and its texts. Its target may be the link
    itself, an element closely around it, a part of its heading, the heading next to it, or an element without
    text next to its heading.
    """
    mark = "".join("".join(texts).split())
    if not 0 < len(mark) <= _LONGEST or any(character.isalnum() for character in mark):
        return False
    fragment = (anchor.get("href") or "").partition("#")[2].strip()
    names = {fragment, unquote(fragment)} - {""}
    if not names:
        return False
    around: HtmlElement | None = anchor
    for _ in range(_NEAR + 1):
        if around is None or around.tag == "body":
            return False
        if _is_named(around, names) or any(_is_named(beside, names) for beside in _beside(around)):
            return True
        if around.tag in _HEADINGS and any(
            _is_named(inner, names) for inner in islice(around.iter("*"), _INSIDE)
        ):
            return True
        around = cast("HtmlElement | None", around.getparent())
    return False


def _beside(element: HtmlElement) -> Iterator[HtmlElement]:
    """The siblings next to an element that are headings or have no text: before it there may be several."""
    following = element.getnext()
    if following is not None and _is_target(following):
        yield following
    for before in islice(element.itersiblings(preceding=True), _BEFORE):
        if not _is_target(before):
            return
        yield before


def _is_target(element: HtmlElement) -> bool:
    return element.tag in _HEADINGS or (not len(element) and not (element.text or "").strip())


def _is_named(element: HtmlElement, names: set[str]) -> bool:
    return element.get("id") in names or (element.tag == "a" and element.get("name") in names)
