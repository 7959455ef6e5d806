"""From lxml's tree to arrays, and from arrays to blocks: the reference, in plain Python.

`pagelets.reading.native` does the same, compiled. Both take the roles of elements.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from lxml import etree

from pagelets.page import BREAK, PICTURE, SPACE, Block, Run, Runs, text_of
from pagelets.tree import ROOT, Ids, Tree

if TYPE_CHECKING:
    from lxml.etree import _Element


NESTED_LINKS: Final = 4
"""A text counts for so many links around it: no browser nests links, a hostile page may by the thousand."""

INLINE, BLOCK, PREFORMATTED, INLINE_APART, LINK_APART = range(5)
LINK, LINE_BREAK, IMAGE, IMAGE_APART, SKIPPED = range(5, 10)
"""What an element is to the text around it. Those up to `LINK_APART` but `INLINE` begin and end a block;
those "apart" do so for their mark only, in the midst of a line.
"""

HIDES, MUTES = 1, 2
"""Whether what an element holds is not shown: text that a script or a click may show, and what never is."""


def is_utf8(content: bytes) -> bool:
    """Returns True if bytes are UTF-8 without fault, so that decoding and encoding them changes nothing."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def size(text: str) -> int:
    """Characters of a text. White space is left out: how deep a source is indented says nothing."""
    return len("".join(text.split()))


def flatten(root: _Element, unread: frozenset[str]) -> Tree:
    """The elements and texts of a tree of lxml, which is not changed.

    Texts inside elements whose tag is among ``unread`` are left out, but for those of JSON-LD; comments are
    no elements, and their contents are no texts.
    """
    strings = _Strings()
    tags: list[int] = []
    parents: list[int] = []
    last: list[int] = []
    starts = [0]
    names: list[int] = []
    values: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    texts: list[str] = []
    nodes = list(root.iter())
    # Of lxml's types are elements, and comments, whose tag is a function.
    outside: Any = root.getparent()
    element, number, reads, count = outside, -1, True, 0
    stack: list[tuple[Any, int, bool]] = []
    parents_of = chain(map(etree._Element.getparent, nodes), (outside,))
    entered: Any
    for parent, entered in zip(parents_of, chain(nodes, (None,)), strict=True):
        while element is not parent:
            ended = element
            if number >= 0:
                last[number] = count - 1
            element, number, reads = stack.pop()
            if reads and number >= 0 and (text := ended.tail):
                texts.append(text)
                holders.append(number)
                before.append(count)
        if entered is None:
            break
        stack.append((element, number, reads))
        element, tag = entered, entered.tag
        if not isinstance(tag, str):
            # A comment: what follows it stands in the element around it.
            number = -1
            continue
        parents.append(number)
        number = count
        count += 1
        last.append(number)
        tags.append(strings[tag])
        for name, value in entered.items():
            if name[:2] != "on":
                names.append(strings[name])
                values.append(strings[value])
        starts.append(len(names))
        if tag in unread:
            reads = reads and tag == "script" and "ld+json" in entered.get("type", "").lower()
        if reads and (text := entered.text):
            texts.append(text)
            holders.append(number)
            before.append(count)
    tree = Tree(
        strings=list(strings),
        tag=_row(tags),
        parent=_row(parents),
        last=_row(last),
        starts=_row(starts),
        name=_row(names),
        value=_row(values),
        texts=texts,
        holder=_row(holders),
        before=_row(before),
    )
    # What the tree would make of its arrays.
    tree.parents, tree.befores, tree.holders = parents, before, holders
    return tree


def _row(numbers: list[int]) -> Ids:
    # Twice as fast as np.array, which looks at each number first.
    return np.frombuffer(array("i", numbers), np.int32)


class _Strings(dict[str, int]):
    """Distinct strings, each with its place in the order in which they came."""

    def __missing__(self, string: str) -> int:
        self[string] = place = len(self)
        return place


