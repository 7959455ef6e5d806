"""The outline of a page: the chain of elements with a meaning around each of its blocks.

A *context* is an element that gives its text a meaning (list, item, quote, cell, heading, ...); div, span,
section and the like have none and are passed over. A *style* is an inline element that gives a run a meaning
(link, emphasis, code, ...), wherever it stands: a link may enclose whole blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress, islice
from typing import Final, TypeAlias, cast

from pagelets.page import HEADING_TAGS, Block, Page
from pagelets.reading.elements import PICTURE_SOURCES
from pagelets.reading.references import References
from pagelets.render.lines import with_lines_joined
from pagelets.tree import ROOT

STRONG: Final = 1
EMPHASIS: Final = 2
STRUCK: Final = 4
CODE: Final = 8

MAX_CONTEXTS: Final = 64
"""Contexts nested deeper than any author means them to be are passed over."""
MAX_STYLES: Final = 16
"""The same for styles."""

KINDS: Final = {
    **{tag: tag for tag in "blockquote caption dd details dl dt figcaption figure li pre".split()},
    **{tag: tag for tag in "summary table tr".split()},
    **dict.fromkeys(("ol", "ul"), "list"),
    **dict.fromkeys(("tbody", "tfoot", "thead"), "rows"),
    **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(HEADING_TAGS, "heading"),
}
"""Tag of a context -> its kind: tags of one kind are rendered alike."""
MAX_HEADING: Final = 300
"""Characters of a heading. What is longer is text: a section repeats all the headings above it."""
_LEVELS: Final = frozenset("123456")
STYLES: Final = frozenset(
    "a abbr b cite code del dfn em i ins kbd mark s samp strong sub sup time u var".split()
)
"""The tags of styles."""
_FLAGS: Final = {
    **dict.fromkeys(("b", "strong"), STRONG),
    **dict.fromkeys(("i", "em"), EMPHASIS),
    **dict.fromkeys(("s", "del"), STRUCK),
    **dict.fromkeys(("code", "kbd", "samp"), CODE),
}
_OTHERS: Final = {"dir": "ul", "menu": "ul", "strike": "s", "tt": "code"}
_MEANINGS: Final = {tag: tag for tag in (*KINDS, *STYLES)} | _OTHERS
"""Tag with a meaning -> the tag as rendered."""
_HOMES: Final = {
    **dict.fromkeys(("dd", "dt"), ("dl",)),
    **dict.fromkeys(("caption", "rows"), ("table",)),
    "cell": ("tr",),
    "figcaption": ("figure",),
    "li": ("list",),
    "summary": ("details",),
    "tr": ("table", "rows"),
}
"""The contexts that mean something in certain others only."""
_IMPLIED: Final = {"list": ("li",), "table": ("tr", "td"), "rows": ("tr", "td"), "tr": ("td",), "dl": ("dd",)}
"""What a page left out where text stands directly in a context that has no place for text."""
_FILE: Final = re.compile(r"[^{]*[./][^{]*")
_CANDIDATE: Final = re.compile(r"([^\s,]\S*)(?:(?<=,)|\s+([0-9]{1,9}(?:\.[0-9]{1,9})?)[wx]\b|)")
_MOST_SOURCES: Final = 20
_MAIL: Final = re.compile(r"\s*mailto:[^\s<>\"]+", re.IGNORECASE)


class Context:
    """An element with a meaning around blocks, or one that the page implies (``node`` is None then).

    ``tag`` is its tag as rendered, ``kind`` its kind (`KINDS`); ``depth`` counts the contexts around it,
    itself included; ``table`` is the innermost table that holds it, a table being its own; ``nested`` are the
    items and quotes that it is in, itself included, from the outermost, where somebody has asked
    (`containers`).
    """

    __slots__ = ("depth", "kind", "last_item", "nested", "node", "parent", "table", "tag")

    def __init__(self, tag: str, node: int | None, parent: Context | None) -> None:
        self.kind = KINDS.get(tag, "")
        self.tag = tag
        self.node = node
        self.parent = parent
        self.last_item: Context | None = None
        self.nested: list[Context] | None = None
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.table: TableContext | None = None if parent is None else parent.table


class TableContext(Context):
    """A table: its kept rows and cells in order, and whether its cells hold more than text and pictures."""

    __slots__ = ("cells", "layout", "rows")

    def __init__(self, node: int, parent: Context) -> None:
        super().__init__("table", node, parent)
        self.table = self
        self.layout = False
        self.rows: list[Context] = []
        self.cells: list[Context] = []


class Style:
    """An inline element with a meaning, inside ``parent``.

    ``flags`` joins those of all styles around it; ``link`` is the innermost link of them, whose ``address``
    is one of the web or of mail.
    """

    __slots__ = ("address", "depth", "flags", "html", "link", "node", "parent", "tag")

    def __init__(self, tag: str, node: int, parent: Style | None, address: str = "") -> None:
        self.tag = tag
        self.node = node
        self.parent = parent
        self.address = address
        self.html: str | None = None
        depth, flags, link = (0, 0, None) if parent is None else (parent.depth, parent.flags, parent.link)
        self.depth: int = depth + 1
        self.flags: int = flags | _FLAGS.get(tag, 0)
        self.link: Style | None = self if address else link


Place: TypeAlias = tuple[Context, "Style | None"]
"""What an element is or is in: the innermost context and the innermost style."""
Entry: TypeAlias = "tuple[Block, Context]"
Piece: TypeAlias = "tuple[str, str, Style | None, tuple[int, str] | None]"
"""What parts it from the piece before (nothing, a space, one line end, or two where the page leaves a line
blank), its text, its style, and, of a picture, the ``img`` and its address; the text is empty then.
"""


class Outline:
    """Tells where the elements of a page stand.

    Linear in the number of elements around those that are asked for, however deep they are. ``pieces`` keeps
    what `pagelets.render.inline.pieces` has found.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self.tree = page.tree
        self._places: dict[int, Place] = {-1: (Context("", None, None), None)}
        self._completed: dict[Block, Context] = {}
        self.pieces: dict[Block, list[Piece]] = {}

    def entries(self, mask: Sequence[bool]) -> list[Entry]:
        """The kept blocks that show anything, each with its context.

        Takes the page's mask; to be called before anything else is asked for, since tables and lists take
        their parts in the order in which they are met. Raises ValueError where the mask is not aligned with
        the page's blocks.
        """
        context, source = self.context, self.source
        return [
            (block, context(block))
            for block in kept(self._page, mask)
            if block.text or any(source(holder) for text, holder in block.runs if not text)
        ]

    def context(self, block: Block) -> Context:
        """The context of a block; where the page left one out that text needs, the one that it implies."""
        context = self.place(block.node)[0]
        if context.kind not in _IMPLIED:
            return context
        if block not in self._completed:
            self._completed[block] = _completed(context)
        return self._completed[block]

    @cached_property
    def references(self) -> References:
        """Makes the page's references absolute."""
        return References(self._page.base)

    @cached_property
    def _tags(self) -> Sequence[str]:
        """The tags of the elements, those of short texts that are marked as headings as if they were."""
        tree = self.tree
        levels = tree.attribute("aria-level")
        marked = {
            node: f"h{level}"
            for node, level in levels.items()
            if tree.get(node, "role") == "heading" and tree.tags[node] in ("div", "p") and level in _LEVELS
        }
        tags = [*tree.tags] if marked else tree.tags
        for node, tag in marked.items():
            span = tree.text_span(node)
            if len(span) <= MAX_HEADING and sum(len(tree.texts[place]) for place in span) <= MAX_HEADING:
                tags[node] = tag
        return tags

    @cached_property
    def _meaning(self) -> list[int]:
        """Returns for each element the innermost one with a meaning that it is or is in, or -1."""
        tags = self._tags
        # The number of elements, as an index, means the parent of the first.
        innermost = [-1] * (len(tags) + 1)
        for node, (tag, around) in enumerate(zip(tags, self.tree.parents, strict=True)):
            innermost[node] = node if tag in _MEANINGS else innermost[around]
        return innermost

    def place(self, node: int) -> Place:
        """The innermost context and the innermost style that an element is or is in."""
        places, meaning = self._places, self._meaning
        inner = meaning[node]
        place = places.get(inner)
        if place is not None:
            return place
        path = [inner]
        parents, tags = self.tree.parents, self._tags
        while True:
            inner = meaning[parents[inner]]
            place = places.get(inner)
            if place is not None:
                break
            path.append(inner)
        for inner in reversed(path):
            context, style = place
            tag = _MEANINGS[tags[inner]]
            if tag in KINDS:
                place = (_entered(context, inner, tag), style)
            elif (styled := self._styled(style, inner, tag)) is not style:
                place = (context, styled)
            places[inner] = place
        return place

    def source(self, picture: int) -> str | None:
        """The address of an ``img``, also where a script is to load it later; None for one without."""
        tree = self.tree
        written = [(name, tree.get(picture, name)) for name in PICTURE_SOURCES]
        # The parser reads what follows a ``source`` as inside of it.
        near = islice(tree.ancestors(picture), _MOST_SOURCES)
        around = next((node for node in near if tree.tags[node] != "source"), ROOT)
        if tree.tags[around] == "picture":
            others = range(picture - 1, around, -1)[:_MOST_SOURCES]
            written += [(name, tree.get(node, name)) for node in others for name in ("data-srcset", "srcset")]
        for name, value in written:
            if value and name.endswith("srcset"):
                value = _largest(value)
            # Scripts read "false", JSON, and "x_{width}.jpg".
            if not value or (name != "src" and not _FILE.fullmatch(value)):
                continue
            if address := self.references.absolute(value):
                return address
        return None

    def _styled(self, style: Style | None, node: int, tag: str) -> Style | None:
        if tag == "a":
            address = self._address(node)
            if address is None:
                return style
            if style is not None and style.link is not None:
                style = _without_link(style)
            return Style(tag, node, style, address)
        flags = _FLAGS.get(tag, 0)
        # Strong text inside strong text is no stronger.
        if style is not None and (style.depth >= MAX_STYLES or style.flags & flags):
            return style
        return Style(tag, node, style)

    def _address(self, anchor: int) -> str | None:
        href = self.tree.get(anchor, "href")
        if not href:
            return None
        address = self.references.absolute(href)
        if address is None and (mail := _MAIL.match(href)):
            return mail[0].strip()
        return address


