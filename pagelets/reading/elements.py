"""The role of each element of a page in the text around it, and whether it hides its contents."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.reading import plain
from pagelets.reading.formulas import around_formulas

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagelets.page import Block
    from pagelets.tree import Tree

BLOCK_TAGS: Final = frozenset(
    """
    address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu
    nav noframes ol optgroup option p pre search section select summary table tbody td tfoot th thead tr
    ul
    """.split()
)
"""Elements that end the line before and after them in a browser without style sheets."""

SKIPPED_TAGS: Final = frozenset(
    """
    annotation annotation-xml applet audio canvas datalist frame head iframe object param script style svg
    template textarea title video
    """.split()
)
"""Elements whose content is not text of the page; of templates those that are no `shadow_root`."""

UNREAD_TAGS: Final = frozenset({"script", "style"})
"""Elements whose content no reader is shown, and nothing but JSON-LD is kept of."""

METADATA_TAGS: Final = frozenset(
    "base basefont bgsound link meta noframes noscript script style template title".split()
)
"""What a ``head`` holds (WHATWG HTML, 13.2.6.4.4). The parser leaves newer elements in it, such as ``main``,
where a page writes no ``body``.
"""

PICTURE_TAGS: Final = ("img", "amp-img", "amp-anim")
PICTURE_SOURCES: Final = (
    *("data-src", "data-original", "data-lazy-src", "data-lazy", "data-img-url", "data-srcset"),
    *("src", "srcset"),
)
"""Attributes with the address of an ``img``, or (``srcset``) several: scripts make the last two of the
others, and they are often of a picture that holds the place until then.
"""

_PICTURES: Final = ("picture", "source")
"""What may name the address of the ``img`` in it."""

_KINDS: Final[dict[str, int]] = {
    **dict.fromkeys(BLOCK_TAGS, plain.BLOCK),
    **dict.fromkeys(SKIPPED_TAGS, plain.SKIPPED),
    "pre": plain.PREFORMATTED,
    "a": plain.LINK,
    "br": plain.LINE_BREAK,
    **dict.fromkeys(PICTURE_TAGS, plain.IMAGE),
}
_APART: Final = {
    plain.INLINE: plain.INLINE_APART,
    plain.LINK: plain.LINK_APART,
    plain.IMAGE: plain.IMAGE_APART,
}
"""What a marked element is: a block of its own. The others are blocks already, or show nothing."""
_HOSTS: Final = frozenset(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split()
)
_HIDES_MUCH: Final = 0.5
"""As a part of what is shown. Tabs, accordions and streamed pages hide more, menus and dialogs less."""
_POPOVERS: Final = frozenset({"", "auto", "hint", "manual"})
_MUTES_SKIPPED: Final = bytes(plain.MUTES if kind == plain.SKIPPED else 0 for kind in range(256))
_SHOWS_HIDDEN: Final = bytes(0 if hides == plain.HIDES else hides for hides in range(256))
_DISPLAY_NONE: Final = re.compile(r"display\s*:\s*none\b", re.IGNORECASE)


def elements(
    tree: Tree, marked: Iterable[int], muted: Iterable[int], instead: Iterable[int] = ()
) -> tuple[bytes, bytes]:
    """Returns the roles of the n elements of a ``tree`` for a walk (`pagelets.reading.plain`): their kinds,
    and what they hide, n bytes each. Dialogs and popovers that are not open are beside the page.

    ``marked`` are overridden (`pagelets.overrides`), the text of ``muted`` ones does not belong to the page,
    and ``instead`` are read in the place of all else in the elements around them.
    """
    kind_of = np.zeros(len(tree.strings), np.uint8)
    for tag, place in tree.tag_places.items():
        kind_of[place] = _KINDS.get(tag, plain.INLINE)
    kinds = bytearray(kind_of[tree.tag])
    for node in tree.of_tag("template"):
        if shadow_root(tree, node):
            kinds[node] = plain.INLINE
    for node in tree.of_tag("head"):
        if any(tree.tags[child] not in METADATA_TAGS for child in tree.children(node)):
            kinds[node] = plain.BLOCK
    for node in tree.of_tag("pre"):
        lines = _lines(tree, kinds, node)
        # The last line has no end of its own where the others have.
        for line, before in zip(lines, lines[:1] + lines, strict=False):
            kinds[line] = plain.INLINE if tree.tags[tree.last[before]] == "br" else plain.LINE_BREAK
    for node in marked:
        kinds[node] = _APART.get(kinds[node], kinds[node])
    sources = [tree.attribute(name).get for name in PICTURE_SOURCES]
    for node in chain.from_iterable(map(tree.of_tag, PICTURE_TAGS)):
        if not any(source(node) for source in sources) and tree.tags[tree.parents[node]] not in _PICTURES:
            kinds[node] = plain.INLINE
    for node in instead:
        kinds[node] = plain.INLINE
    hides = kinds.translate(_MUTES_SKIPPED)
    for node in chain(_hidden(tree), tree.of_tag("noscript")):
        hides[node] = hides[node] or plain.HIDES
    others = (part for node in instead for part in tree.children(tree.parents[node]) if part != node)
    opened = tree.attribute("open")
    closed = (node for node in tree.of_tag("dialog") if node not in opened)
    # A popover waits for a click or a script; another value than these is the text of an older library's.
    popovers = (node for node, kind in tree.attribute("popover").items() if kind.lower() in _POPOVERS)
    for node in chain(muted, others, closed, (node for node in popovers if node not in opened)):
        hides[node] = plain.MUTES
    return bytes(kinds), bytes(hides)


def _lines(tree: Tree, kinds: Sequence[int], pre: int) -> list[int]:
    """Returns the ``div`` elements that are the lines of a ``pre``: all that is in it, or in its ``code``."""
    lines = list(tree.children(pre))
    if len(lines) == 1 and tree.tags[lines[0]] == "code":
        lines = list(tree.children(lines[0]))
    of_blocks = (plain.BLOCK, plain.PREFORMATTED)
    for line in lines:
        inside = range(line + 1, int(tree.last[line]) + 1)
        if tree.tags[line] != "div" or any(kinds[node] in of_blocks for node in inside):
            return []
    return lines


def unhidden(tree: Tree, kinds: bytes, hides: bytes, *, noscript: bool) -> tuple[bytes, bytes]:
    """Returns the roles where what hides text shows it.

    Args:
        tree: the tree of the page.
        kinds: the kinds of its elements.
        hides: what they hide.
        noscript: shows ``noscript`` elements, else what attributes hide.

    """
    of_noscript = tree.of_tag("noscript")
    if not noscript:
        shown = bytearray(hides.translate(_SHOWS_HIDDEN))
        for node in of_noscript:
            shown[node] = plain.HIDES
        return kinds, bytes(shown)
    new_kinds, shown, hidden = bytearray(kinds), bytearray(hides), _hidden(tree)
    for node in of_noscript:
        new_kinds[node], shown[node] = plain.BLOCK, plain.HIDES if node in hidden else 0
    return bytes(new_kinds), bytes(shown)


def shadow_root(tree: Tree, template: int) -> bool:
    """Returns True if a ``template`` declares the shadow tree of its parent: browsers show it."""
    if (tree.get(template, "shadowrootmode") or "").lower() not in ("open", "closed"):
        return False
    host = tree.parents[template]
    return host >= 0 and (tree.tags[host] in _HOSTS or "-" in tree.tags[host])


def _hidden(tree: Tree) -> set[int]:
    """Returns the elements that an attribute hides.

    A body that is hidden until a script has run is the page all the same, and a formula is hidden from
    browsers without MathML alone.
    """
    styles = tree.attribute("style")
    hidden = {node for node, how in tree.attribute("hidden").items() if how.lower() != "until-found"}
    hiding = {style for style in set(styles.values()) if _DISPLAY_NONE.search(style)}
    if hiding:
        hidden.update(node for node, style in styles.items() if style in hiding)
    hidden.difference_update(tree.of_tag("body"), tree.of_tag("html"), around_formulas(tree))
    return hidden


def to_unhide(tree: Tree, hidden: Iterable[int], blocks: Iterable[Block], kinds: bytes) -> str | None:
    """Returns the kind of hidden text that is read as visible: in ``noscript``, hidden by attributes, or
    None.

    A page that hides much of its text waits for a script or a click: ``noscript`` counts if it holds more
    than the page shows, and no less than attributes hide; else text hidden by attributes if it is more than
    half of the visible text.

    Args:
        tree: the tree of the page.
        hidden: the outermost elements that hide text.
        blocks: the blocks that the page shows.
        kinds: the roles of its elements.

    """
    noscript, by_attributes = _hidden_sizes(tree, hidden, kinds)
    # What is shown beyond this changes nothing.
    shown, enough = 0, max(noscript, by_attributes / _HIDES_MUCH)
    for block in blocks:
        if shown >= enough:
            return None
        shown += plain.size(block.text)
    if noscript > shown and noscript >= by_attributes:
        return "noscript"
    return "attributes" if by_attributes > _HIDES_MUCH * shown else None


def _hidden_sizes(tree: Tree, outermost: Iterable[int], kinds: bytes) -> tuple[int, int]:
    """The sizes of the text that ``noscript`` alone hides, and of the text that attributes alone hide."""
    sizes = [0, 0]
    tags, holders = tree.tags, tree.holders
    by_attribute = _hidden(tree)
    for outer in outermost:
        in_noscript = tags[outer] == "noscript"
        if in_noscript and outer in by_attribute:
            continue
        counted = {outer}
        lasts = tree.last[outer : int(tree.last[outer]) + 1].tolist()
        node, end = outer + 1, lasts[0]
        while node <= end:
            skipped = kinds[node] == plain.SKIPPED or (
                node in by_attribute if in_noscript else tags[node] == "noscript"
            )
            if not skipped:
                counted.add(node)
            node = lasts[node - outer] + 1 if skipped else node + 1
        sizes[in_noscript] += sum(
            plain.size(tree.texts[place]) for place in tree.text_span(outer) if holders[place] in counted
        )
    return sizes[True], sizes[False]
