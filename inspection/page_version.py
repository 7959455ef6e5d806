"""The name of the blocks of a page."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagelets.page import Page


def version_of(page: Page) -> str:
    """Returns what names the blocks of a page, by their texts."""
    digest = hashlib.blake2b(digest_size=8)
    for block in page.blocks:
        digest.update(block.text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
