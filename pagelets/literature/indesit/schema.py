"""The structure of a page by its links: link collections and page schema (Blanco et al. 2005, Section 2)."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from pagelets.reading.elements import BLOCK_TAGS
from pagelets.reading.references import References

if TYPE_CHECKING:
    from pagelets.page import Page
    from pagelets.tree import Tree

LAYOUT: Final = (
    *("style", "align", "valign", "bgcolor", "color", "face", "size", "width", "height"),
    *("border", "cellpadding", "cellspacing"),
)
"""The attributes that say how an element is laid out and presented. The others name one thing, such as ``id``
and ``title``, or where it leads: with them no two pages would be alike."""
_WHOLE_PAGE: Final = frozenset({"html", "body"})
"""Their classes name single pages on many sites, and all paths begin with them."""
_ROOT: Final = bytes(8)
_WORD: Final = re.compile(r"[A-Za-z_-]{1,40}(?!\S)")
"""A class for the layout of elements. One with digits or colons in it may name a single one."""
_MOST_PATHS: Final = 2000
"""Paths of a shape. Pages have some dozens."""

_LONGEST_ANCHOR: Final = 60
_ANCHOR_TEXTS: Final = 8
"""Characters, and texts between tags. Anchors of menus are shorter."""


def link_collections(page: Page) -> dict[bytes, dict[str, str]]:
    """The link collections of a page: root-to-anchor paths, 8 bytes each, with the addresses of the links
    there that may be followed, in the order of the page, each with the text of its first anchor.

    The keys are the page schema. A path is of tags and attributes (`LAYOUT`); those of ``html`` and ``body``
    are left out, and so are anchors without a web address; one that is not followed counts for the schema
    alone. Linear in the number of the page's elements.
    """
    followed = {link.url for link in page.links if not link.nofollow}
    paths = _Paths(page.tree)
    collections: dict[bytes, dict[str, str]] = {}
    for node, address in References(page.base).of_links(page.tree).items():
        collection = collections.setdefault(paths.to(node), {})
        if address in followed and address not in collection:
            collection[address] = _anchor(page.tree, node)
    return collections


def _anchor(tree: Tree, node: int) -> str:
    texts = map(tree.texts.__getitem__, tree.text_span(node)[:_ANCHOR_TEXTS])
    return " ".join(" ".join(texts).split())[:_LONGEST_ANCHOR]


class _Paths:
    """Digests of the paths to elements of a page, each made of that of its parent."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[int, bytes] = {}
        self._attributes = [(name, values) for name in LAYOUT if (values := tree.attribute(name))]
        self._classes = tree.attribute("class")

    def to(self, node: int) -> bytes:
        tags, parents, known = self._tree.tags, self._tree.parents, self._known
        way = []
        while node >= 0 and node not in known:
            way.append(node)
            node = parents[node]
        path = known[node] if node >= 0 else _ROOT
        for step in reversed(way):
            label = tags[step]
            if label not in _WHOLE_PAGE:
                layout = [f"{name}={values[step]}" for name, values in self._attributes if step in values]
                if step in self._classes:
                    layout += filter(_WORD.match, self._classes[step].split())
                label = "\0".join([label, *layout])
            path = known[step] = blake2b(path + label.encode("utf-8", "replace"), digest_size=8).digest()
        return path


def page_shape(page: Page) -> list[bytes]:
    """The shape of a page: the paths to its block-level elements, 8 bytes each.

    Each path is there twice, of tags alone and of tags with their first class if that is a word. Elements in
    running text have no part in it. The first paths are taken of many. Linear in the number of elements.
    """
    classes, parents = page.tree.attribute("class"), page.tree.parents
    shape: dict[bytes, None] = {}
    steps: dict[tuple[bytes, str], bytes] = {}
    at: list[tuple[bytes, bytes]] = []

    def below(above: bytes, step: str) -> bytes:
        path = steps.get((above, step))
        if path is None:
            path = steps[above, step] = blake2b(above + step.encode(), digest_size=8).digest()
            shape[path] = None
        return path

    for node, tag in enumerate(page.tree.tags):
        parent = parents[node]
        bare, named = at[parent] if parent >= 0 else (b"bare", b"named")
        if tag in BLOCK_TAGS and len(shape) < _MOST_PATHS:
            word = _WORD.match(classes.get(node, "").lstrip())
            bare, named = below(bare, tag), below(named, f"{tag}.{word[0]}" if word else tag)
        at.append((bare, named))
    return list(shape)


def page_classes(page: Page) -> list[str]:
    """The tags of a page's elements, each with its classes that are words, or alone. The first of many."""
    classes = page.tree.attribute("class")
    found: dict[str, None] = {}
    for node, tag in enumerate(page.tree.tags):
        words = [word for word in classes.get(node, "").split() if _WORD.match(word)]
        found.update(dict.fromkeys(f"{tag}.{word}" for word in words) if words else {tag: None})
        if len(found) >= _MOST_PATHS:
            break
    return list(found)
