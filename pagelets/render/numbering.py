"""The numbers of the items of ordered lists, which count the removed items too."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pagelets.render.outline import integer

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.render.outline import Context


class Numbering:
    """Numbers the items of a page's ordered lists as a browser does, ``reversed`` aside.

    Items are asked for in document order, each once; so every list is gone through once in all.
    """

    def __init__(self) -> None:
        self._last: dict[Context, int] = {}
        self._last_child: dict[HtmlElement, HtmlElement] = {}

    def expected(self, parent: Context) -> int:
        """The number that the list's next item has where none was removed before it."""
        if parent in self._last:
            return self._last[parent] + 1
        start = integer(parent.element, "start")
        return 1 if start is None else start

    def number(self, item: Context) -> int:
        """The number of the list's next item."""
        parent = cast("Context", item.parent)
        number = self.expected(parent)
        if item.element is not None:
            number += self._removed_before(item.element)
            value = integer(item.element, "value")
            number = number if value is None else value
        self._last[parent] = number
        return number

    def _removed_before(self, element: HtmlElement) -> int:
        # Items may lie in wrappers inside the list: those of each wrapper are counted for themselves.
        around = cast("HtmlElement", element.getparent())
        last = self._last_child.get(around)
        self._last_child[around] = element
        removed = 0
        sibling = element.getprevious()
        while sibling is not None and sibling is not last:
            removed += sibling.tag == "li"
            sibling = sibling.getprevious()
        return removed
