"""Turns the plain sources of the annotated sites into HTML, in the markup of each site.

A source is paragraphs between blank lines. A block that begins with ``##`` or ``###`` is a heading, with
``-`` or ``1.`` a list, with ``>`` a quotation, with ``|`` a table (its first row is the head), with
``![caption](src)`` a figure; what stands between lines of three backquotes is code. In a line, ``*this*``,
``**this**``, ```` `this` ```` and ``[this](address)`` are emphasis, strong emphasis, code and a link.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Final
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")

HTML: Final[Mapping[str, str]] = {
    "p": "<p>{0}</p>",
    "h2": "<h2>{0}</h2>",
    "h3": "<h3>{0}</h3>",
    "ul": "<ul>{0}</ul>",
    "ol": "<ol>{0}</ol>",
    "li": "<li>{0}</li>",
    "quote": "<blockquote>{0}</blockquote>",
    "code": "<pre><code>{0}</code></pre>",
    "table": "<table>{0}</table>",
    "tr": "<tr>{0}</tr>",
    "th": "<th>{0}</th>",
    "td": "<td>{0}</td>",
    "figure": '<figure><img src="{src}" alt=""><figcaption>{0}</figcaption></figure>',
    "em": "<em>{0}</em>",
    "strong": "<strong>{0}</strong>",
    "tt": "<code>{0}</code>",
    "a": '<a href="{href}">{0}</a>',
}
"""Plain markup. ``{0}`` is the content, ``{id}`` a heading's anchor, ``{href}`` and ``{src}`` an address."""

_INLINE: Final = re.compile(
    r"`(?P<tt>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*|\[(?P<a>[^\]]+)\]\((?P<href>[^)]+)\)"
)
_FIGURE: Final = re.compile(r"!\[(?P<caption>[^\]]+)\]\((?P<src>[^)]+)\)")
_NUMBER: Final = re.compile(r"\d+\. ")
_FENCE: Final = "```"


def prose(source: str, markup: Mapping[str, str] | None = None, *, joint: str = " ") -> str:
    """Returns the HTML of a source.

    ``markup`` gives the elements that differ from `HTML`; ``joint`` is put between the lines of a paragraph.
    """
    elements = {**HTML, **(markup or {})}
    return "\n".join(_block(lines, elements, joint) for lines in _blocks(source))


def inline(text: str, markup: Mapping[str, str] | None = None) -> str:
    """Returns the HTML of a line of a source."""
    elements = {**HTML, **(markup or {})}
    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[end : found.start()], quote=False))
        kind = found.lastgroup if found.lastgroup != "href" else "a"
        assert kind
        content = found[kind] if kind == "a" else escape(found[kind], quote=False)
        if kind == "a":
            content = inline(content, markup)
        parts.append(elements[kind].format(content, href=escape(found["href"] or "")))
        end = found.end()
    return "".join([*parts, escape(text[end:], quote=False)])


def first_paragraph(source: str, *, joint: str = " ") -> str:
    """Returns the first block of a source as plain text."""
    text = joint.join(next(_blocks(source)))
    return _INLINE.sub(lambda found: next(filter(None, found.groups())), text)


def headings(source: str) -> list[str]:
    """Returns the headings of the second level in a source."""
    return [lines[0].removeprefix("## ") for lines in _blocks(source) if lines[0].startswith("## ")]


def slug(text: str) -> str:
    """Returns a text as part of an address: ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def number(key: str) -> int:
    """Returns a number that depends on the key alone."""
    return crc32(key.encode())


def some(items: Sequence[T], count: int, key: str) -> list[T]:
    """Returns ``count`` of the items (fewer where there are not as many), each once, chosen by the key."""
    return sorted(items, key=lambda item: number(f"{key} {item!r}"))[:count]


def _blocks(source: str) -> Iterator[list[str]]:
    lines: list[str] = []
    code = False
    for line in [*source.strip("\n").split("\n"), ""]:
        if line == _FENCE:
            if code:
                yield [*lines, _FENCE]
            lines, code = [] if code else [_FENCE], not code
        elif code or line.strip():
            lines.append(line)
        elif lines:
            yield lines
            lines = []


def _block(lines: list[str], elements: Mapping[str, str], joint: str) -> str:
    def text(words: str) -> str:
        return inline(words, elements)

    first = lines[0]
    if first == _FENCE:
        return elements["code"].format(escape("\n".join(lines[1:-1]), quote=False))
    if first.startswith("#"):
        marks, words = first.split(" ", 1)
        return elements[f"h{len(marks)}"].format(text(words), id=slug(words))
    if first.startswith("- "):
        return elements["ul"].format(_items(lines, re.compile("- "), elements, joint))
    if _NUMBER.match(first):
        return elements["ol"].format(_items(lines, _NUMBER, elements, joint))
    if first.startswith(">"):
        quoted = "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)
        return elements["quote"].format(
            "\n".join(_block(block, elements, joint) for block in _blocks(quoted))
        )
    if first.startswith("|"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        kinds = ["th", *["td"] * (len(rows) - 1)]
        return elements["table"].format(
            "\n".join(
                elements["tr"].format("".join(elements[kind].format(text(cell)) for cell in row))
                for kind, row in zip(kinds, rows, strict=True)
            )
        )
    if found := _FIGURE.fullmatch(joint.join(lines)):
        return elements["figure"].format(text(found["caption"]), src=found["src"])
    return elements["p"].format(text(joint.join(line.strip() for line in lines)))


def _items(lines: list[str], mark: re.Pattern[str], elements: Mapping[str, str], joint: str) -> str:
    items: list[str] = []
    for line in lines:
        if mark.match(line):
            items.append(mark.sub("", line, count=1))
        else:
            items[-1] += joint + line.strip()
    return "\n".join(elements["li"].format(inline(item, elements)) for item in items)
