"""The sheet on which people correct pages: a text that they edit.

``# URL`` begins a page, ``+ 0.93 TEXT`` is a block that is content, ``- 0.02 TEXT`` one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from settings.errors import ConfigurationError

LONGEST: Final = 300
"""Characters of a block's text on a sheet."""
_PAGE: Final = re.compile(r"# ([A-Za-z][A-Za-z0-9+.-]*://\S+)")
_BLOCK: Final = re.compile(r"([+-])\s+([01]\.\d\d)\s+(\S.*)")
_SHOWN: Final = 60
HEAD: Final = (
    "# Each block of these pages: + is kept, - is removed, then how likely it is content, then its text.\n"
    "# Change the signs that are wrong, then: scrapy teach {site} THIS_FILE\n"
    "# A line that is deleted leaves its block as it is. Do not change texts and numbers.\n"
)


class SheetBlock(NamedTuple):
    """A block: whether it is content, and how likely; its text, as on a sheet."""

    keep: bool
    likely: float
    text: str

    @property
    def number(self) -> str:
        """The probability as a sheet has it."""
        return f"{self.likely:.2f}"


@dataclass(slots=True, frozen=True)
class SheetPage:
    """A page on a sheet: its URL, and its blocks that have a text."""

    url: str
    blocks: Sequence[SheetBlock]


class Line(NamedTuple):
    """A line of a sheet on a block: its number, its sign, how likely the block was, and the text."""

    number: int
    keep: bool
    likely: str
    text: str


class WrongSheet(ConfigurationError):
    """A line of a sheet cannot be used; nothing of the sheet is."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"line {number}: {what}")


def sheet_text(text: str) -> str:
    """Returns a block's text as a sheet has it: on one line, its beginning."""
    line = "".join(filter(str.isprintable, " ".join(text.split())))
    return " ".join(line[:LONGEST].split())


def written(site: str, pages: Iterable[SheetPage]) -> str:
    """Returns the text of a sheet."""
    parts = [HEAD.format(site=site)]
    for page in pages:
        parts.append(f"\n# {page.url}\n")
        parts += [f"{'+' if block.keep else '-'} {block.number} {block.text}\n" for block in page.blocks]
    return "".join(parts)


def parsed(text: str) -> dict[str, tuple[int, list[Line]]]:
    """Reads a sheet: URL -> the number of the page's line, and the lines on its blocks. Raises WrongSheet."""
    pages: dict[str, tuple[int, list[Line]]] = {}
    lines: list[Line] | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = line.strip()
        if (page := _PAGE.fullmatch(line)) is not None:
            _, lines = pages.setdefault(page[1], (number, []))
        elif line and not line.startswith("#"):
            block = _BLOCK.fullmatch(line)
            if block is None:
                raise WrongSheet(number, f"{line[:_SHOWN]!r} cannot be read; write + or -, 0.00, text")
            if lines is None:
                raise WrongSheet(number, "there is no page yet; write # and the page's URL before its blocks")
            lines.append(Line(number, block[1] == "+", block[2], block[3]))
    return pages


def placed(lines: Iterable[Line], blocks: Sequence[SheetBlock]) -> Iterator[tuple[int, bool]]:
    """Finds the blocks that the lines of a page speak of; yields their positions and their signs.

    Of blocks with the same text one with the same number is meant, and the first of these.

    Args:
        lines: the lines on the page's blocks.
        blocks: all blocks of the page as it is now, those without a text too.

    Raises:
        WrongSheet: a line has another text than any block that is left.

    """
    left: dict[str, list[int]] = {}
    for position, block in enumerate(blocks):
        left.setdefault(block.text, []).append(position)
    for line in lines:
        free = left.get(line.text)
        if not free:
            mend = "write the sheet anew, and change signs only"
            raise WrongSheet(line.number, f"no such block is on the page: {line.text[:_SHOWN]!r}; {mend}")
        same = (position for position in free if blocks[position].number == line.likely)
        position = next(same, free[0])
        free.remove(position)
        yield position, line.keep


def merged(signs: Mapping[int, bool], before: Sequence[int], kept: Sequence[bool]) -> list[bool]:
    """Returns for each block of a page if it is content: what the sheet says, else an earlier one, else as it
    is judged now.

    Args:
        signs: position -> what the sheet says.
        before: for each block 1 or 0 as an earlier sheet says, -1 where none speaks of it.
        kept: for each block if it is kept now.

    """
    pairs = zip(before, kept, strict=True)
    return [signs.get(place, bool(old) if old >= 0 else now) for place, (old, now) in enumerate(pairs)]
