"""A page as a sequence of blocks: the visible text of an HTML tree, in order, with its links.

A *block* is a maximal run of visible text inside one block-level element. Everything else in the project
(pagelets, masks, renderings) is said in terms of the positions of blocks in this sequence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from lxml import etree
from lxml.html import HtmlElement
from parsel.selector import create_root_node

from pagelets.head import read_head
from pagelets.permalinks import is_permalink

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagelets.marks import Forced
    from pagelets.references import References

WALK_VERSION: Final = 4
"""Counts the changes of what blocks a page has: what a store has derived of others is derived again."""

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
    annotation annotation-xml applet audio canvas datalist embed frame head iframe map object param script
    style svg template textarea title video
    """.split()
)
"""Elements whose content is not text of the page; of templates those that are no `shadow_root`."""

HEADING_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

MAX_DEPTH: Final = 2040
"""libxml2 stops reading a document, without an error, where elements are nested deeper than 2,048."""

_INLINE, _BLOCK, _PREFORMATTED, _INLINE_APART, _LINK_APART = range(5)
_LINK, _BREAK, _IMAGE, _IMAGE_APART, _HIDDEN, _SKIP = range(5, 11)
_KIND: Final[dict[object, int]] = {
    **dict.fromkeys(BLOCK_TAGS, _BLOCK),
    **dict.fromkeys(SKIPPED_TAGS, _SKIP),
    "pre": _PREFORMATTED,
    "a": _LINK,
    "br": _BREAK,
    "img": _IMAGE,
    "noscript": _HIDDEN,
    etree.Comment: _SKIP,
    etree.ProcessingInstruction: _SKIP,
    etree.Entity: _SKIP,
}
_APART: Final = {_INLINE: _INLINE_APART, _LINK: _LINK_APART, _IMAGE: _IMAGE_APART}
"""What a marked element is: a block of its own. The others are blocks already, or show nothing."""
_NESTED_LINKS: Final = 4
"""A text counts for so many links around it: no browser nests links, a hostile page may by the thousand."""
_HOSTS: Final = frozenset(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split()
)
_HIDES_MUCH: Final = 0.5
"""As a part of what is shown. Tabs, accordions and streamed pages hide more, menus and dialogs less."""
_DISPLAY_NONE: Final = re.compile(r"display\s*:\s*none\b", re.IGNORECASE)
_NOT_FOLLOWED: Final = frozenset({"nofollow", "none"})


Run: TypeAlias = tuple[str, HtmlElement]
"""A piece of a block: its text as written, and the innermost element that holds it.

A picture is a run with empty text whose element is the ``img``; a line break is a run ``"\\n"`` whose element
is the ``br``.
"""


class Link(NamedTuple):
    """A hyperlink: absolute target, anchor text, whether it asks not to be followed, its block's position."""

    url: str
    text: str
    nofollow: bool
    block: int


@dataclass(slots=True, eq=False)
class Block:
    """A maximal run of visible text inside one block-level element.

    ``text`` has its white space folded (lines of ``pre`` and ``br`` are kept); it is empty where the element
    shows pictures or hidden links only. ``links`` is the slice of `Page.links` that lies in the block.
    """

    text: str
    element: HtmlElement
    runs: list[Run]
    links: slice

    def ancestor(self, tags: frozenset[str]) -> HtmlElement | None:
        """The block's own element or the nearest one around it whose tag is among ``tags``."""
        element: HtmlElement | None = self.element
        while element is not None:
            if element.tag in tags:
                return element
            element = cast("HtmlElement | None", element.getparent())
        return None


@dataclass(slots=True, eq=False)
class Page:
    """The visible text of a page as blocks in document order, its links, and what its head declares.

    ``robots`` are the lower-cased directives of its robots meta elements; ``robots_metas`` are the
    lower-cased names and the contents of all its meta elements, any of which may speak to one robot
    (`pagelets.directives`). ``base`` is the address that its references are relative to.
    ``follow`` are further addresses (frames, refresh, next and previous page) that a crawl may visit beside
    the links. ``unhidden`` tells that hidden text was read as visible, as there is much of it. ``nodes`` are
    the elements and comments of the tree in document order: kept, as lxml makes anew, slowly, what nobody
    keeps. ``marks`` are the elements that begin and end a block whatever they are (`pagelets.marks`);
    ``parted`` tells, by position, the blocks that end in the midst of a line for that, and what white space
    and line breaks follow them.
    """

    url: str
    root: HtmlElement
    blocks: list[Block]
    links: list[Link]
    title: str = ""
    base: str = ""
    canonical_url: str | None = None
    robots: frozenset[str] = frozenset()
    robots_metas: list[tuple[str, str]] = field(default_factory=list)
    follow: list[str] = field(default_factory=list)
    truncated: bool = False
    unhidden: bool = False
    nodes: list[HtmlElement] = field(default_factory=list, repr=False)
    marks: Mapping[HtmlElement, Forced] = field(default_factory=dict, repr=False)
    parted: dict[int, list[Run]] = field(default_factory=dict, repr=False)


