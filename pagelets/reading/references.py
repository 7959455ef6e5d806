"""The references of a page as absolute addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from pagelets.compiled import chosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagelets.tree import Tree

LONGEST_BASE: Final = 2083
"""Characters. All relative links of a page hold its base: a hostile one would multiply the page."""
_PLAIN: Final = re.compile(
    r"(https?://[A-Za-z0-9][A-Za-z0-9.:_-]*(?:/(?!/)|\Z)|/(?![/.?#])|\#|"
    r"(?:\./)?(?:\.\./)*(?![./?#]|[^/?#]*:|[^?#]*//))"
    r"([^\x00-\x20\s\\;?#]*(?:\?[^\x00-\x20\s\\#]+)?(?:\#[^\x00-\x20\s\\]+)?)\Z"
)
"""References that are joined by their beginnings: whole, from the root, of a fragment, from a folder."""
_ELSEWHERE: Final = re.compile(r"(?![Hh][Tt][Tt][Pp][Ss]?:)[A-Za-z][A-Za-z0-9+.-]*:")
"""References that lead to no document of the web: ``mailto:``, ``javascript:``."""
_PATH: Final = re.compile(r"[^?#]*")
_UNKNOWN: Final = ""
"""Marks a reference that cannot be joined without parsing it."""


def joined(reference: str, base: str, origin: str, folders: list[str]) -> str | None:
    """Returns the address that a reference of a plain form leads to, or None; `_UNKNOWN` for another form.

    Args:
        reference: the reference.
        base: the base without its fragment.
        origin: its scheme and host, empty if the base itself has no plain form.
        folders: its folder with those above it, also empty then.

    """
    form = _PLAIN.match(reference)
    if form is None or "/." in form[2]:
        return None if _ELSEWHERE.match(reference) else _UNKNOWN
    start, rest = form.groups()
    if start == "/":
        return origin + reference if origin else _UNKNOWN
    if start == "#":
        return (base + reference if rest else base) if origin else _UNKNOWN
    if start[:1] == "h":
        return reference
    if not reference:
        return base if origin else _UNKNOWN
    if not folders or not rest:
        return _UNKNOWN
    return folders[min(start.count("../"), len(folders) - 1)] + rest


def slashed(reference: str) -> str:
    """Returns a reference with slashes for the backslashes before its query and fragment."""
    return _PATH.sub(lambda path: path[0].replace("\\", "/"), reference, count=1)


def all_joined(
    references: list[str], join: Callable[..., str | None], base: str, origin: str, folders: list[str]
) -> list[str | None]:
    """The address of each of ``references``: ``join`` is `joined`, ``base``, ``origin`` and ``folders`` are
    what it takes.
    """
    return [join(reference, base, origin, folders) for reference in references]


_all_joined = chosen("pagelets.reading.native_walk", all_joined)


class References:
    """Turns the references of one page into absolute addresses, as `urllib.parse.urljoin` does; but before
    query and fragment a backslash is a slash, as in browsers (URL Standard, 4.4).

    Takes the page's base address. The forms that make up nearly all references of a site are joined without
    parsing them.
    """

    __slots__ = ("_base", "_folders", "_origin", "_parsed")

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
        self._parsed: dict[str, str | None] = {}

    def absolute(self, reference: str) -> str | None:
        """The address that ``reference`` (an attribute's value) leads to.

        Returns None where it leads to no document of the web: other schemes, or a malformed address.
        """
        return self.addresses([reference])[0]

    def addresses(self, references: list[str]) -> list[str | None]:
        """The address that each reference leads to, as `absolute`."""
        resolved: list[str | None] = _all_joined(references, joined, self._base, self._origin, self._folders)
        if _UNKNOWN in resolved:
            for at, reference in enumerate(references):
                if resolved[at] == _UNKNOWN:
                    resolved[at] = self._parse(reference)
        return resolved

    def of_links(self, tree: Tree) -> dict[int, str]:
        """The targets of the links of a page, by their elements."""
        hrefs = tree.attribute("href")
        nodes = [node for node in tree.of_tag("a") if node in hrefs]
        addresses = self.addresses([hrefs[node] for node in nodes])
        return {node: address for node, address in zip(nodes, addresses, strict=True) if address is not None}

    def _parse(self, reference: str) -> str | None:
        if reference in self._parsed:
            return self._parsed[reference]
        address = None
        try:
            address = urljoin(self._base, slashed(reference).strip())
            scheme, netloc, *_ = urlsplit(address)
        except ValueError:
            scheme = netloc = ""
        self._parsed[reference] = resolved = address if scheme in ("http", "https") and netloc else None
        return resolved
