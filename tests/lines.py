"""Counts lines of code outside tests and docs: ``python -m tests.lines [FOLDER]``.

Blank lines, comments and docstrings (texts that stand alone as a statement) do not count.
"""

from __future__ import annotations

import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEFT_OUT = {"tests", "docs", "build", ".venv", ".ci", ".git"}
SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Returns the number of lines that have code."""
    lines: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in SILENT:
            continue
        if token.type != tokenize.NEWLINE:
            statement.append(token)
            continue
        if any(part.type != tokenize.STRING for part in statement):
            lines.update(at for part in statement for at in range(part.start[0], part.end[0] + 1))
        statement = []
    return len(lines)


def main(folder: Path = ROOT) -> None:
    """Prints the lines of each room of a checkout, and of all."""
    rooms: Counter[str] = Counter()
    for path in [*folder.rglob("*.py"), *folder.rglob("*.pyx")]:
        parts = path.relative_to(folder).parts
        if LEFT_OUT.isdisjoint(parts):
            rooms[parts[0]] += code_lines(path.read_text("utf-8"))
    for room, lines in [*rooms.most_common(), ("all", rooms.total())]:
        print(f"{lines:7,}  {room}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
