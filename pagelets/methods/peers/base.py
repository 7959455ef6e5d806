"""What a peer is: an extractor of main text that sees one page, and nothing of its site."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from types import ModuleType


class PeerMissing(ImportError):
    """Raised where the package of a peer is not installed; the text names it and the mend."""


class Peer(Protocol):
    """Extracts the main text of one page.

    ``package`` is what provides it, as ``pip`` calls it. It is imported when it is first used, so that a
    crawl needs none of the peers.
    """

    package: ClassVar[str]

    def load(self) -> None:
        """Imports the package. Raises PeerMissing where it is not installed."""
        ...

    def extract(self, html: str, url: str) -> str:
        """The main text of a page, given its decoded HTML and its address; empty where it finds none.

        Raises PeerMissing, and whatever the package raises on a page that it cannot read.
        """
        ...


def imported(module: str, package: str) -> ModuleType:
    """A module of a peer's package. Raises PeerMissing where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise PeerMissing(f"{package} is not installed ({error}): pip install {package}") from error