class Walked(NamedTuple):
    """The result of a walk: blocks, links (each with its element, its block's position and its text), the
    outermost elements that hide text, and the gaps after blocks that marks have parted, by position.
    """

    blocks: list[Block]
    links: list[tuple[int, int, str]]
    hidden: list[int]
    parted: dict[int, list[Run]]


def walk(tree: Tree, kinds: bytes, hides: bytes, linked: bytes) -> Walked:
    """Reads the blocks of a tree in one pass over its elements and texts.

    The contents of an element of the kind `SKIPPED` are not looked at.

    Args:
        tree: the tree.
        kinds: the role of each element in the text around it (`INLINE` and those that follow).
        hides: whether it hides its contents (0 for no, `HIDES`, `MUTES`).
        linked: whether it is a link with a target.

    """
    walker = _Walk(tree, kinds, hides, linked)
    walker.run()
    return Walked(walker.blocks, walker.links, walker.hidden, walker.parted)


class _Walk:
    """One pass; collects a block's runs until a block-level boundary."""

    def __init__(self, tree: Tree, kinds: bytes, hides: bytes, linked: bytes) -> None:
        self.tree = tree
        self.kinds = kinds
        self.hides = hides
        self.linked = linked
        self.texts = [*tree.texts, " ", "", "\n"]
        self.places: list[int] = []
        self.holders: list[int] = []
        self.source = Runs(self.texts, self.places, self.holders)
        self.blocks: list[Block] = []
        self.links: list[tuple[int, int, str]] = []
        self.anchors: list[tuple[int, int, list[str]]] = []
        self.hidden: list[int] = []
        self.parted: dict[int, list[Run]] = {}
        self.breaks = self.picture = False
        self.preformatted = 0
        self.first_run = self.first_link = 0

    def run(self) -> None:
        # One loop without calls where it can be: it sees every element of every page of a crawl.
        tree, kinds, hides_of, all_texts = self.tree, self.kinds, self.hides, self.texts
        places, holders, anchors, parted = self.places, self.holders, self.anchors, self.parted
        count = len(tree.texts)
        first_run = 0
        containers = [ROOT]
        open_anchors: list[list[str]] = []
        hidden, after_link, skipping = 0, False, -1
        node, kind, hides = -1, INLINE, 0
        stack: list[tuple[int, int, int]] = []
        pop, push = stack.pop, stack.append
        lasts = tree.last.tolist()
        # Texts and elements in the order in which they begin, each with the element that it stands in.
        around = np.concatenate((tree.holder, tree.parent))
        order = np.argsort(
            np.concatenate((tree.before * 2, np.arange(len(tree), dtype=np.int32) * 2 + 1)), kind="stable"
        )
        for inside, entered in zip(
            chain(around[order].tolist(), (-1,)), chain(order.tolist(), (-1,)), strict=True
        ):
            while node != inside:
                if kind:
                    if kind <= LINK_APART:
                        if kind <= PREFORMATTED and open_anchors:
                            part(open_anchors)
                        if len(places) > first_run or self.first_link != len(anchors):
                            first_run = self.flush(node, kind)
                            if kind <= PREFORMATTED:
                                after_link = False
                        elif parted and kind <= PREFORMATTED:
                            parted.pop(len(self.blocks) - 1, None)
                            after_link = False
                        containers.pop()
                        if kind == PREFORMATTED:
                            self.preformatted -= 1
                        elif kind == LINK_APART:
                            open_anchors.pop()
                            after_link = True
                    elif kind == LINK:
                        open_anchors.pop()
                        after_link = True
                if hides:
                    hidden -= 1
                node, kind, hides = pop()
            if entered < 0:
                break
            if entered < count:
                if hidden:
                    continue
                text = all_texts[entered]
                if not text.isspace():
                    after_link = False
                elif len(places) == first_run:
                    # White space between blocks belongs to no block.
                    if parted:
                        self.note_gap(text, node)
                    continue
                places.append(entered)
                holders.append(node)
                for texts in open_anchors[-NESTED_LINKS:]:
                    texts.append(text)
                continue
            push((node, kind, hides))
            node = entered - count
            if node <= skipping:
                kind = hides = 0
                continue
            kind, hides = kinds[node], hides_of[node]
            if hides:
                if not hidden and hides == HIDES:
                    self.hidden.append(node)
                hidden += 1
            if not kind:
                continue
            if kind <= LINK_APART:
                if kind <= PREFORMATTED and open_anchors:
                    part(open_anchors)
                if after_link and kind == LINK_APART and len(places) > first_run:
                    places.append(SPACE)
                    holders.append(containers[-1])
                if len(places) > first_run or self.first_link != len(anchors):
                    first_run = self.flush(containers[-1], kind)
                    if kind <= PREFORMATTED:
                        after_link = False
                elif parted:
                    if kind <= PREFORMATTED:
                        parted.pop(len(self.blocks) - 1, None)
                        after_link = False
                    elif after_link and kind == LINK_APART:
                        self.note_gap(" ", containers[-1])
                containers.append(node)
                if kind == PREFORMATTED:
                    self.preformatted += 1
                elif kind == LINK_APART:
                    open_anchors.append(self.anchor(node))
            elif kind == LINK:
                if after_link and len(places) > first_run:
                    # Two links side by side are two words, also where only a style sheet parts them.
                    places.append(SPACE)
                    holders.append(containers[-1])
                elif after_link and parted:
                    self.note_gap(" ", containers[-1])
                open_anchors.append(self.anchor(node))
            elif kind == SKIPPED:
                skipping = lasts[node]
            elif not hidden:
                if kind == LINE_BREAK:
                    places.append(BREAK)
                    holders.append(node)
                    self.breaks = True
                    part(open_anchors)
                elif kind == IMAGE:
                    places.append(PICTURE)
                    holders.append(node)
                    self.picture = True
                else:
                    self.flush(containers[-1], kind)
                    places.append(PICTURE)
                    holders.append(node)
                    self.picture = True
                    first_run = self.flush(containers[-1], kind)
        self.flush(ROOT, BLOCK)
        self.links = [(node, block, " ".join("".join(texts).split())) for node, block, texts in anchors]

    def anchor(self, node: int) -> list[str]:
        """Notes a link that begins; returns the list that takes its texts."""
        texts: list[str] = []
        if self.linked[node]:
            self.anchors.append((node, len(self.blocks), texts))
        return texts

    def note_gap(self, text: str, holder: int) -> None:
        """Notes white space that follows a block which a mark has ended in the midst of a line."""
        gap = self.parted.get(len(self.blocks) - 1)
        if gap is not None:
            gap.append((text, holder))

    def flush(self, node: int, kind: int) -> int:
        """Ends the block whose runs lie in an element, if there is one; returns the place of the next run.

        Takes the kind of the element that begins or ends here.
        """
        links, first, count = len(self.anchors), self.first_run, len(self.places)
        text = self.text() if count > first else ""
        if text or self.picture or links != self.first_link:
            if kind > PREFORMATTED:
                self.parted[len(self.blocks)] = []
            span = slice(first, count)
            self.blocks.append(Block(text, node, slice(self.first_link, links), span, self.source))
            self.first_run, self.first_link = count, links
        else:
            if kind <= PREFORMATTED:
                self.parted.pop(len(self.blocks) - 1, None)
            elif self.parted:
                # Line breaks and white space after a block that a mark has ended.
                for written, holder in self.source[first:]:
                    self.note_gap(written, holder)
            del self.places[first:], self.holders[first:]
        self.breaks = self.picture = False
        return self.first_run

    def text(self) -> str:
        first, texts = self.first_run, self.texts
        if self.preformatted or self.breaks:
            runs = self.source[first:]
            return text_of(runs, self.tree.tags, preformatted=self.preformatted > 0)
        if len(self.places) == first + 1:
            return " ".join(texts[self.places[first]].split())
        return " ".join("".join([texts[place] for place in self.places[first:]]).split())


def part(anchors: list[list[str]]) -> None:
    """Parts the words of links where a block or a line ends inside of them."""
    for texts in anchors[-NESTED_LINKS:]:
        texts.append(" ")
