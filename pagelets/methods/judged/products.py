"""Pages that present one product."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagelets.metadata.declarations import Declarations
from pagelets.metadata.json_ld import as_list, tops

if TYPE_CHECKING:
    from pagelets.page import Page

_TYPE: Final = re.compile(r"(?:.*[/:#])?Product(?:Group)?", re.DOTALL)
_KINDS: Final = ("product", "og:product", "product.item")
"""Types of products in Open Graph."""


def presents_product(page: Page) -> bool:
    """Returns True for a page that declares one product; listings declare many."""
    declared = Declarations(page)
    if any("Product" in script for script in declared.scripts):
        nodes = tops(declared.json_ld.others())
        names = {str(node.get("name")) for node in nodes if _is_product(*as_list(node.get("@type")))}
        if names:
            return len(names) == 1
    contents = "\n".join(page.tree.attribute("content").values()).lower()
    # Most pages say it nowhere.
    if "product" in contents and any(
        kind.strip().lower() in _KINDS for kind in declared.meta.get("og:type", ())
    ):
        return True
    return any(_is_product(*value.split()) for value in page.tree.attribute("itemtype").values())


def _is_product(*kinds: object) -> bool:
    return any(isinstance(kind, str) and _TYPE.fullmatch(kind) for kind in kinds)
