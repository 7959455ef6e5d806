from typing import Final

from lxml.etree import _Element

from pagelets.tree import Tree

LIBXML: Final[str]
SOURCE: Final[str]

def flatten(root: _Element, unread: frozenset[str]) -> Tree: ...
