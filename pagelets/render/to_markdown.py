"""The kept blocks as GitHub-flavoured Markdown (CommonMark 0.31 with tables and strikethrough)."""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from pagelets.render.inline import language, pieces
from pagelets.render.outline import STRONG, Context, Entry, Outline, TableContext, containers
from pagelets.render.positions import Numbering, positions
from pagelets.render.spans import spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pagelets.page import Block
    from pagelets.tree import Tree

MAX_NESTING: Final = 8
"""Lists and quotes nested deeper are written at this depth: readers drop what is nested too deep for them
(markdown-it at 20 levels, of which a list takes two)."""
MAX_NUMBER: Final = 999_999_999
MAX_CELL_BLOCKS: Final = 3
"""A cell with more blocks is a page's column, not a table's."""

_STARTS: Final = frozenset("-+:>=|#0123456789")
_START: Final = re.compile(r"[-+](?=[ ]|\Z)|-(?=[-:|])|:(?=-)|[>=|]|#{1,6}(?=[ ]|\Z)")
_NUMBER: Final = re.compile(r"\A([0-9]{1,9})([.)](?:[ ]|\Z))")
_FENCE: Final = re.compile(r"`{3,}")


def markdown(outline: Outline, entries: list[Entry]) -> str:
    """`pagelets.render.Rendering.markdown` of the entries of a page's outline."""
    writer = _Writer(outline.tree)
    for part, group in groupby(entries, key=_part):
        inside = list(group)
        if part.kind != "table":
            _write_blocks(writer, outline, part, inside)
        elif not _write_table(writer, outline, cast("TableContext", part), inside):
            for cell, blocks in groupby(inside, key=itemgetter(1)):
                _write_blocks(writer, outline, cell, list(blocks))
    return "\n".join(writer.lines)


def _part(entry: Entry) -> Context:
    """The table of data that an entry is in, else its context."""
    context = entry[1]
    table = context.table
    return context if table is None or table.layout else table


def _write_blocks(writer: _Writer, outline: Outline, context: Context, entries: Sequence[Entry]) -> None:
    """Writes the entries of one context."""
    kind, tree = context.kind, outline.tree
    flags = STRONG if kind in ("dt", "summary") else 0
    if kind == "heading":
        content = _one_line(spans(tree, pieces(outline, block)) for block, _ in entries)
        if content.endswith("#"):
            content = content[:-1] + "\\#"
        writer.write(context, [f"{'#' * int(context.tag[1])} {content}"])
        return
    if kind == "pre":
        if code := "\n".join(block.text for block, _ in entries if block.text):
            fence = "`" * max((len(ticks) + 1 for ticks in _FENCE.findall(code)), default=3)
            name = language(tree, cast("int", context.node))
            writer.write(context, [fence + name, *code.split("\n"), fence])
        entries = [entry for entry in entries if not entry[0].text]
    for block, _ in entries:
        writer.write_paragraph(context, spans(tree, pieces(outline, block), flags))


def _one_line(contents: Iterable[list[str]]) -> str:
    return " ".join(line for lines in contents for line in lines if line)


def _started(line: str) -> str:
    """A line of text that does not start as a list, quote, heading, table, or underline would."""
    return "\\" + line if _START.match(line) else _NUMBER.sub(r"\1\\\2", line, count=1)


def _write_table(writer: _Writer, outline: Outline, table: TableContext, entries: list[Entry]) -> bool:
    """Writes a table of data; returns False, and writes nothing, for a table of layout."""
    rows = _table_rows(outline.tree, table)
    if rows is None:
        return False
    captions: list[Block] = []
    contents: dict[Context, str] = {}
    for cell, group in groupby(entries, key=itemgetter(1)):
        blocks = [block for block, _ in group]
        if cell.kind == "caption":
            if contents:
                return False
            captions += blocks
            continue
        if len(blocks) > MAX_CELL_BLOCKS:
            return False
        contents[cell] = _one_line(spans(outline.tree, pieces(outline, block)) for block in blocks).replace(
            "|", "\\|"
        )
    written = []
    for row in rows:
        columns = [""] * (row[-1][0] + 1)
        for column, cell in row:
            columns[column] = contents[cell]
        written.append(columns)
    width = max(map(len, written))
    # GitHub's tables have a heading row, which the page's own may lack.
    heading = written.pop(0) if _is_heading(rows[0]) else []
    heading += [""] * (width - len(heading))
    if captions:
        _write_blocks(writer, outline, table, [(block, table) for block in captions])
    lines = [f"| {' | '.join(columns)} |" for columns in (heading, ["---"] * width, *written)]
    writer.write(table, lines)
    return True


