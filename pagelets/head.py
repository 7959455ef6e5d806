"""What a page declares of itself in elements that show nothing: title, base, canonical address, robots.

The parser ends a head at the first thing that no head may hold (an iframe, a div, text), and moves what
follows into the body. Title, base and robots meta elements count wherever they stand, as in browsers and
search engines; a canonical address counts where the page meant its head to be, as in a body anyone may have
written it.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from pagelets.references import LONGEST_BASE, References

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from pagelets.page import Page

_DECLARING: Final = ("base", "link", "meta", "title")
_ELSEWHERE: Final = frozenset({"math", "noscript", "object", "svg", "template"})
"""Elements in which a title is another one's, and a meta element is not of the page as scripts leave it."""
_FOLLOWED_RELATIONS: Final = frozenset({"canonical", "next", "prev"})
_REFRESH: Final = re.compile(r"\s*+\d*+\.?+\d*+\s*+[;,]\s*+(?:url\s*+=\s*+)?+['\"]?+([^'\"]+)", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b.*?(?:</(?P=raw)|\Z)|(?P<link><link\b)|(?P<end></head\b|<body\b)",
    re.IGNORECASE | re.DOTALL,
)


def read_head(page: Page, source: str) -> References:
    """Notes what a page declares, and returns what makes its references absolute.

    Takes the page, of which address and tree are known, and the text that was parsed; where that is empty,
    what the parser moved out of the head declares no canonical address. Linear in the size of the tree.
    """
    elements = list(_declaring(page.root))
    hrefs = (element.get("href") for element, _ in elements if element.tag == "base")
    base = next((href for href in hrefs if href is not None), None)
    references = References(page.url)
    page.base = page.url
    if base and len(base) <= LONGEST_BASE and (address := references.absolute(base)):
        page.base, references = address, References(address)
    meant: frozenset[HtmlElement] | None = None
    robots: set[str] = set()
    for element, in_head in elements:
        tag = element.tag
        if tag == "link":
            relations = (element.get("rel") or "").lower().split()
            if _FOLLOWED_RELATIONS.isdisjoint(relations):
                continue
            if not in_head:
                meant = _meant_as_head(page.root, source) if meant is None else meant
            if in_head or (meant and element in meant):
                _note_link(page, references, element, relations)
        elif tag == "meta":
            robots |= _note_meta(page, references, element)
        elif tag == "title" and not page.title:
            page.title = " ".join("".join(element.itertext()).split())
    page.robots = frozenset(robots)
    return references


def _note_link(page: Page, references: References, element: HtmlElement, relations: list[str]) -> None:
    address = references.absolute(element.get("href") or "")
    if address and "canonical" in relations:
        page.canonical_url = page.canonical_url or address
    elif address:
        page.follow.append(address)


def _note_meta(page: Page, references: References, element: HtmlElement) -> set[str]:
    """Notes a meta element; returns the directives that it has for all robots."""
    if (element.get("http-equiv") or "").lower() == "refresh":
        target = _REFRESH.match(element.get("content") or "")
        address = references.absolute(target[1]) if target else None
        if address:
            page.follow.append(address)
    name = element.get("name")
    if not name:
        return set()
    name, content = name.lower(), element.get("content") or ""
    page.robots_metas.append((name, content))
    return {directive.strip() for directive in content.lower().split(",")} if name == "robots" else set()


def _declaring(root: HtmlElement) -> Iterator[tuple[HtmlElement, bool]]:
    """The elements that declare something of the page, in order, and whether each is in its head."""
    head = next(root.iterchildren("head"), None)
    # Whether what stands in an element is the page's own, of those that were asked for.
    own: dict[HtmlElement | None, bool] = {None: True, root: True}
    if head is not None:
        own[head] = True
    for element in root.iter(*_DECLARING):
        parent = element.getparent()
        path = []
        around = parent
        while around not in own:
            path.append(around)
            around = around.getparent()
        for inner in reversed(path):
            own[inner] = own[around] and inner.tag not in _ELSEWHERE
            around = inner
        if own[parent]:
            yield element, parent is head


def _meant_as_head(root: HtmlElement, source: str) -> frozenset[HtmlElement]:
    """The link elements of a tree that stand before the end of the head in the text that was parsed."""
    count = 0
    for found in _HEAD.finditer(source):
        if found["end"]:
            return frozenset(islice(root.iter("link"), count))
        count += found["link"] is not None
    return frozenset()
