"""Declarations of a page in elements that show nothing: title, base, canonical address, robots.

The parser ends a head at the first thing that no head may hold (an iframe, a div, text), and moves what
follows into the body. Title, base and robots meta elements count wherever they stand, as in browsers and
search engines; a canonical address counts where the page meant its head to be, as in a body anyone may have
written it.
"""

from __future__ import annotations

import re
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pagelets.reading.references import LONGEST_BASE, References
from pagelets.tree import ROOT, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.page import Page

_ELSEWHERE: Final = frozenset({"math", "noscript", "object", "svg", "template"})
"""Elements in which a title is another one's, and a meta element is not of the page as scripts leave it."""
FOLLOWED_RELATIONS: Final = frozenset({"canonical", "next", "prev"})
"""Relations of link elements, and of links in headers, that lead a crawl on."""
_REFRESH: Final = re.compile(r"\s*+\d*+\.?+\d*+\s*+[;,]\s*+(?:url\s*+=\s*+)?+['\"]?+([^'\"]+)", re.IGNORECASE)
_HEAD: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b.*?(?:</(?P=raw)|\Z)|(?P<link><link\b)|(?P<end></head\b|<body\b)",
    re.IGNORECASE | re.DOTALL,
)


def read_head(page: Page, source: str | bytes) -> References:
    """Notes the declarations of a page, and returns what makes its references absolute.

    Takes the page with its address and tree, and its source; with an empty source, elements that the parser
    moved out of the head declare no canonical address. Linear in the size of the tree.
    """
    tree = page.tree
    hrefs = tree.attribute("href")
    foreign = tree.inside(sorted(chain.from_iterable(map(tree.of_tag, _ELSEWHERE))))
    base = next((hrefs[node] for node in tree.of_tag("base") if node in hrefs and not foreign[node]), None)
    references = References(page.url)
    page.base = page.url
    if base and len(base) <= LONGEST_BASE and (address := references.absolute(base)):
        page.base, references = address, References(address)
    declarations = [*_links(page, source, foreign), *((node, None) for node in tree.of_tag("meta"))]
    robots: set[str] = set()
    for node, relations in sorted(declarations, key=itemgetter(0)):
        if relations is not None:
            _note_link(page, references, hrefs.get(node, ""), relations)
        elif not foreign[node]:
            robots |= _note_meta(page, references, node)
    titles = (node for node in tree.of_tag("title") if not foreign[node])
    page.title = next(filter(None, (_text(tree, node) for node in titles)), "")
    page.robots = frozenset(robots)
    return references


def _text(tree: Tree, node: int) -> str:
    return " ".join("".join([tree.texts[place] for place in tree.text_span(node)]).split())


def _links(page: Page, source: str | bytes, foreign: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """The link elements whose addresses count, in order, each with its relations."""
    tree = page.tree
    written = tree.attribute("rel")
    head = next((node for node in tree.children(ROOT) if tree.tags[node] == "head"), -1)
    meant: frozenset[int] | None = None
    for node in tree.of_tag("link"):
        relations = written.get(node, "").lower().split()
        if FOLLOWED_RELATIONS.isdisjoint(relations) or foreign[node]:
            continue
        if tree.parents[node] != head:
            meant = _meant_as_head(tree, source) if meant is None else meant
            if node not in meant:
                continue
        yield node, relations


def _note_link(page: Page, references: References, href: str, relations: list[str]) -> None:
    # An empty reference would lead to the base, which may be the site's first page.
    address = references.absolute(href) if href.strip() else None
    if address and "canonical" in relations:
        page.canonical_url = page.canonical_url or address
    elif address:
        page.follow.append(address)


def _note_meta(page: Page, references: References, node: int) -> set[str]:
    """Notes a meta element; returns the directives that it has for all robots."""
    get = page.tree.get
    content = get(node, "content") or ""
    refreshes = (get(node, "http-equiv") or "").lower() == "refresh"
    if refreshes and (address := refresh_of(content, references)):
        page.follow.append(address)
    name = (get(node, "name") or "").lower()
    if name:
        page.robots_metas.append((name, content))
    return {directive.strip() for directive in content.lower().split(",")} if name == "robots" else set()


def refresh_of(content: str, references: References) -> str | None:
    """Returns the address that a refresh leads to, of a meta element or a header: ``5; url=/a``."""
    target = _REFRESH.match(content)
    return references.absolute(target[1]) if target else None


def _meant_as_head(tree: Tree, source: str | bytes) -> frozenset[int]:
    """The link elements of a tree that stand before the end of the head in the text that was parsed."""
    count = 0
    for match in _HEAD.finditer(source if isinstance(source, str) else source.decode()):
        if match["end"]:
            return frozenset(tree.of_tag("link")[:count])
        count += match["link"] is not None
    return frozenset()
