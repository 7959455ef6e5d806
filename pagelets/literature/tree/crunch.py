"""Crunch: a page's tree is passed through filters, each of which takes out one kind of clutter.

Gupta, Kaiser, Neistadt & Grimm, "DOM-based Content Extraction of HTML Documents", WWW 2003, Section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from pagelets.literature.tree.linked import linked_words, scores, verdict
from pagelets.methods.base import Parameters, Subject, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


CLUTTER: Final = "clutter"

AD_HOSTS: Final = (
    "2mdn.net", "33across.com", "adform.net", "adnxs.com", "adroll.com", "adservice.google.com", "adsrvr.org",
    "advertising.com", "amazon-adsystem.com", "atdmt.com", "bidswitch.net", "buysellads.com", "carbonads.net",
    "casalemedia.com", "criteo.com", "doubleclick.net", "exoclick.com", "fastclick.net",
    "googleadservices.com", "googlesyndication.com", "indexexchange.com", "media.net", "mgid.com",
    "moatads.com", "openx.net", "outbrain.com", "popads.net", "propellerads.com", "pubmatic.com",
    "quantserve.com", "revcontent.com", "rubiconproject.com", "scorecardresearch.com", "sharethrough.com",
    "smartadserver.com", "taboola.com", "teads.tv", "tradedoubler.com", "valueclick.com", "zedo.com",
)  # fmt: skip
"""Hosts that serve advertisements; those below them count, too."""

_CELLS: Final = (
    "td", "th", "aside", "div", "dl", "footer", "form", "header", "li", "nav", "ol", "section", "ul",
)  # fmt: skip


@dataclass(frozen=True)
class CrunchMethod(Parameters):
    """Drops what leads to advertisers, cells with many links for their words, and then tables left empty.

    A cell goes where it has more links than ``ratio`` times the words outside links. A link goes whose host
    is one of ``ads`` or below it. A table goes that has fewer than ``least`` words left. Scripts, styles and
    pictures have no visible text anyhow. The paper's cells stand in tables: ``cells`` has the elements that
    do their work today, too. Only the beginning of the paper was at hand: ``ratio`` is from memory. The
    choices of ours: inner elements go first, and count no more in those around them; the list of hosts, and
    ``least``.
    """

    cite: ClassVar[str] = (
        "Gupta, Kaiser, Neistadt & Grimm, DOM-based Content Extraction of HTML Documents, WWW 2003"
    )
    ratio: float = 0.35
    least: int = 1
    cells: tuple[str, ...] = _CELLS
    ads: tuple[str, ...] = AD_HOSTS

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on clutter; a score of 0.5 is at the ratio."""
        page, containers = subject.page, subject.containers
        counted = linked_words(page, containers)
        size = len(page.blocks)
        advertised = _advertised([link.url for link in page.links], self.ads)
        bought = np.bincount(counted.blocks[advertised], counted.of_link[advertised], size)[:size]
        words = np.maximum(counted.words - bought, 0)
        plain = counted.words - counted.linked
        links = np.bincount(counted.blocks[~advertised], minlength=size)[:size].astype(np.float64)
        cells = containers.numbered(dict.fromkeys(self.cells, 1)) == 1
        block_scores = scores(containers, cells, links, plain, self.ratio)
        block_scores[(bought > 0) & (words == 0)] = 0
        kept = np.where(block_scores >= 0.5, words, 0)
        tables = containers.numbered({"table": 1}) == 1
        few = tables & (containers.sums(kept) < self.least)
        block_scores[few[containers.nearest(few)[containers.of_block]]] = 0
        return verdict(block_scores, CLUTTER)


def _advertised(urls: Iterable[str], hosts: Iterable[str]) -> NDArray[np.bool_]:
    """Marks the addresses at some hosts, or at hosts below them."""
    ends = tuple(f".{host}" for host in hosts)
    known: dict[str, bool] = {}
    marks = []
    for url in urls:
        host = url.split("/", 3)[2] if url.count("/") > 1 else ""
        if host not in known:
            known[host] = f".{host}".lower().partition(":")[0].endswith(ends)
        marks.append(known[host])
    return np.array(marks, bool)
