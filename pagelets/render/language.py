"""The programming language of preformatted text."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pagelets.tree import Tree

_OWN: Final = re.compile(r"(?:language|lang|highlight)-([A-Za-z0-9+#.-]{1,32})\Z")
_HIGHLIGHTER: Final = re.compile(
    r"(?:language|highlight(?:-source)?|mw-highlight-lang)-(?!source-)([A-Za-z0-9+#.-]{1,32})\Z"
)
_NO_LANGUAGE: Final = frozenset({"default", "none", "notranslate", "plaintext", "text"})
_MAX_CLASSES: Final = 500


def language(tree: Tree, pre: int) -> str:
    """The language of the ``pre`` at a node, empty where the page does not say it.

    It is the ``language-x``, ``lang-x`` or ``highlight-x`` among the classes of its ``code`` or its own, or
    what a highlighter (Sphinx, Jekyll, GitHub, MediaWiki) wrote at one of the two elements around it.
    """
    code_nodes = [child for child in islice(tree.children(pre), 1) if tree.tags[child] == "code"]
    around = islice(tree.ancestors(pre), 2)
    for pattern, nodes in ((_OWN, [*code_nodes, pre]), (_HIGHLIGHTER, around)):
        for node in nodes:
            for name in (tree.get(node, "class") or "")[:_MAX_CLASSES].split():
                if (match := pattern.match(name)) and match[1].lower() not in _NO_LANGUAGE:
                    return match[1]
    return ""
