"""Marks of the made sites, and their class names: a theme's own, hashed, or without a meaning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.quality.prose import number

if TYPE_CHECKING:
    from collections.abc import Callable

_CLASSES: Final = re.compile(r'(?<= class=")[^"]+(?=")')
_NEUTRAL: Final = "box row col wrap inner outer item unit part cell line group view block pane zone".split()


def main(html: str) -> str:
    """HTML of main content."""
    return f"<!--gold-->{html}<!--/gold-->"


def piece(kind: str, html: str) -> str:
    """HTML of a piece of inserted boilerplate: an entry of a list, the heading of a box, a comment."""
    return f"<!--kind {kind}-->{html}<!--/kind-->"


def halves(source: str) -> tuple[str, str]:
    """A text in two, at an empty line: what is inserted stands between them."""
    blocks = source.split("\n\n")
    middle = len(blocks) // 2
    return "\n\n".join(blocks[:middle]), "\n\n".join(blocks[middle:])


def hashed(name: str) -> str:
    """A class name as CSS modules and styled components make it, such as ``sc-3f9a01``."""
    return f"sc-{number(name) % 0xFFFFFF:06x}"


def neutral(name: str) -> str:
    """A class name that says nothing, such as ``box-3``; several names may become the same."""
    return f"{_NEUTRAL[number(name) % len(_NEUTRAL)]}-{number(name) // 16 % 4}"


def renamed(html: str, rename: Callable[[str], str]) -> str:
    """The HTML with all class names changed; two names of the same element stay apart."""
    return _CLASSES.sub(lambda found: " ".join(rename(name) for name in found[0].split()), html)
