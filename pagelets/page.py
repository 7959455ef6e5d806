"""A page as a sequence of blocks over a flat tree: its visible text, in order, with its links.

A *block* is a maximal run of visible text inside one block-level element. Everything else in the project
(pagelets, masks, renderings) refers to the positions of blocks in this sequence. A page is a value:
it holds no object of a parser.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagelets.tree import Tree

HEADING_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

BREAK, PICTURE, SPACE = -1, -2, -3
"""What stands for the text of a run that is no text of the tree: a ``br``, an ``img``, and the space that
parts two links.
"""

Run: TypeAlias = tuple[str, int]
"""A piece of a block: its text as written, and the innermost element that holds it.

A picture is a run with empty text whose element is the ``img``; a line break is a run ``"\\n"`` whose element
is the ``br``.
"""


class Override(NamedTuple):
    """A decision on blocks in the place of a method: whether they are kept, and why."""

    keep: bool
    reason: str


MOST_LINKS: Final = 50_000
"""Links of a page that a site counts: as many as a sitemap may list. Documents have them all."""
MOST_FOLLOWED: Final = 1000
"""Addresses beside the links that a crawl visits for a page."""


class Link(NamedTuple):
    """A hyperlink: absolute target, anchor text, whether it asks not to be followed, its block's position."""

    url: str
    text: str
    nofollow: bool
    block: int


class Extracted(NamedTuple):
    """The values of a site's fields on a page (`pagelets.reading.fields`).

    ``values`` has all fields by name, with None or an empty list for those without a value; ``found`` are the
    names of the others, ``flags`` are flags of the page.
    """

    values: Mapping[str, Any]
    found: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def fields_hash(self) -> str | None:
        """A fingerprint of the values, 32 hexadecimal digits; None without fields."""
        return digest(self.values) if self.values else None

    def packed(self) -> str:
        """Returns it as text, empty without fields."""
        return json.dumps(self) if self.values else ""

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """Returns what was packed. Raises TypeError or ValueError if nothing of the kind was."""
        values, filled, flags = json.loads(text) if text else ({}, (), ())
        if not isinstance(values, dict):
            raise TypeError(text)
        return cls(values, tuple(filled), tuple(flags))


def digest(value: object) -> str:
    """Returns a fingerprint of what JSON can hold, 32 hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


NOTHING_EXTRACTED: Final = Extracted({})


class Runs:
    """The runs of a page's blocks in order, made where they are asked for.

    Takes the texts of the page's tree with a space, nothing and a line end behind them (`SPACE`, `PICTURE`
    and `BREAK` count from the end), and of each run the place of its text among them and its element.
    """

    __slots__ = ("_all", "holders", "places", "texts")

    def __init__(self, texts: list[str], places: Sequence[int], holders: Sequence[int]) -> None:
        self.texts = texts
        self.places = places
        self.holders = holders
        self._all: list[Run] | None = None

    def __getitem__(self, span: slice) -> list[Run]:
        texts = self.texts
        return [
            (texts[place], holder)
            for place, holder in zip(self.places[span], self.holders[span], strict=True)
        ]

    def all(self) -> list[Run]:
        """The runs of all blocks, once the page has been read: made at the first call."""
        if self._all is None:
            self._all = self[:]
        return self._all


@dataclass(slots=True, eq=False)
class Block:
    """A maximal run of visible text inside one block-level element, whose place in the tree is ``node``.

    ``text`` has its white space folded (lines of ``pre`` and ``br`` are kept); it is empty where the element
    shows pictures or hidden links only. ``links`` is the slice of `Page.links` that lies in the block,
    ``span`` its slice of ``source``, the runs of the page.
    """

    text: str
    node: int
    links: slice
    span: slice
    source: Runs | list[Run]

    @property
    def runs(self) -> list[Run]:
        """The pieces of the block, in order."""
        source = self.source
        # Who asks for the runs of one block asks for those of the others.
        return (source.all() if isinstance(source, Runs) else source)[self.span]


@dataclass(slots=True, eq=False)
class Page:
    """The visible text of a page as blocks in document order, its links, and what its head declares.

    ``robots`` are the lower-cased directives of its robots meta elements; ``robots_metas`` are the
    lower-cased names and the contents of all its meta elements, any of which may speak to one robot
    (`pagelets.metadata.directives`). ``base`` is the address that its references are relative to.
    ``follow`` are further addresses (frames, maps, refresh, next and previous) that a crawl may visit beside
    the links. ``truncated`` tells that the parser gave up, as elements are nested too deep; ``unhidden`` that
    hidden text was read as visible, as there is much of it. ``overridden`` are the elements that begin and
    end a block whatever they are (`pagelets.overrides`), and ``parted`` tells, by position, the blocks that
    end in the midst of a line for them, and what white space and line breaks follow them. ``overrides`` are
    the elements whose fate is said beforehand: the same, unless other selectors were asked. ``met`` are the
    selectors, as they are written, that match an element. ``read_by`` names what reading and which selectors
    have made the page (`pagelets.reading.version`). ``extracted`` are the values of the site's fields.
    ``cut`` is the last partition that was asked for, with its pagelets (`pagelets.partitions`).

    Examples:
        >>> from pagelets.reading import read
        >>> page = read("<title>Bread</title><p>Flour and <a href=/salt>salt</a>.", "https://example.org/")
        >>> [block.text for block in page.blocks], page.links[0].url
        (['Flour and salt.'], 'https://example.org/salt')

    """

    url: str
    tree: Tree
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    title: str = ""
    base: str = ""
    canonical_url: str | None = None
    robots: frozenset[str] = frozenset()
    robots_metas: list[tuple[str, str]] = field(default_factory=list)
    follow: list[str] = field(default_factory=list)
    truncated: bool = False
    unhidden: bool = False
    overridden: Mapping[int, Override] = field(default_factory=dict)
    met: frozenset[str] = frozenset()
    overrides: Mapping[int, Override] = field(default_factory=dict)
    parted: dict[int, list[Run]] = field(default_factory=dict)
    read_by: bytes = bytes(16)
    extracted: Extracted = NOTHING_EXTRACTED
    cut: tuple[object, list[Any]] | None = field(default=None, repr=False)


def text_of(runs: Sequence[Run], tags: Sequence[str], *, preformatted: bool) -> str:
    """The text that the runs of a block make: white space is folded, and lines are those of ``br``.

    Takes the tags of the page's elements. With ``preformatted`` all lines stay, and white space but for what
    ends a line.
    """
    if preformatted:
        raw = "".join([text for text, _ in runs])
        return "\n".join([line.rstrip() for line in raw.strip("\r\n").splitlines()]).rstrip()
    # Only a br makes a line: line ends of the source are white space.
    raw = "".join([text if tags[holder] == "br" else text.replace("\n", " ") for text, holder in runs])
    lines = (" ".join(line.split()) for line in raw.split("\n"))
    return "\n".join(line for line in lines if line)
