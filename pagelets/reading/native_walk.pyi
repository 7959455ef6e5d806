from typing import Final

from pagelets.reading.plain import Walked
from pagelets.tree import Tree

SOURCE: Final[str]
KINDS: Final[tuple[int, ...]]

def walk(tree: Tree, kinds: bytes, hides: bytes, linked: bytes) -> Walked: ...
