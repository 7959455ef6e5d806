"""The kept blocks as safe HTML."""

from __future__ import annotations

from bisect import bisect_left
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, cast

from pagelets.reading.spelling import RAISED
from pagelets.render.cleaning import cleaned
from pagelets.render.inline import language, pieces, verbatim
from pagelets.render.positions import MAX_COLUMNS, Numbering, integer, positions

if TYPE_CHECKING:
    from pagelets.page import Block
    from pagelets.render.outline import Context, Entry, Outline, Style, TableContext
    from pagelets.tree import Tree

_BARE: Final = frozenset({"li", "cell", "caption", "figcaption", "dt", "dd", "summary"})
"""Contexts that hold a single text without a paragraph around it."""
_GRID: Final = frozenset({"table", "rows", "tr", "cell", "caption"})
_LETTERS: Final = frozenset("aAiI")
"""Types of lists whose items are lettered, or have Roman numbers: points that a text refers to."""
_LOWERED: Final = {ord(raised): character for character, raised in reversed(RAISED.items())}
_RELATIONS: Final = ("nofollow", "ugc", "sponsored")


def html(outline: Outline, entries: list[Entry]) -> str:
    """`pagelets.render.Rendering.html` of the entries of a page's outline."""
    writer = _Writer(outline, entries)
    # As serializers write it.
    return cleaned(writer.write().replace("\xa0", "&nbsp;")).strip()


class _Writer:
    """Writes a page's entries in order; ``opened`` are the contexts that the next one may still be in."""

    def __init__(self, outline: Outline, entries: list[Entry]) -> None:
        self.outline = outline
        self.entries = entries
        self.parts: list[str] = []
        self.opened: list[Context] = []
        self.tree = outline.tree
        self.numbering = Numbering(outline.tree)
        self.grids: dict[TableContext, _Grid] = {}
        # Those with rows of their own, which a parser puts into a body.
        self.bodies: set[Context] = set()

    def write(self) -> str:
        entries = self.entries
        parts, tags, inline = self.parts, self.tree.tags, self.inline
        previous: Context | None = None
        following = [context for _, context in entries[1:]]
        for (block, context), after in zip_longest(entries, following):
            kind = context.kind
            content = inline(block, preformatted=kind == "pre")
            first = context is not previous
            if first:
                self.enter(context)
                previous = context
            if kind in ("heading", "pre"):
                if not first:
                    parts.append("\n" if kind == "pre" else "<br>")
                parts.append(content)
            elif (
                first
                and after is not context
                and (kind in _BARE or (kind == "figure" and not block.text))
                and tags[block.node] != "p"
                and not self.unwrapped(context)
            ):
                parts.append(content)
            else:
                parts.append(f"<p>{content}</p>\n")
        self.close(0)
        return "".join(parts)

    def enter(self, context: Context) -> None:
        path: list[Context] = []
        opened = self.opened
        node = context
        while node.depth and not (len(opened) >= node.depth and opened[node.depth - 1] is node):
            path.append(node)
            node = cast("Context", node.parent)
        self.close(node.depth)
        for inner in reversed(path):
            opened.append(inner)
            self.parts.append(self.opening(inner))

    def close(self, depth: int) -> None:
        opened = self.opened
        while len(opened) > depth:
            context = opened.pop()
            if not self.unwrapped(context):
                self.parts.append(f"{self.body_end(context)}</{context.tag}>\n")

    def body_end(self, table: Context | None) -> str:
        """Ends the body that a table's own rows are in, if that is open."""
        if table not in self.bodies:
            return ""
        self.bodies.remove(table)
        return "</tbody>"

    def unwrapped(self, context: Context) -> bool:
        """Returns True if the context belongs to a table with a single cell left: it is rendered without."""
        return context.kind in _GRID and len(cast("TableContext", context.table).cells) < 2

    def opening(self, context: Context) -> str:
        kind = context.kind
        if kind == "li":
            return self.item(context)
        if kind in _GRID:
            if self.unwrapped(context):
                return ""
            if kind == "cell":
                return self.cell(context)
            if kind in ("rows", "caption"):
                return f"{self.body_end(context.parent)}<{context.tag}>"
            if kind == "tr" and (table := cast("Context", context.parent)).kind == "table":
                body = "" if table in self.bodies else "<tbody>"
                self.bodies.add(table)
                return f"{body}<tr>"
        elif context.tag == "ol":
            start = integer(self.tree, context.node, "start")
            first = "" if start is None or start == 1 else f' start="{start}"'
            kind = "" if context.node is None else (self.tree.get(context.node, "type") or "").strip()
            return f'<ol{first} type="{kind}">' if kind in _LETTERS else f"<ol{first}>"
        return f"<{context.tag}>"

    def item(self, item: Context) -> str:
        parent = cast("Context", item.parent)
        if parent.tag != "ol":
            return "<li>"
        expected = self.numbering.expected(parent)
        number = self.numbering.number(item)
        return "<li>" if number == expected else f'<li value="{number}">'

    def cell(self, cell: Context) -> str:
        table = cast("TableContext", cell.table)
        if table not in self.grids:
            self.grids[table] = _Grid(self.tree, table)
        return self.grids[table].opening(cell)

    def inline(self, block: Block, *, preformatted: bool) -> str:
        inside = (verbatim if preformatted else pieces)(self.outline, block)
        if len(inside) == 1 and inside[0][3] is None:
            _, text, style, _ = inside[0]
            if style is None:
                return _text(text)
            if style.parent is None:
                return f"{self.style(style)}{_text(text)}</{style.tag}>"
        parts: list[str] = []
        opened: list[Style] = []
        last: Style | None = None
        for index, (parting, text, style, picture) in enumerate(inside):
            path: list[Style] = []
            if style is not last:
                last = node = style
                while node is not None and not (len(opened) >= node.depth and opened[node.depth - 1] is node):
                    path.append(node)
                    node = node.parent
                while len(opened) > (0 if node is None else node.depth):
                    parts.append(f"</{opened.pop().tag}>")
            if parting and index:
                parts.append("<br>" * len(parting) if "\n" in parting else parting)
            while path:
                opened.append(path[-1])
                parts.append(self.style(path.pop()))
            if style is not None and style.tag == "sup":
                text = text.translate(_LOWERED)
            parts.append(_text(text) if picture is None else self.picture(*picture))
        while opened:
            parts.append(f"</{opened.pop().tag}>")
        return "".join(parts)

    def style(self, style: Style) -> str:
        if style.html is None:
            style.html = self.begin(style)
        return style.html

    def begin(self, style: Style) -> str:
        node, tag = style.node, style.tag
        if tag == "a":
            return self.link(node, style.address)
        if tag == "abbr":
            return f"<abbr{self.attribute(node, 'title')}>"
        if tag == "time":
            return f"<time{self.attribute(node, 'datetime')}>"
        if tag == "code":
            pre = self.tree.parents[node]
            if pre >= 0 and self.tree.tags[pre] == "pre" and (name := language(self.tree, pre)):
                return f'<code class="language-{name}">'
        return f"<{tag}>"

    def attribute(self, node: int, name: str) -> str:
        value = self.tree.get(node, name)
        return f' {name}="{_value(value)}"' if value else ""

    def link(self, anchor: int, address: str) -> str:
        rel = ""
        if relation := self.tree.get(anchor, "rel"):
            relations = relation.lower().split()
            if known := " ".join(each for each in _RELATIONS if each in relations):
                rel = f' rel="{known}"'
        return f'<a href="{_value(address)}"{self.attribute(anchor, "title")}{rel}>'

    def picture(self, picture: int, source: str) -> str:
        size = ""
        for name in ("width", "height"):
            if (number := integer(self.tree, picture, name)) is not None and number >= 0:
                size += f' {name}="{number}"'
        # A picture that lacks a description differs from one that needs none.
        alt = self.tree.get(picture, "alt")
        described = "" if alt is None else f' alt="{_value(alt)}"'
        return f'<img src="{_value(source)}"{described}{self.attribute(picture, "title")}{size}>'


