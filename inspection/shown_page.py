"""A stored page as a browser would show it, safe, and with its blocks marked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

import nh3

from pagelets.page import Page, Runs
from pagelets.reading import parse
from pagelets.reading.elements import PICTURE_TAGS
from pagelets.render.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagelets.tree import Tree


MOST_BLOCKS: Final = 5_000
"""Blocks of a page that are shown; the rest of a page of more is left out."""
DEEPEST: Final = 200
"""Elements nested deeper are shown without their own: browsers stop at 512."""
BLOCK, VERDICT = "data-pb", "data-pv"
"""The attributes of what shows a block: its position, and its verdict."""
KEPT, REMOVED, UNSURE = "kept", "removed", "unsure"
"""Words of a verdict; one that is not sure has two of them."""

_TAGS: Final = frozenset(
    """
    a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del
    details dfn div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img
    ins kbd legend li main mark menu nav ol p pre q rp rt ruby s samp section small span strike strong sub
    summary sup table tbody td tfoot th thead time tr tt u ul var wbr
    """.split()
)
_VOID: Final = frozenset({"br", "col", "hr", "img", "wbr"})
_BOXES: Final = frozenset({"form", "body", "html", "dialog", "search", "optgroup", "option"})
_UNSHOWN: Final = frozenset(
    """
    applet area audio base basefont bgsound canvas datalist embed frame head iframe link map meta noembed
    noframes noscript object param script source style svg math template textarea title track video xmp
    plaintext
    """.split()
)
_ATTRIBUTES: Final = (
    "class id dir lang hidden colspan rowspan align valign width height bgcolor border cellpadding "
    "cellspacing color size face start value type open style"
).split()
_STYLING: Final = ("style", "hidden", "class")
_CLEANER: Final = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={"*": {*_ATTRIBUTES, BLOCK, VERDICT}, "img": {"src", "alt"}},
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel=None,
    strip_comments=True,
)
_POLICY: Final = "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src {}"
_STYLE: Final = Path(__file__).with_suffix(".css")

MOST_CSS: Final = 300_000
"""Characters of a page's style sheets that are shown; the rest is left out."""
_FUNCTIONS: Final = frozenset(
    """
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp var linear-gradient
    radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
    repeating-conic-gradient not is where nth-child nth-last-child nth-of-type nth-last-of-type lang dir
    translate translatex translatey translate3d scale scalex scaley rotate skew matrix cubic-bezier repeat
    minmax fit-content counter attr blur brightness contrast
    """.split()
)
_RULES: Final = frozenset({"media", "supports", "layer"})
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAME: Final = r"(?:[-\w]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])++"
_NAMED: Final = re.compile(rf"({_NAME})(\(?)")
"""A name, of a function or not: each is gone over once."""
_AT: Final = re.compile(rf"@({_NAME})")
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"x-left-out\([^()]*\)")
_CONDITION: Final = re.compile(r"@x-left-out[^;{}]*")
_OF_HEIGHT: Final = re.compile(
    r"(?<![\w.#\\-])([-+]?(?:\d++(?:\.\d*+)?|\.\d++))[sld]?v(?:h|b|max)\b", re.ASCII | re.IGNORECASE
)
_PERCENT: Final = 8
"""Pixels of a hundredth of a window's height: the frame of the page is as high as the page."""
_HOLDS_STILL: Final = re.compile(r"\b(?:fixed|sticky)\b", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class ShownPage:
    """HTML that may be put into a sandboxed frame, and the Content-Security-Policy that belongs to it.

    ``shown`` counts the page's blocks that it has.
    """

    html: str
    policy: str
    shown: int


def shown_page(
    source: str | bytes, page: Page, verdicts: Sequence[str], *, images: bool = False, styles: bool = True
) -> ShownPage:
    """Returns a page as a browser would show it: without scripts, forms, plugins, frames and addresses.

    Args:
        source: the page's HTML, as it was fetched.
        page: the same, read.
        verdicts: for each block its verdict.
        images: load pictures and show them; else boxes with their texts.
        styles: apply the page's own style sheets, as far as it brings them along, and hide what it hides.

    """
    shown = min(len(page.blocks), MOST_BLOCKS)
    names = _ATTRIBUTES if styles else [name for name in _ATTRIBUTES if name not in _STYLING]
    body = _CLEANER.clean("".join(_Writer(page, verdicts[:shown], names, images=images).written()))
    css = safe_css("\n".join(one.text or "" for one in parse(source).iter("style"))) if styles else ""
    policy = _POLICY.format("http: https:" if images else "'none'")
    # A meta element cannot say the first part.
    in_meta = policy.partition("; ")[2]
    tree = page.tree
    html, of_body = (
        "".join(_attributes(tree, node, names)) if node is not None else ""
        for node in (0, next(iter(tree.of_tag("body")), None))
    )
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{in_meta}">'
        f'<meta name="referrer" content="no-referrer"><title>page</title>'
        f"<style>{css}</style><style>{_STYLE.read_text('utf-8')}</style>"
    )
    return ShownPage(
        f"<!DOCTYPE html><html{html}><head>{head}</head><body{of_body}>{body}</body></html>", policy, shown
    )


