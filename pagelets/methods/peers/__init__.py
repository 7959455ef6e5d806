"""Extractors by others, by name: they work on the HTML of one page, and give text instead of a mask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagelets.methods.peers.base import Peer, PeerMissing
from pagelets.methods.peers.justext import JusText
from pagelets.methods.peers.readability import Readability
from pagelets.methods.peers.resiliparse import Resiliparse
from pagelets.methods.peers.trafilatura import Trafilatura

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PEERS", "Peer", "PeerMissing"]

PEERS: Final[Mapping[str, Peer]] = {
    "justext": JusText(),
    "readability": Readability(),
    "resiliparse": Resiliparse(),
    "trafilatura": Trafilatura(),
    "trafilatura-no-comments": Trafilatura(comments=False),
    "trafilatura-recall": Trafilatura(favor_recall=True),
}