class _Grid:
    """The cells of a table whose other cells and rows may be gone: each stays in its column."""

    def __init__(self, tree: Tree, table: TableContext) -> None:
        self.positions = positions(tree, cast("int", table.node))
        known = (self.positions.get(cell.node) for cell in table.cells if cell.node is not None)
        self.rows = sorted({position.row for position in known if position is not None})
        self.row: Context | None = None
        self.column = 0
        self.taken: dict[int, int] = {}

    def opening(self, cell: Context) -> str:
        position = None if cell.node is None else self.positions.get(cell.node)
        if position is None:
            return f"<{cell.tag}>"
        if cell.parent is not self.row:
            self.row = cell.parent
            self.column = 0
        row = bisect_left(self.rows, position.row)
        rows = bisect_left(self.rows, position.row + position.rows) - row
        gap = position.column - self.column
        if gap and self.taken:
            columns = range(self.column, min(position.column, MAX_COLUMNS))
            gap -= sum(self.taken.get(column, 0) > row for column in columns)
        self.column = position.column + position.columns
        if rows > 1:
            columns = range(position.column, min(self.column, MAX_COLUMNS))
            self.taken.update(dict.fromkeys(columns, row + rows))
        spans = _span("colspan", position.columns) + _span("rowspan", rows)
        filler = f"<td{_span('colspan', gap)}></td>" if gap > 0 else ""
        return f"{filler}<{cell.tag}{spans}>"


def _text(text: str) -> str:
    """Escapes characters of a text that could be read as markup; most texts have none."""
    return escape(text, quote=False) if "<" in text or "&" in text or ">" in text else text


def _value(text: str) -> str:
    """The same for the value of an attribute, as serializers write it."""
    return _text(text).replace('"', "&quot;") if '"' in text else _text(text)


def _span(name: str, count: int) -> str:
    return f' {name}="{count}"' if count > 1 else ""
