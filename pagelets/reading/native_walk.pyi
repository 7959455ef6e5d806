from collections.abc import Callable
from typing import Final

from pagelets.reading.plain import Walked
from pagelets.tree import Tree

SOURCE: Final[str]
KINDS: Final[tuple[int, ...]]

def walk(tree: Tree, kinds: bytes, hides: bytes, linked: bytes) -> Walked: ...
def numbered(texts: list[str], places: list[int], longest: int) -> list[int]: ...
def all_joined(
    references: list[str], join: Callable[..., str | None], base: str, origin: str, folders: list[str]
) -> list[str | None]: ...