def _table_rows(tree: Tree, table: TableContext) -> list[list[tuple[int, Context]]] | None:
    """Returns the kept cells of each kept row with their columns, None unless they make a table of data."""
    if len(table.rows) < 2:
        return None
    places = positions(tree, cast("int", table.node))
    rows: dict[Context, list[tuple[int, Context]]] = {row: [] for row in table.rows}
    for cell in table.cells:
        position = None if cell.node is None else places.get(cell.node)
        if position is None:
            return None
        rows[cast("Context", cell.parent)].append((position.column, cell))
    widths = [row[-1][0] + 1 for row in rows.values()]
    # Spans may claim any number of columns; a table is mostly filled.
    if max(widths) < 2 or sum(widths) > 4 * len(table.cells) + 20 or max(widths) > 4 * len(table.cells):
        return None
    return list(rows.values())


def _is_heading(row: list[tuple[int, Context]]) -> bool:
    group = cast("Context", cast("Context", row[0][1].parent).parent)
    return group.tag == "thead" or all(cell.tag == "th" for _, cell in row)


class _Writer:
    """Puts units of lines into the lists and quotes that they stand in."""

    def __init__(self, tree: Tree) -> None:
        self.lines: list[str] = []
        self._context: Context | None = None
        self._opened: list[Context] = []
        self._indents: list[str] = [""]
        self._after_paragraph = False
        self._markers: dict[Context, str] = {}
        self._numbering = Numbering(tree)

    def write_paragraph(self, context: Context, lines: list[str]) -> None:
        """Writes lines of text parted by hard breaks; an empty one parts two paragraphs."""
        lines = [_started(line) if line[:1] in _STARTS else line for line in lines]
        if len(lines) > 1:
            lines = [line + "\\" if line and after else line for line, after in pairwise([*lines, ""])]
        self.write(context, lines, paragraph=True)

    def write(self, context: Context, lines: list[str], *, paragraph: bool = False) -> None:
        """Writes ``lines`` in a ``context`` as they are, the first of them not empty, as a ``paragraph`` or
        not.
        """
        if context is self._context:
            shared, close, markers = len(self._opened), False, ""
        else:
            shared, close, markers = self._move(context)
            self._context = context
        if self.lines and not (close and paragraph and self._after_paragraph):
            self.lines.append(self._indents[shared].rstrip())
        self._after_paragraph = paragraph
        self.lines.append(self._indents[shared] + markers + lines[0])
        if len(lines) > 1:
            indent = self._indents[-1]
            self.lines += [indent + line if line else indent.rstrip() for line in lines[1:]]

    def _move(self, context: Context) -> tuple[int, bool, str]:
        """Leaves and enters containers.

        Returns how many stay open, whether a paragraph may follow another one without a blank line, and the
        markers of the entered ones.
        """
        path = containers(context)
        opened, indents = self._opened, self._indents
        if not opened and not path:
            return 0, False, ""
        shared = 0
        for current, other in zip(opened, path, strict=False):
            if current is not other:
                break
            shared += 1
        left = opened[shared] if shared < len(opened) else None
        around = opened[shared - 1] if shared else None
        del opened[shared:], indents[shared + 1 :]
        markers = ""
        close = False
        for container in path[shared:MAX_NESTING]:
            marker = "> "
            if container.kind == "li":
                marker, same_list = self._marker(container, left)
                if not markers:
                    # Only bullets and ones begin a list inside a paragraph's lines.
                    begins = left is None and around is not None and around.kind == "li"
                    close = same_list or (begins and marker[:-2] in ("", "1"))
            indents.append(indents[-1] + (marker if container.kind == "blockquote" else " " * len(marker)))
            opened.append(container)
            markers += marker
            left = None
        return shared, close, markers

    def _marker(self, item: Context, left: Context | None) -> tuple[str, bool]:
        """An item's marker, and whether it goes on with the list of the item that was left.

        Readers join lists that stand next to each other unless their marks differ, and number items without
        gaps: the next list, and the items after a gap, get the other mark.
        """
        parent = cast("Context", item.parent)
        marks = ".)" if parent.tag == "ol" else "-*"
        expected = self._numbering.expected(parent)
        number = self._numbering.number(item) if parent.tag == "ol" else expected
        before = left.parent if left is not None and left.kind == "li" else None
        mark = marks[0]
        same_list = before is parent and number == expected
        if before is not None and before.tag == parent.tag:
            mark = self._markers[before]
            if not same_list:
                mark = marks[mark == marks[0]]
        self._markers[parent] = mark
        if parent.tag != "ol":
            return f"{mark} ", same_list
        return f"{number if 0 <= number <= MAX_NUMBER else 1}{mark} ", same_list
