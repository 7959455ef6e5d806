from typing import Final

from lxml.etree import _Element

from pagelets.tree import Tree

LIBXML: Final[str]
SOURCE: Final[str]

def is_utf8(content: bytes) -> bool: ...
def flatten(root: _Element, unread: frozenset[str]) -> Tree: ...
