"""Declarations of a page about itself, gathered from its tree; each kind is read once, when asked for."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from pagelets.metadata import json_ld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagelets.page import Page
    from pagelets.tree import Tree

MAX_META: Final = 1_000
MAX_ITEMS: Final = 50
MAX_VALUE: Final = 1_000
"""Characters. Bounds the number and the length of the declarations that are read of a page."""

_MAX_TEXTS: Final = 200
_MAX_AROUND: Final = 10
_ASIDES: Final = frozenset({"aside", "footer", "nav", "td"})
_ASIDE: Final = re.compile(
    r"comment|related|sidebar|widget|footer|respon|review|repl(?:y|ies)", re.IGNORECASE
)
_PROPERTIES: Final = frozenset({"author", "creator", "dateCreated", "datePublished"})


class Property(NamedTuple):
    """A microdata property: its element, and the element of the item that it belongs to, if any."""

    node: int
    item: int | None


class Declarations:
    """The declarations of a page, which is not changed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tree = page.tree

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Lower-cased ``property``, ``name`` or ``http-equiv`` of the page's meta elements -> contents."""
        contents: dict[str, list[str]] = {}
        content_of = self.tree.attribute("content")
        naming = [self.tree.attribute(name) for name in ("property", "name", "http-equiv")]
        for node in self.tree.of_tag("meta")[:MAX_META]:
            content = content_of.get(node)
            if not content or len(content) > MAX_VALUE:
                continue
            for names in naming:
                if name := names.get(node):
                    contents.setdefault(name[:100].strip().lower(), []).append(content)
        return contents

    @cached_property
    def json_ld(self) -> json_ld.Main:
        """The page's description of itself in JSON-LD."""
        addresses = [self.page.url]
        if self.page.canonical_url:
            addresses.append(self.page.canonical_url)
        return json_ld.read(self.scripts, addresses)

    @property
    def scripts(self) -> Iterator[str]:
        """The contents of the page's JSON-LD scripts."""
        for node in self.tree.of_tag("script"):
            if "ld+json" in (self.tree.get(node, "type") or "").lower():
                yield self.tree.text(node)

    @cached_property
    def _properties(self) -> dict[str, list[Property]]:
        by_name: dict[str, list[Property]] = {}
        for node, value in self.tree.attribute("itemprop").items():
            for name in _PROPERTIES.intersection(value[:MAX_VALUE].split()):
                properties = by_name.setdefault(name, [])
                if len(properties) <= MAX_ITEMS:
                    properties.append(Property(node, _item(self.tree, node)))
        return by_name

    def properties(self, name: str) -> list[Property]:
        """The microdata properties of a name that belong to the page's one work, or to no item at all.

        None of them where more than one work has the property: the page lists works.
        """
        matching = [
            each
            for each in self._properties.get(name, [])
            if (
                _is_work(self.tree, each.item)
                if each.item is not None
                else not is_aside(self.tree, each.node)
            )
        ]
        return matching if len({each.item for each in matching}) == 1 else []


def with_kept_text(page: Page, mask: Sequence[bool], nodes: Iterable[int]) -> list[int]:
    """Returns those of the ``nodes`` of a ``page`` that hold text of a block kept by the ``mask``."""
    kept = {holder for block, keep in zip(page.blocks, mask, strict=True) if keep for _, holder in block.runs}
    last = page.tree.last
    return [
        node for node in nodes if not kept.isdisjoint(range(node, min(int(last[node]) + 1, node + MAX_ITEMS)))
    ]


def is_aside(tree: Tree, node: int) -> bool:
    """Returns True for an element in a comment, a list of other pages, or elsewhere beside the content."""
    for each in (node, *islice(tree.ancestors(node), _MAX_AROUND)):
        tag = tree.tags[each]
        if tag in _ASIDES:
            return True
        if tag not in ("body", "html"):
            for value in (tree.get(each, "class"), tree.get(each, "id")):
                if value and _ASIDE.search(value[:MAX_VALUE]):
                    return True
    return False


def element_text(tree: Tree, node: int) -> str:
    """The text of an element with white space folded: its beginning, at most `MAX_VALUE` characters."""
    return " ".join("".join(_texts(tree, node)).split())[:MAX_VALUE]


def runs_of(tree: Tree, node: int) -> list[str]:
    """The texts between the tags inside an element, white space folded, without the empty ones."""
    return [folded for text in _texts(tree, node) if (folded := " ".join(text.split()))]


def _texts(tree: Tree, node: int) -> Iterator[str]:
    chars = 0
    for place in tree.text_span(node)[:_MAX_TEXTS]:
        text = tree.texts[place]
        yield text[:MAX_VALUE]
        chars += len(text)
        if chars > MAX_VALUE:
            return


def _item(tree: Tree, node: int) -> int | None:
    scopes = tree.attribute("itemscope")
    return next((around for around in tree.ancestors(node) if around in scopes), None)


def _is_work(tree: Tree, item: int) -> bool:
    return json_ld.is_work((tree.get(item, "itemtype") or "")[:MAX_VALUE])
