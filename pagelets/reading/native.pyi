from typing import Final

from lxml.etree import _Element

from pagelets.reading.plain import Walked
from pagelets.tree import Tree

LIBXML: Final[str]
SOURCE: Final[str]
KINDS: Final[tuple[int, ...]]

def is_utf8(content: bytes) -> bool: ...
def flatten(root: _Element, unread: frozenset[str]) -> Tree: ...
def walk(tree: Tree, kinds: bytes, hides: bytes, linked: bytes) -> Walked: ...
def all_joined(references: list[str], base: str, origin: str, folders: list[str]) -> list[str | None]: ...
