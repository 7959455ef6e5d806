"""The ways in which sites write boilerplate: its phrases, shapes, tags and class names, drawn by chance."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

CONTENT: Final = "content"
"""The kind of insertions that are content."""
MARK: Final = "data-inserted"
"""The attribute that names the kind of an insertion. No feature reads it."""
PHRASES: Final[dict[str, dict[str, list[str]]]] = json.loads(
    Path(__file__).with_name("phrases.json").read_text(encoding="utf-8")
)
"""The phrases of boxes by language and kind; ``{n}``, ``{f}``, ``{date}`` and ``{title}`` are filled in."""
SHAPES: Final = ("list", "ordered", "cards", "table", "carousel", "links", "paragraphs", "definitions")


class Kind(NamedTuple):
    """A kind of boxes, as ``kinds.toml`` describes it; ``most`` is 0 if its boxes name no other pages."""

    chance: float
    places: list[str]
    names: list[str]
    most: int = 0


KINDS: Final = {
    name: Kind(**table)
    for name, table in tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8")).items()
}
_NEUTRAL: Final = "box block section row col-md-4 wrap inner module panel grid item unit".split()
_ENTRY: Final = ("item", "entry", "post", "card", "teaser", "product")
NAMES: Final = (
    "Anna Berg", "J. Ortega", "Mehmet Kaya", "Li Wei", "Olga P.", "Tom", "佐藤 健", "Priya N.", "nadia_77",
    "Hans-Peter", "Eva Nováková", "Guest", "Søren", "Anonymous", "Marta Lis", "Pierre D.", "Ivan", "Linh",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Entry:
    """Another page of the site as boxes show it: ``excerpt`` begins its text, ``spoken`` is a part of it."""

    url: str
    title: str
    excerpt: str
    spoken: str = ""


@dataclass(slots=True, frozen=True)
class Style:
    """The form of a kind of box, the same on all pages of a site: drawn once.

    ``parts`` are the parts of an entry beside its title; ``cut`` ends an excerpt, which is of whole sentences
    where it is empty.
    """

    kind: str
    language: str
    shape: str
    tag: str
    heading: str
    title: str
    parts: tuple[str, ...]
    outer: str
    inner: str
    money: str
    date: int
    cut: str

    @classmethod
    def drawn(cls, kind: str, language: str, draw: Random, *, shop: bool = False) -> Style:
        """Draws a style.

        Args:
            kind: of the box.
            language: of its phrases.
            draw: the only chance in it.
            shop: entries show prices.
        """
        names = draw.choices(("real", "neutral", "hashed", "none"), (35, 25, 15, 25))[0]
        parts = [part for part in ("excerpt", "date", "image", "author", "more") if draw.random() < 0.35]
        if shop and draw.random() < 0.8:
            parts = ["price", *[part for part in parts if part == "image"]]
        said_as = "related" if kind == "inline" else kind
        title = draw.choice(said(language, said_as)) if said_as in ("related", "popular", "recent") else ""
        # A box without a name needs its heading: nobody could tell it from content.
        headings = ("h2", "h3", "h4", "h5", "p", "strong", "div", *([""] if names == "real" else []))
        return cls(
            kind, language, draw.choice(SHAPES), draw.choice(("div", "div", "section", "aside")),
            draw.choice(headings), title, tuple(parts),
            _name(names, KINDS[kind].names, draw), _name(names, _ENTRY, draw),
            draw.choice(("€ {}", "${}", "{} kr", "{} руб.", "¥{}")), draw.randrange(3),
            draw.choice(("", "", " […]", "…", "...")),
        )  # fmt: skip

    def plain(self) -> Style:
        """Links among running text: a list without a name."""
        shape = "list" if self.date else "paragraphs"
        return replace(self, tag="div", shape=shape, parts=("excerpt",), outer="", inner="")


def said(language: str, kind: str) -> list[str]:
    """Returns the phrases of a kind in a language, else in English."""
    return PHRASES.get(language, PHRASES["en"])[kind]


def _name(names: str, real: Sequence[str], draw: Random) -> str:
    """A class name of a kind: one of the ``real`` ones, neutral, hashed or none."""
    if names == "none":
        return ""
    if names == "hashed":
        start = draw.choice(("css-", "sc-", "_", ""))
        return start + "".join(draw.choices("abcdefghkmpqrsxyz0123456789", k=7))
    return draw.choice(real if names == "real" else _NEUTRAL)
