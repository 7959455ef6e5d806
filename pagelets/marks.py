"""Elements of a page whose fate is said beforehand: by CSS selectors, or by the page itself.

A marked element begins and ends a block also where it is inline, so that a block lies in it or does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from pagelets.page import Page, build, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement


class Forced(NamedTuple):
    """A verdict that no method is asked for: whether blocks are kept, and why."""

    keep: bool
    reason: str


KEPT: Final = Forced(True, "kept by selector")
DROPPED: Final = Forced(False, "dropped by selector")
NOSNIPPET: Final = Forced(False, "nosnippet")

_STRONGEST_LAST: Final = (NOSNIPPET, DROPPED, KEPT)
_NOSNIPPET: Final = etree.XPath("descendant-or-self::*[@data-nosnippet]")
_NOSNIPPET_SPELT: Final = "nippet"
"""What data-nosnippet has in common with data-noSnippet and data-NoSnippet, which are the same attribute."""


_SHOWN: Final = 200
"""Characters of a wrong selector that an error shows."""


class WrongSelector(ValueError):
    """A text is no CSS selector of elements; the message names it and says what is wrong."""


@dataclass(slots=True, frozen=True)
class Selectors:
    """CSS selectors of what is always kept, and of what is always dropped, of every page of a site.

    What one of ``keep`` matches is kept with all that is in it, whatever one of ``drop`` matches. Raises
    WrongSelector.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    _paths: tuple[tuple[Forced, etree.XPath], ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Sorted: selectors in another order are the same selectors.
        keep, drop = (tuple(sorted(set(selectors))) for selectors in (self.keep, self.drop))
        marks = ((DROPPED, drop), (KEPT, keep))
        paths = tuple((mark, _compiled(selector)) for mark, selectors in marks for selector in selectors)
        for name, value in (("keep", keep), ("drop", drop), ("_paths", paths)):
            object.__setattr__(self, name, value)

    def marks(self, root: HtmlElement) -> dict[HtmlElement, Forced]:
        """What the selectors match in the tree of a page."""
        marks: dict[HtmlElement, Forced] = {}
        for mark, path in self._paths:
            marks.update(dict.fromkeys(_matched(path, root), mark))
        return marks


NO_SELECTORS: Final = Selectors()


def read(text: str, url: str, selectors: Selectors = NO_SELECTORS) -> Page:
    """The page of decoded HTML at an address, as a store records it and as it is judged.

    What selectors match, and what the page marks as ``data-nosnippet``, are blocks of their own.
    """
    root = parse(text)
    # Looking for an attribute in the tree takes as long as a fifth of reading the page.
    marks = marked(root, selectors) if _NOSNIPPET_SPELT in text else selectors.marks(root)
    return build(root, url, marks, text)


def marked(root: HtmlElement, selectors: Selectors) -> dict[HtmlElement, Forced]:
    """The elements of a page that selectors match, or that have the attribute ``data-nosnippet``."""
    return {**dict.fromkeys(_matched(_NOSNIPPET, root), NOSNIPPET), **selectors.marks(root)}


def stronger(one: Forced | None, other: Forced | None) -> Forced | None:
    """Of two marks around a block that which decides: keep selectors, drop selectors, ``data-nosnippet``."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=_STRONGEST_LAST.index)


def _compiled(selector: str) -> etree.XPath:
    try:
        path = etree.XPath(HTMLTranslator().css_to_xpath(selector))
        path(etree.Element("html"))
    except (SelectorError, etree.XPathError, ValueError, RecursionError) as error:
        shown = repr(selector[:_SHOWN])
        raise WrongSelector(f"{shown} is no CSS selector of elements: {str(error)[:_SHOWN]}") from error
    return path


def _matched(path: etree.XPath, root: HtmlElement) -> Iterable[HtmlElement]:
    return cast("list[HtmlElement]", path(root))
