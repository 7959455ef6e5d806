"""What a page declares of itself in elements that show nothing: title, base, canonical address, robots.

The parser ends a head at the first thing that no head may hold (an iframe, a div, text), and moves what
follows into the body. Title, base and robots meta elements count wherever they stand, as in browsers and
search engines; a canonical address counts where the page meant its head to be, as in a body anyone may have
written it.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from pagelets.reading.references import LONGEST_BASE, References
from pagelets.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.page import Page
    from pagelets.tree import Tree

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
    tree = page.tree
    declaring = list(_declaring(tree))
    hrefs = (tree.get(node, "href") for node, _ in declaring if tree.tags[node] == "base")
    base = next((href for href in hrefs if href is not None), None)
    references = References(page.url)
    page.base = page.url
    if base and len(base) <= LONGEST_BASE and (address := references.absolute(base)):
        page.base, references = address, References(address)
    meant: frozenset[int] | None = None
    robots: set[str] = set()
    for node, in_head in declaring:
        tag = tree.tags[node]
        if tag == "link":
            relations = (tree.get(node, "rel") or "").lower().split()
            if _FOLLOWED_RELATIONS.isdisjoint(relations):
                continue
            if not in_head:
                meant = _meant_as_head(tree, source) if meant is None else meant
            if in_head or (meant and node in meant):
                _note_link(page, references, tree.get(node, "href") or "", relations)
        elif tag == "meta":
            robots |= _note_meta(page, references, node)
        elif tag == "title" and not page.title:
            texts = [tree.texts[place] for place in tree.text_span(node)]
            page.title = " ".join("".join(texts).split())
    page.robots = frozenset(robots)
    return references


def _note_link(page: Page, references: References, href: str, relations: list[str]) -> None:
    address = references.absolute(href)
    if address and "canonical" in relations:
        page.canonical_url = page.canonical_url or address
    elif address:
        page.follow.append(address)


def _note_meta(page: Page, references: References, node: int) -> set[str]:
    """Notes a meta element; returns the directives that it has for all robots."""
    get = page.tree.get
    content = get(node, "content") or ""
    if (get(node, "http-equiv") or "").lower() == "refresh":
        target = _REFRESH.match(content)
        address = references.absolute(target[1]) if target else None
        if address:
            page.follow.append(address)
    name = (get(node, "name") or "").lower()
    if not name:
        return set()
    page.robots_metas.append((name, content))
    return {directive.strip() for directive in content.lower().split(",")} if name == "robots" else set()


def _declaring(tree: Tree) -> Iterator[tuple[int, bool]]:
    """The elements that declare something of the page, in order, and whether each is in its head."""
    tags, parents = tree.tags, tree.parents
    head = next((node for node in tree.children(ROOT) if tags[node] == "head"), -1)
    # Whether what stands in an element is the page's own, of those that were asked for.
    own: dict[int, bool] = {ROOT: True}
    if head >= 0:
        own[head] = True
    for node in sorted(chain.from_iterable(map(tree.of_tag, _DECLARING))):
        parent = parents[node]
        path = []
        around = parent
        while around >= 0 and around not in own:
            path.append(around)
            around = parents[around]
        for inner in reversed(path):
            own[inner] = own.get(around, True) and tags[inner] not in _ELSEWHERE
            around = inner
        if own.get(parent, True):
            yield node, parent == head


def _meant_as_head(tree: Tree, source: str) -> frozenset[int]:
    """The link elements of a tree that stand before the end of the head in the text that was parsed."""
    count = 0
    for found in _HEAD.finditer(source):
        if found["end"]:
            return frozenset(tree.of_tag("link")[:count])
        count += found["link"] is not None
    return frozenset()
