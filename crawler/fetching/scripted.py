"""Pages that show nothing unless their scripts are run."""

from __future__ import annotations

import re
from typing import Final

from pagelets.page import Page

LITTLE_TEXT: Final = 250
"""Characters. A page with less says nothing of its own, as far as can be seen without running its scripts."""
_NO_TEXT: Final = 40
"""Characters. A page with less, such as "Loading", may have a single script that fills it."""
_MANY_SCRIPTS: Final = 3
_NOTICE: Final = re.compile(r"java\s*script", re.IGNORECASE)


def needs_scripts(page: Page) -> bool:
    """Returns True for a page with little text that has many scripts, or says that it needs them."""
    chars = sum(len(block.text) for block in page.blocks)
    if chars >= LITTLE_TEXT:
        return False
    tree = page.tree
    notices = ("".join(map(tree.texts.__getitem__, tree.text_span(node))) for node in tree.of_tag("noscript"))
    least = 1 if chars < _NO_TEXT else _MANY_SCRIPTS
    return len(tree.of_tag("script")) >= least or any(map(_NOTICE.search, notices))