def parse(text: str) -> HtmlElement:
    """The tree of an HTML document, as Scrapy's ``response.selector`` parses it, of lxml's plain elements.

    Takes decoded text of any kind; characters that no document may hold (NUL, lone surrogates) are replaced.
    The classes that `lxml.html` gives its elements are looked up in Python, one element at a time.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return usable_root(create_root_node(text, etree.HTMLParser))


def shadow_root(template: HtmlElement) -> bool:
    """Whether a ``template`` declares the shadow tree of the element that it stands in: browsers show it."""
    if (template.get("shadowrootmode") or "").lower() not in ("open", "closed"):
        return False
    host = template.getparent()
    return host is not None and (host.tag in _HOSTS or "-" in host.tag)


def usable_root(root: object) -> HtmlElement:
    """``root`` itself where it is an element, else an empty document (a page of nothing but a comment)."""
    if isinstance(root, etree._Element) and isinstance(root.tag, str):
        return cast("HtmlElement", root)
    return cast("HtmlElement", etree.fromstring("<html/>", etree.HTMLParser()))


def build(
    root: HtmlElement, url: str, marks: Mapping[HtmlElement, Forced] | None = None, source: str = ""
) -> Page:
    """Reads the blocks and links of a parsed page in one walk over its tree, which is not changed.

    Takes the tree's root, the page's address, the marked elements (`pagelets.marks`), each of which begins
    and ends a block also where it is inline, and the text that was parsed (`pagelets.head`);
    `pagelets.marks.read` finds them. Hidden text
    (``hidden``, inline ``display:none``, ``template``, ``noscript``) is no visible text; hidden links are
    links. A page that hides much of its text waits for a script or a click, and is read with that text
    visible: the ``noscript`` where they hold more than the page shows, and no less than attributes hide; else
    what attributes hide where it is more than half of what the page shows. What is hidden both ways stays
    hidden. Linear in the size of the tree.
    """
    page = Page(url, root, [], [], nodes=list(root.iter()), marks=marks or {})
    references = read_head(page, source)
    follow = len(page.follow)
    walk = _Walk(page, references)
    walk.run()
    noscript, hidden = _hidden_sizes(walk.hidden, walk.shadows)
    if noscript or hidden:
        shown = sum([_size(block.text) for block in page.blocks])
        # One or the other: where attributes hide the page, its noscript say that a script is needed.
        shows_noscript = noscript > shown and noscript >= hidden
        shows_hidden = hidden > _HIDES_MUCH * shown and not shows_noscript
        if shows_noscript or shows_hidden:
            page.unhidden = True
            page.blocks, page.links, page.parted = [], [], {}
            # The second walk meets the frames again.
            del page.follow[follow:]
            _Walk(page, references, noscript=shows_noscript, hidden=shows_hidden).run()
    page.truncated = _depth_of_last(root) >= MAX_DEPTH
    return page


def _size(text: str | None) -> int:
    """Characters of a text. White space is left out: how deep a source is indented says nothing."""
    return len("".join(text.split())) if text else 0


def _hidden_sizes(elements: list[HtmlElement], shadows: frozenset[HtmlElement]) -> tuple[int, int]:
    """The sizes of the text that ``noscript`` alone hides, and of the text that attributes alone hide.

    Takes the outermost elements that hide what they hold, and the page's shadow trees.
    """
    sizes = [0, 0]
    for outer in elements:
        in_noscript = outer.tag == "noscript"
        walk = etree.iterwalk(outer, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            if event != "start":
                if element is not outer:
                    sizes[in_noscript] += _size(element.tail)
            elif (
                (element.tag in SKIPPED_TAGS and element not in shadows)
                or (in_noscript and _is_hidden(element))
                or (not in_noscript and element.tag == "noscript")
            ):
                walk.skip_subtree()
            else:
                sizes[in_noscript] += _size(element.text)
    return sizes[True], sizes[False]


def _is_hidden(element: HtmlElement) -> bool:
    """Whether an attribute hides the element, as `_Walk` sees it."""
    style = element.get("style")
    hides = (style is not None and _DISPLAY_NONE.search(style)) or element.get("hidden") is not None
    return bool(hides) and element.tag not in ("body", "html")


def _depth_of_last(root: HtmlElement) -> int:
    depth = 0
    while len(root):
        root = root[-1]
        depth += 1
    return depth


class _Walk:
    """One pass over a tree in document order; collects a block's runs until a block-level boundary."""

    def __init__(
        self, page: Page, references: References, *, noscript: bool = False, hidden: bool = False
    ) -> None:
        self.page = page
        self.kinds = {**_KIND, "noscript": _BLOCK} if noscript else _KIND
        self.shows_hidden = hidden
        self.shadows = frozenset(filter(shadow_root, page.root.iter("template")))
        # The outermost elements that hide text; what holds none is left out.
        self.hidden: list[HtmlElement] = []
        self.absolute = references.absolute
        self.never_follow = not _NOT_FOLLOWED.isdisjoint(page.robots)
        self.runs: list[Run] = []
        self.breaks = self.picture = False
        self.preformatted = 0
        self.first_link = 0
        self.anchors: list[tuple[str, bool, int, list[str]]] = []
        # Links of the block at hand to places of their own page.
        self.within: list[tuple[HtmlElement, list[str]]] = []
        self.own_address = f"{page.url.partition('#')[0]}#"

    def run(self) -> None:
        # One loop without calls where it can be: it sees every element of every page of a crawl.
        nodes, runs, anchors = self.page.nodes, self.runs, self.anchors
        containers = [self.page.root]
        open_anchors: list[list[str]] = []
        hidden, after_link = 0, False
        outside = self.page.root.getparent()
        element, kind, hides = outside, _INLINE, False
        stack: list[tuple[HtmlElement | None, int, bool]] = []
        kind_of, pop, push = self.kinds.get, stack.pop, stack.append
        marks, parted, shadows = self.page.marks, self.page.parted, self.shadows
        special = {**marks, **dict.fromkeys(shadows)} if shadows else marks
        shows_hidden = self.shows_hidden
        parents = chain(map(etree._Element.getparent, nodes), (outside,))
        for parent, entered in zip(parents, chain(nodes, (None,)), strict=True):
            while element is not parent:
                ended = element
                if kind:
                    if kind <= _LINK_APART:
                        if runs or self.first_link != len(anchors):
                            runs = self.flush(ended, kind)
                            if kind <= _PREFORMATTED:
                                after_link = False
                        elif parted and kind <= _PREFORMATTED:
                            parted.pop(len(self.page.blocks) - 1, None)
                            after_link = False
                        containers.pop()
                        if kind == _PREFORMATTED:
                            self.preformatted -= 1
                        elif kind == _LINK_APART:
                            open_anchors.pop()
                            after_link = True
                    elif kind == _LINK:
                        open_anchors.pop()
                        after_link = True
                if hides:
                    hidden -= 1
                element, kind, hides = pop()
                if not hidden and (text := ended.tail) and stack:
                    if not text.isspace():
                        after_link = False
                    elif not runs:
                        # White space between blocks belongs to no block.
                        if parted:
                            self.note_gap(text, element)
                        continue
                    runs.append((text, element))
                    for texts in open_anchors[-_NESTED_LINKS:]:
                        texts.append(text)
            if entered is None:
                break
            push((element, kind, hides))
            element = entered
            if kind == _SKIP:
                hides = False
                continue
            kind = kind_of(element.tag, _INLINE)
            if special and element in special:
                if element in shadows:
                    kind = _INLINE
                if element in marks:
                    kind = _APART.get(kind, kind)
            hides = kind >= _HIDDEN
            if not (hides or shows_hidden) and (
                ((style := element.get("style")) is not None and _DISPLAY_NONE.search(style))
                or element.get("hidden") is not None
            ):
                # A body that is hidden until a script has run is the page all the same.
                hides = element.tag != "body" and element.tag != "html"
            if hides:
                if not hidden and kind != _SKIP:
                    self.hidden.append(element)
                hidden += 1
            if kind:
                if kind <= _LINK_APART:
                    if after_link and kind == _LINK_APART and runs:
                        runs.append((" ", containers[-1]))
                    if runs or self.first_link != len(anchors):
                        runs = self.flush(containers[-1], kind)
                        if kind <= _PREFORMATTED:
                            after_link = False
                    elif parted:
                        if kind <= _PREFORMATTED:
                            parted.pop(len(self.page.blocks) - 1, None)
                            after_link = False
                        elif after_link and kind == _LINK_APART:
                            self.note_gap(" ", containers[-1])
                    containers.append(element)
                    if kind == _PREFORMATTED:
                        self.preformatted += 1
                    elif kind == _LINK_APART:
                        open_anchors.append(self.anchor(element))
                elif kind == _LINK:
                    if after_link and runs:
                        # Two links side by side are two words, also where only a style sheet parts them.
                        runs.append((" ", containers[-1]))
                    elif after_link and parted:
                        self.note_gap(" ", containers[-1])
                    open_anchors.append(self.anchor(element))
                elif not hidden:
                    if kind == _BREAK:
                        runs.append(("\n", element))
                        self.breaks = True
                    elif kind == _IMAGE and element.get("src"):
                        runs.append(("", element))
                        self.picture = True
                    elif kind == _IMAGE_APART and element.get("src"):
                        self.flush(containers[-1], kind).append(("", element))
                        self.picture = True
                        runs = self.flush(containers[-1], kind)
                elif element.tag in ("frame", "iframe"):
                    # What a frame shows belongs to its own page.
                    address = self.absolute(element.get("src") or "")
                    if address is not None:
                        self.page.follow.append(address)
            if not hidden and (text := element.text):
                if not text.isspace():
                    after_link = False
                elif not runs:
                    if parted:
                        self.note_gap(text, element)
                    continue
                runs.append((text, element))
                for texts in open_anchors[-_NESTED_LINKS:]:
                    texts.append(text)
        self.flush(self.page.root, _BLOCK)
        self.page.links = [
            Link(url, " ".join("".join(texts).split()), nofollow, block)
            for url, nofollow, block, texts in anchors
        ]

    def anchor(self, element: HtmlElement) -> list[str]:
        """Notes a link that begins; returns the list that takes its texts."""
        texts: list[str] = []
        href = element.get("href")
        address = None if href is None else self.absolute(href)
        if address is not None:
            relations = element.get("rel")
            nofollow = self.never_follow or (
                relations is not None and "nofollow" in relations.lower().split()
            )
            self.anchors.append((address, nofollow, len(self.page.blocks), texts))
            if "#" in address and address.startswith(self.own_address):
                self.within.append((element, texts))
        return texts

    def note_gap(self, text: str, holder: HtmlElement) -> None:
        """Notes white space that follows a block which a mark has ended in the midst of a line."""
        gap = self.page.parted.get(len(self.page.blocks) - 1)
        if gap is not None:
            gap.append((text, holder))

    def flush(self, element: HtmlElement, kind: int) -> list[Run]:
        """Ends the block whose runs lie in ``element``, if there is one; returns a list for the next runs.

        Takes the kind of the element that begins or ends here.
        """
        links = len(self.anchors)
        if self.within:
            self.drop_permalinks()
        text = self.text()
        if text or self.picture or links != self.first_link:
            if kind > _PREFORMATTED:
                self.page.parted[len(self.page.blocks)] = []
            self.page.blocks.append(Block(text, element, self.runs, slice(self.first_link, links)))
            self.runs = []
            self.first_link = links
        else:
            if self.page.parted:
                self.gap_without_block(kind)
            self.runs.clear()
        self.breaks = self.picture = False
        return self.runs

    def drop_permalinks(self) -> None:
        """Takes the marks of links to the very place that they stand at out of the runs of a block."""
        inside: set[HtmlElement] = set()
        for anchor, texts in self.within:
            if is_permalink(anchor, texts):
                texts.clear()
                inside.update(anchor.iter("*"))
        if inside:
            self.runs[:] = [run for run in self.runs if not run[0] or run[1] not in inside]
        self.within.clear()

    def gap_without_block(self, kind: int) -> None:
        """Ends runs that make no block: line breaks and white space after a block that a mark has ended."""
        position = len(self.page.blocks) - 1
        if kind > _PREFORMATTED:
            for text, holder in self.runs:
                self.note_gap(text, holder)
        else:
            self.page.parted.pop(position, None)

    def text(self) -> str:
        if self.preformatted or self.breaks:
            return text_of(self.runs, preformatted=self.preformatted > 0)
        return " ".join("".join([text for text, _ in self.runs]).split())


def text_of(runs: list[Run], *, preformatted: bool) -> str:
    """The text that the runs of a block make: white space is folded, and lines are those of ``br``.

    With ``preformatted`` all lines stay, and white space but for what ends a line.
    """
    if preformatted:
        raw = "".join([text for text, _ in runs])
        return "\n".join([line.rstrip() for line in raw.strip("\r\n").splitlines()]).rstrip()
    # Only a br makes a line: line ends of the source are white space.
    raw = "".join([text if holder.tag == "br" else text.replace("\n", " ") for text, holder in runs])
    lines = (" ".join(line.split()) for line in raw.split("\n"))
    return "\n".join(line for line in lines if line)