def _largest(candidates: str) -> str:
    """The widest picture of a ``srcset``, or the one of the most pixels."""
    parts = _CANDIDATE.findall(candidates)
    return max(parts, key=lambda part: float(part[1] or 1), default=("",))[0].rstrip(",")


def kept(page: Page, mask: Sequence[bool]) -> Iterator[Block]:
    """The blocks that a mask keeps; those that marks inside of a line have parted are joined.

    Raises ValueError where the mask is not aligned with the page's blocks.
    """
    if len(mask) != len(page.blocks):
        raise ValueError(f"a mask of {len(mask)} for a page of {len(page.blocks)} blocks")
    return with_lines_joined(page, mask) if page.overridden or page.parted else compress(page.blocks, mask)


def common(context: Context, other: Context) -> Context:
    """The innermost context that holds both, or is both."""
    while context is not other:
        # The deeper one moves up.
        if context.depth < other.depth:
            context, other = other, context
        context = cast("Context", context.parent)
    return context


def containers(context: Context) -> list[Context]:
    """The items and quotes that a context is in, itself included, the outermost first."""
    nested = context.nested
    if nested is None:
        nested = [] if context.parent is None else containers(context.parent)
        if context.kind in ("li", "blockquote"):
            nested = [*nested, context]
        context.nested = nested
    return nested


