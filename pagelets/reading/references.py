"""The references of a page as absolute addresses."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

LONGEST_BASE: Final = 2083
"""Characters. All relative links of a page hold its base: a hostile one would multiply the page."""
_PLAIN: Final = re.compile(
    r"(https?://[A-Za-z0-9][A-Za-z0-9.:_-]*/(?!/)|/(?![/.?#])|\#|(?:\.\./)*(?![./?#]|[^/?#]*:|[^?#]*//))"
    r"([^\x00-\x20\s\\;?#]*(?:\?[^\x00-\x20\s\\#]+)?(?:\#[^\x00-\x20\s\\]+)?)\Z"
)
"""References that joining leaves as they are: whole, from the root, of a fragment, relative to a folder."""


class References:
    """Turns the references of one page into absolute addresses, as `urllib.parse.urljoin` does.

    Takes the page's base address. The forms that make up nearly all references of a site are joined without
    parsing them.
    """

    __slots__ = ("_base", "_folders", "_origin")

    def __init__(self, base: str) -> None:
        self._base = base.partition("#")[0]
        path = self._base.partition("?")[0]
        form = _PLAIN.match(self._base)
        plain = form is not None and form[1].startswith("http") and "/." not in path
        self._origin = "/".join(path.split("/", 3)[:3]) if plain else ""
        # The page's own folder first, then those above it, the root last.
        self._folders: list[str] = []
        if plain and len(path) <= LONGEST_BASE and "//" not in path[len(self._origin) :]:
            folder = path[: path.rfind("/") + 1]
            while len(folder) > len(self._origin):
                self._folders.append(folder)
                folder = folder[: folder.rfind("/", 0, -1) + 1]

    def absolute(self, reference: str) -> str | None:
        """The address that ``reference`` (an attribute's value) leads to.

        Returns None where it leads to no document of the web: other schemes, or a malformed address.
        """
        form = _PLAIN.match(reference)
        if form is not None and "/." not in form[2]:
            start = form[1]
            if start == "/":
                if self._origin:
                    return self._origin + reference
            elif start == "#":
                if self._origin:
                    return self._base + reference if form[2] else self._base
            elif start and start[0] == "h":
                return reference
            elif self._folders and form[2]:
                ups = min(len(start) // 3, len(self._folders) - 1)
                return self._folders[ups] + form[2]
        try:
            address = urljoin(self._base, reference.strip())
            scheme, netloc, *_ = urlsplit(address)
        except ValueError:
            return None
        return address if scheme in ("http", "https") and netloc else None
