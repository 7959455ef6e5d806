"""The inside of a block as Markdown: escaped text, links, pictures, emphasis, and code."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from pagelets.render.outline import CODE, EMPHASIS, STRONG, STRUCK, Piece, Style

if TYPE_CHECKING:
    from pagelets.tree import Tree

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<&~]")
# Underscores inside words and the tilde of a home page's address mean nothing, and an escape would spoil
# addresses that readers make links of.
_ESCAPED: Final = re.compile(r"[\\`*\[\]<]|&(?=#?[A-Za-z0-9]+;)|(?<![^\W_])_|_(?![^\W_])|(?<!/)~|~(?![^\W_])")
_ENTITY: Final = re.compile(r"&(?=#?[A-Za-z0-9]+;)")
_UNSAFE: Final = re.compile(r"[\x00-\x20\x7f()<>\\`]")
_TICKS: Final = re.compile(r"`+")
_OUTER: Final = frozenset(string.punctuation) - frozenset("*_~")


@dataclass(slots=True, eq=False)
class _Span:
    """A stretch of a line in one style: the page's own text, or a picture as Markdown."""

    parting: str
    texts: list[str]
    flags: int
    link: Style | None
    code: Style | None
    picture: str = ""


def spans(tree: Tree, content: list[Piece], flags: int = 0) -> list[str]:
    """Returns the lines of a block's content as Markdown; an empty one is a blank line.

    Args:
        tree: the tree of its page.
        content: the pieces of the block.
        flags: the styles that all of it has.

    """
    if len(content) == 1 and not flags:
        _, text, style, picture = content[0]
        if picture is None and (style is None or not style.flags):
            link = None if style is None else style.link
            return [escaped(text) if link is None else f"[{escaped(text)}]({_destination(link.address)})"]
    lines: list[str] = []
    line: list[_Span] = []
    last: _Span | None = None
    for parting, text, style, picture in content:
        if last is not None and "\n" in parting:
            lines.append(_line(line))
            if len(parting) > 1:
                lines.append("")
            line, last = [], None
        style_flags, link = (flags, None) if style is None else (style.flags | flags, style.link)
        if picture is not None:
            node, source = picture
            alt = escaped(" ".join((tree.get(node, "alt") or "").split()))
            last = _Span(parting, [""], 0, link, None, f"![{alt}]({_destination(source)})")
            line.append(last)
            continue
        code = _code_around(style) if style_flags & CODE else None
        if (
            last is not None
            and link is last.link
            and not last.picture
            # Code next to code is one: ticks would run together.
            and (
                style_flags == last.flags
                if code is None or last.code is None
                else code is last.code or not parting
            )
        ):
            last.texts += (parting, text)
        else:
            last = _Span(parting, [text], style_flags, link, code)
            line.append(last)
    if line:
        lines.append(_line(line))
    return lines


def escaped(text: str) -> str:
    """Text with a backslash before what Markdown would read as markup inside a line."""
    return _ESCAPED.sub(r"\\\g<0>", text) if _SPECIAL.search(text) else text


def _code_around(style: Style | None) -> Style | None:
    while style is not None and style.parent is not None and style.parent.flags & CODE:
        style = style.parent
    return style


def _line(line: list[_Span]) -> str:
    parts: list[str] = []
    link: Style | None = None
    for span, following in zip_longest(line, line[1:]):
        if parts and span.parting:
            parts.append(" ")
        if span.link is not link and span.link is not None:
            _keep_exclamation(parts)
            parts.append("[")
        link = span.link
        next_link = None if following is None else following.link
        if span.picture:
            _keep_exclamation(parts)
            parts.append(span.picture)
        else:
            text = span.texts[0] if len(span.texts) == 1 else "".join(span.texts)
            # Readers look for definitions of links, [label]: address, before they look for code.
            is_code = span.flags & CODE and (link is None or "]:" not in text)
            body = _code(text) if is_code else escaped(text)
            if span.flags:
                before = parts[-1][-1] if parts else " "
                body = _emphasised(body, span.flags, before, _after(link, following))
            parts.append(body)
        if link is not None and next_link is not link:
            parts.append(f"]({_destination(link.address)})")
    return "".join(parts)


def _after(link: Style | None, following: _Span | None) -> str:
    """The character that stands after a span of text of a link, or of none."""
    next_link = None if following is None else following.link
    if link is not None and next_link is not link:
        return "]"
    if following is None or following.parting:
        return " "
    return "[" if next_link is not link or following.picture else following.texts[0][0]


def _emphasised(body: str, flags: int, before: str, after: str) -> str:
    """Marks text as strong, emphasised, struck, where Markdown would see the marks between its neighbours.

    ``before`` and ``after`` are the characters next to it. Marks need a word on their inner or white space
    or punctuation on their outer side (CommonMark 0.31, section 6.2); text goes before its looks.
    """
    marks = "*" * (2 * bool(flags & STRONG) + bool(flags & EMPHASIS))
    struck = "~~" if flags & STRUCK else ""
    both = bool(marks and struck)
    if before in "*_~" or not (_seen(body[0], before, both) and _seen(body[-1], after, both)):
        return body
    return f"{struck}{marks}{body}{marks}{struck}"


def _seen(inner: str, outer: str, both: bool) -> bool:
    return (inner.isalnum() and not both) or outer.isspace() or outer in _OUTER


def _code(text: str) -> str:
    ticks = {len(run) for run in _TICKS.findall(text)}
    fence = "`"
    while len(fence) in ticks:
        fence += "`"
    padding = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _keep_exclamation(parts: list[str]) -> None:
    if parts and parts[-1].endswith("!"):
        parts[-1] = parts[-1][:-1] + "\\!"


def _destination(address: str) -> str:
    if _UNSAFE.search(address):
        address = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", address)
    return _ENTITY.sub("&amp;", address) if "&" in address else address
