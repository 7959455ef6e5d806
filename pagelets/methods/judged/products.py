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
    tree = page.tree
    products = [node for node, value in tree.attribute("itemtype").items() if _is_product(*value.split())]
    # Entries of a listing, or of a box, are products of their own.
    return len(products) == 1 or any(
        products[0] <= heading <= tree.last[products[0]] for heading in tree.of_tag("h1") if products
    )


def _is_product(*kinds: object) -> bool:
    return any(isinstance(kind, str) and _TYPE.fullmatch(kind) for kind in kinds)
