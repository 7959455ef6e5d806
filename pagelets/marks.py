"""Elements of a page whose fate is said beforehand: by CSS selectors, or by the page itself.

A marked element begins and ends a block also where it is inline, so that a block lies in it or does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element


class Forced(NamedTuple):
    """A verdict that no method is asked for: whether blocks are kept, and why."""

    keep: bool
    reason: str


KEPT: Final = Forced(True, "kept by selector")
DROPPED: Final = Forced(False, "dropped by selector")
NOSNIPPET: Final = Forced(False, "nosnippet")

_STRONGEST_LAST: Final = (NOSNIPPET, DROPPED, KEPT)

_SHOWN: Final = 200
"""Characters of a wrong selector that an error shows."""


class WrongSelector(ValueError):
    """A text is no CSS selector of elements; the message names it and says what is wrong."""


_Path: TypeAlias = tuple[str, Forced, etree.XPath]


@dataclass(slots=True, frozen=True)
class Selectors:
    """CSS selectors of what is always kept, and of what is always dropped, of every page of a site.

    What one of ``keep`` matches is kept with all that is in it, whatever one of ``drop`` matches. Raises
    WrongSelector.
    """

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    _paths: tuple[_Path, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Sorted: selectors in another order are the same selectors.
        keep, drop = (tuple(sorted(set(selectors))) for selectors in (self.keep, self.drop))
        marks = ((DROPPED, drop), (KEPT, keep))
        paths = tuple((text, mark, _compiled(text)) for mark, selectors in marks for text in selectors)
        for name, value in (("keep", keep), ("drop", drop), ("_paths", paths)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Selectors], tuple[tuple[str, ...], tuple[str, ...]]]:
        """Their texts go to another process, and are compiled there."""
        return Selectors, (self.keep, self.drop)

    def matched(self, root: _Element) -> Iterator[tuple[str, Forced, list[_Element]]]:
        """What each selector matches in a page: its text, its mark, and elements; the strongest last."""
        for selector, mark, path in self._paths:
            yield selector, mark, cast("list[_Element]", path(root))


NO_SELECTORS: Final = Selectors()


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
