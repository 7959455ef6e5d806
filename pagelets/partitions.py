"""Ways of cutting a page into pagelets, by name: by links (`pagelets.partition`), and published ones besides.

A published one is imported when it first cuts a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, cast

from pagelets.partition import DEFAULT_K, Pagelet, partition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pagelets.page import Page

LINKS: Final = "k-links"

_MODULE: Final = "pagelets.literature.partitions.segmentation"
_PUBLISHED: Final = ("fixed", "dom", "vips", "combps")
"""Partitions by the names of their functions there."""

PARTITIONS: Final = (LINKS, *_PUBLISHED)
"""The names of all partitions."""

SEEN: Final = frozenset({"vips", "combps"})
"""Those that look at the boxes of a page that was rendered."""

_SEEN_VERSION: Final = 2
"""Raised with each change of what they find, so that stores derive their pagelets again."""


@dataclass(slots=True, frozen=True)
class Partition:
    """A way of cutting pages: its name, and the links that make a pagelet, which `LINKS` alone asks for.

    Raises ValueError where there is none of that name, or ``k`` is less than 1.
    """

    name: str = LINKS
    k: int = DEFAULT_K

    def __post_init__(self) -> None:
        if self.name not in PARTITIONS:
            raise ValueError(f"partition={self.name!r}: there are {', '.join(PARTITIONS)}")
        if not isinstance(self.k, SupportsIndex):
            raise TypeError(f"k: {type(self.k).__name__}; give int")
        if self.k < 1:
            raise ValueError(f"k={self.k}: a pagelet takes at least 1 link")

    def __call__(self, page: Page) -> list[Pagelet]:
        """The pagelets of a page, in document order: their slices cover its blocks exactly. They are made
        once, as a crawl asks when it records a page and when it judges it.
        """
        if page.cut is None or page.cut[0] != self:
            page.cut = self, partition(page, self.k) if self.name == LINKS else _published(self.name)(page)
        return page.cut[1]

    @property
    def parameters(self) -> dict[str, Any]:
        """What pagelets depend on, as JSON takes it: equal for partitions that cut alike."""
        if self.name == LINKS:
            return {"k": self.k}
        return {"partition": self.name} | ({"seen": _SEEN_VERSION} if self.name in SEEN else {})

    @classmethod
    def made_with(cls, parameters: Mapping[str, Any]) -> Partition:
        """The partition of `parameters`, among which may be others."""
        return cls(parameters.get("partition", LINKS), parameters.get("k", DEFAULT_K))


DEFAULT: Final = Partition()
"""The partition of those who choose none: by 3 links."""


@cache
def _published(name: str) -> Callable[[Page], list[Pagelet]]:
    return cast("Callable[[Page], list[Pagelet]]", getattr(import_module(_MODULE), name))
