"""The reading of a tree, compiled where that can be used (`pagelets.compiled`); both give the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagelets.compiled import compiled
from pagelets.reading import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

    from pagelets.reading.plain import Walked
    from pagelets.tree import Tree

_native = compiled("pagelets.reading.native")
_walk = compiled("pagelets.reading.native_walk")
flatten: Callable[[_Element, frozenset[str]], Tree] = _native.flatten if _native else plain.flatten
walk: Callable[[Tree, bytes, bytes, bytes], Walked] = _walk.walk if _walk else plain.walk
