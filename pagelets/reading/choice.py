"""The compiled reading of pages where it was built and fits the installed lxml, else the plain one.

Both give the same arrays and the same blocks. `WHY_PLAIN` says why the compiled one is not used; it is empty
where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from pagelets.reading import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

    from pagelets.reading.plain import Walked
    from pagelets.tree import Tree

flatten: Callable[[_Element, frozenset[str]], Tree]
walk: Callable[[Tree, bytes, bytes, bytes], Walked]


def why_plain() -> str:
    """Why the compiled reading cannot be used, with the mend; empty where it can."""
    try:
        from pagelets.reading import native
    except ImportError as error:
        return f"not built ({error}); make setup builds it where it finds a compiler"
    built, found = native.BUILT_WITH, ".".join(map(str, etree.LIBXML_COMPILED_VERSION))
    if built != found:
        return f"built for libxml2 {built}, lxml has {found}; make setup builds it anew"
    return ""


WHY_PLAIN = why_plain()
if WHY_PLAIN:
    flatten, walk = plain.flatten, plain.walk
else:
    from pagelets.reading import native

    flatten, walk = native.flatten, native.walk
