"""Alternative texts of pictures."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from pagelets.reading.elements import PICTURE_TAGS
from pagelets.reading.references import References

if TYPE_CHECKING:
    from pagelets.page import Page

_NEAR: Final = 8
"""Elements around a picture among which its link is looked for."""


def pictured(page: Page) -> dict[str, str]:
    """Returns the first alternative text of the pictures in links to an address, by address."""
    tree, references, texts = page.tree, References(page.base), dict[str, str]()
    for picture in chain.from_iterable(map(tree.of_tag, PICTURE_TAGS)):
        if text := " ".join((tree.get(picture, "alt") or "").split()):
            around = [node for node in islice(tree.ancestors(picture), _NEAR) if tree.tags[node] == "a"]
            for address in references.addresses(
                [href for node in around if (href := tree.get(node, "href"))]
            ):
                texts.setdefault(address or "", text)
    return texts