def _attributes(tree: Tree, node: int, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = tree.get(node, name)
        if value is not None:
            yield f' {name}="{escape(safe_css(value) if name == "style" else value)}"'


class _Writer:
    """Writes the tree of a page as HTML of few kinds of elements; around each text of a block is one more."""

    def __init__(self, page: Page, verdicts: Sequence[str], names: Sequence[str], *, images: bool) -> None:
        self._page, self._tree, self._verdicts, self._images = page, page.tree, verdicts, images
        self._names, self._outline = names, Outline(page)
        self._of_text: dict[int, int] = {}
        self._of_picture: dict[int, int] = {}
        for position, block in enumerate(page.blocks[: len(verdicts)]):
            assert isinstance(block.source, Runs)
            places, holders = block.source.places[block.span], block.source.holders[block.span]
            for place, holder in zip(places, holders, strict=True):
                (self._of_text if place >= 0 else self._of_picture)[place if place >= 0 else holder] = (
                    position
                )

    def written(self) -> Iterator[str]:
        tree = self._tree
        lasts, tags, parents = tree.last.tolist(), tree.tags, tree.parents
        ends: list[tuple[int, str, bool]] = []
        text, left_out = 0, self._end()
        for node in range(len(tree)):
            while text < len(tree.texts) and tree.befores[text] <= node:
                # A text may stand behind elements that end before it.
                yield from self._closed(ends, tree.holders[text], lasts)
                yield from self._text(text, hidden=bool(ends) and ends[-1][2])
                text += 1
            yield from self._closed(ends, parents[node], lasts)
            if node >= left_out:
                break
            hidden = (bool(ends) and ends[-1][2]) or tags[node] in _UNSHOWN
            opening, closing = self._element(node, hidden=hidden, deep=len(ends) >= DEEPEST)
            yield opening
            ends.append((node, closing, hidden))
        else:
            for place in range(text, len(tree.texts)):
                yield from self._closed(ends, tree.holders[place], lasts)
                yield from self._text(place, hidden=bool(ends) and ends[-1][2])
        yield from (closing for _, closing, _ in reversed(ends))

    def _end(self) -> int:
        """The first element behind the blocks that are shown."""
        blocks, shown = self._page.blocks, len(self._verdicts)
        return len(self._tree) if shown == len(blocks) else max(blocks[shown].node, 1)

    @staticmethod
    def _closed(ends: list[tuple[int, str, bool]], holder: int, lasts: Sequence[int]) -> Iterator[str]:
        """Ends the elements that do not hold what comes next."""
        while ends and not ends[-1][0] <= holder <= lasts[ends[-1][0]]:
            yield ends.pop()[1]

    def _text(self, place: int, *, hidden: bool) -> Iterator[str]:
        position = self._of_text.get(place)
        text = escape(self._tree.texts[place], quote=False)
        if position is not None and text.strip():
            yield f"<span{self._mark(position)}>{text}</span>"
        elif not hidden:
            yield text

    def _mark(self, position: int) -> str:
        return f' {BLOCK}="{position}" {VERDICT}="{self._verdicts[position]}"'

    def _element(self, node: int, *, hidden: bool, deep: bool) -> tuple[str, str]:
        """The beginning and the end of an element."""
        tag = self._tree.tags[node].lower()
        position = self._of_picture.get(node)
        if tag in PICTURE_TAGS:
            return ("", "") if hidden and position is None else (self._picture(node, position), "")
        if hidden or deep or tag in ("html", "body"):
            return "", ""
        attributes = "".join(_attributes(self._tree, node, self._names))
        if tag in _VOID:
            return f"<{tag}{attributes}>", ""
        tag = tag if tag in _TAGS else "div" if tag in _BOXES else "span"
        return f"<{tag}{attributes}>", f"</{tag}>"

    def _picture(self, node: int, position: int | None) -> str:
        tree = self._tree
        mark = "" if position is None else self._mark(position)
        alt = escape(tree.get(node, "alt") or "")
        sides = {name: tree.get(node, name) or "" for name in ("width", "height")}
        size = "".join(f' {name}="{value}"' for name, value in sides.items() if value.isdecimal())
        address = self._outline.source(node) if self._images else None
        if address is not None:
            return f'<img src="{escape(address)}" alt="{alt}"{size}{mark}>'
        width, height = (
            min(int(value), 2000) if len(value) < 6 and value.isdecimal() else 0 for value in sides.values()
        )
        box = f' style="width:{width}px;height:{height}px"' if width and height else ""
        return f'<span class="pagelets-picture"{box}{mark}>{alt or "picture"}</span>'


def safe_css(text: str) -> str:
    """Returns a style sheet, or the value of a ``style`` attribute, that loads nothing.

    Functions and at-rules other than known harmless ones get names that no browser knows, so that it drops
    the declarations and rules that have them. Nothing in it ends the ``style`` element around it. What would
    stay in place when the page is scrolled lies in the page, and parts of the window's height are pixels.
    """
    text = _COMMENT.sub(" ", text[:MOST_CSS].replace("\0", ""))
    text = _NAMED.sub(_function, text)
    text = _AT.sub(lambda match: match[0] if _plain(match[1]) in _RULES else "@x-left-out", text)
    text = _CONDITION.sub("@x-left-out ", _ARGUMENTS.sub("x-left-out()", text))
    text = _OF_HEIGHT.sub(lambda match: f"{float(match[1]) * _PERCENT:g}px", text)
    return _HOLDS_STILL.sub("absolute", text).replace("<", " ")


def _function(name: re.Match[str]) -> str:
    return name[0] if not name[2] or _plain(name[1]) in _FUNCTIONS else "x-left-out("


def _plain(name: str) -> str:
    """A name without escapes, in lower case."""

    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[2]
        code = int(match[1], 16)
        return chr(code) if code < 0x110000 else "�"

    return _ESCAPE.sub(character, name).lower()