def _entered(context: Context, node: int, tag: str) -> Context:
    kind, outer = KINDS[tag], context.kind
    if outer in ("heading", "pre"):
        return context
    if outer in ("dt", "dd") and kind in ("dt", "dd"):
        # The parser leaves one without an end tag open where another of its kind begins.
        context, outer = cast("Context", context.parent), "dl"
    if (homes := _HOMES.get(kind)) is not None:
        return _new(tag, node, context) if outer in homes else context
    if context.depth >= MAX_CONTEXTS:
        return context
    if outer == kind == "list":
        # A list directly in a list belongs to the item before it; to none where it comes first.
        context = context.last_item or cast("Context", context.parent)
    if context.kind in _IMPLIED:
        context = _completed(context)
    if context.table is not None:
        context.table.layout = True
    return TableContext(node, context) if kind == "table" else Context(tag, node, context)


def _completed(context: Context) -> Context:
    for tag in _IMPLIED[context.kind]:
        context = _new(tag, None, context)
    return context


def _new(tag: str, node: int | None, parent: Context) -> Context:
    context = Context(tag, node, parent)
    kind = context.kind
    if kind == "li":
        parent.last_item = context
    elif kind == "tr" and context.table is not None:
        context.table.rows.append(context)
    elif kind == "cell" and context.table is not None:
        context.table.cells.append(context)
    return context


def _without_link(style: Style | None) -> Style | None:
    kept: list[Style] = []
    while style is not None:
        if style.tag != "a":
            kept.append(style)
        style = style.parent
    for old in reversed(kept):
        style = Style(old.tag, old.node, style)
    return style
