"""Links of headings, definitions and captions to themselves ("¶" or "#" with many generators, or words that
name the heading), and MediaWiki's links to edit a section ("[edit]").
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from pagelets.page import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pagelets.tree import Tree

EDITS: Final = "action=edit&section="
"""A part of the addresses where MediaWiki edits a section."""
_LONGEST: Final = 3
"""Characters of a mark."""
_NEAR: Final = 3
"""Elements around a link. What lies further out is a part of the page, and a link to it leads to its top."""
_BEFORE: Final = 5
"""So many elements before a heading are asked for their names."""
_INSIDE: Final = 50
"""So many elements of a heading are asked for their names."""


def is_permalink(tree: Tree, anchor: int) -> bool:
    """Returns True if a link shows a mark alone, no letter and no digit, and leads to its own place, or shows
    the text of the heading next to it with more, and leads there: "Section titled TEXT".

    Takes an ``a`` whose target is a fragment of its own page. The target of a mark may be the link itself, an
    element closely around it, a part of its heading, the heading next to it, or an element without text next
    to its heading.
    """
    fragment = (tree.get(anchor, "href") or "").partition("#")[2].strip()
    names = {fragment, unquote(fragment)} - {""}
    if not names:
        return False
    mark = ""
    for place in tree.text_span(anchor):
        mark += "".join(tree.texts[place].split())
        if len(mark) > _LONGEST:
            return any(_is_titled(tree, anchor, node, names) for node in _beside(tree, anchor))
    if not mark or any(character.isalnum() for character in mark):
        return False
    around = anchor
    for _ in range(_NEAR + 1):
        if around < 0 or tree.tags[around] == "body":
            return False
        if any(_is_named(tree, node, names) for node in (around, *_beside(tree, around))):
            return True
        if tree.tags[around] in HEADING_TAGS:
            inside = range(around, int(tree.last[around]) + 1)
            if any(_is_named(tree, inner, names) for inner in islice(inside, _INSIDE)):
                return True
        around = tree.parents[around]
    return False


def edit_mark(tree: Tree, anchor: int) -> int | None:
    """Returns the element of MediaWiki's around a link that edits a section (`EDITS`); None for another."""
    around = tree.parents[anchor]
    return around if "editsection" in (tree.get(around, "class") or "") else None


def _is_titled(tree: Tree, anchor: int, heading: int, names: set[str]) -> bool:
    """Returns True if a link shows the text of a heading of any of these names, and more."""
    if not _is_named(tree, heading, names):
        return False
    shown, text = (
        "".join(tree.texts[place] for place in islice(tree.text_span(node), _INSIDE)).strip()
        for node in (anchor, heading)
    )
    return text != "" and text != shown and text in shown


def _beside(tree: Tree, node: int) -> Iterator[int]:
    """The siblings next to an element that are headings or have no text: before it there may be several."""
    if (following := tree.next_sibling(node)) is not None and _is_target(tree, following):
        yield following
    for before in islice(tree.previous_siblings(node), _BEFORE):
        if not _is_target(tree, before):
            return
        yield before


def _is_target(tree: Tree, node: int) -> bool:
    empty = tree.last[node] == node and not any(tree.texts[place].strip() for place in tree.text_span(node))
    return tree.tags[node] in HEADING_TAGS or empty


def _is_named(tree: Tree, node: int, names: set[str]) -> bool:
    return tree.get(node, "id") in names or (tree.tags[node] == "a" and tree.get(node, "name") in names)
