"""A CSS selector for the place of a block, for people to write into a site file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagelets.marks import Selectors
from pagelets.partition import element_step

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from pagelets.page import Page

_NAME: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_STEPS: Final = 6


def selector_of(page: Page, block: int) -> str:
    """The shortest selector of a block's element, by tags, ids and classes, that matches only elements at the
    same place (`pagelets.traces`) of the page; the longest that was tried where none does.
    """
    element: HtmlElement | None = page.blocks[block].element
    assert element is not None
    place = _place(element)
    selector = ""
    for _ in range(_STEPS):
        if element is None:
            break
        step = _step(element)
        selector = f"{step} > {selector}" if selector else step
        matched = Selectors(drop=(selector,)).marks(page.root)
        if {_place(one) for one in matched} == {place}:
            break
        element = element.getparent()
    return selector


def _place(element: HtmlElement) -> str:
    above = [element_step(one) for one in element.iterancestors()]
    return "/".join([element_step(element), *above])


def _step(element: HtmlElement) -> str:
    """A step of a selector; names that CSS would have escaped are left out, they are rare."""
    tag = element.tag if _NAME.fullmatch(element.tag) else "*"
    identifier = element.get("id", "").strip()
    if _NAME.fullmatch(identifier) and not re.search(r"\d", identifier):
        return f"{tag}#{identifier}"
    classes = [name for name in element.get("class", "").split() if _NAME.fullmatch(name)]
    return ".".join([tag, *[name for name in classes if not re.search(r"\d", name)][:2]])
