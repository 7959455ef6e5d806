"""Elements that are mostly links go: what is counted of blocks and links, and two methods by it.

LQF, the link quota filter: Mantratzis, Orgun & Cassidy, "Separating XHTML Content from Navigation Clutter
Using DOM-Structure Block Analysis", Hypertext 2005; the name and the quotas 0.25, 0.5 and 0.75 are Gottron's
("Evaluating Content Extraction on HTML Documents", ITA 2007).
Crunch, by which a page's tree is passed through filters, each of which takes out one kind of clutter: Gupta,
Kaiser, Neistadt & Grimm, "DOM-based Content Extraction of HTML Documents", WWW 2003, Section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagelets.methods.base import Parameters, Subject, Verdict
from pagelets.text.words import counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pagelets.containers import Containers
    from pagelets.page import Page

Floats: TypeAlias = NDArray[np.float64]

LINKS: Final = "links"
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


class LinkedWords(NamedTuple):
    """The words of a page of b blocks: ``words`` float64[b] of each block, ``linked`` float64[b] of them in
    links; ``of_link`` float64 of each link, ``blocks`` int64 the block of each link.
    """

    words: Floats
    linked: Floats
    of_link: Floats
    blocks: NDArray[np.int64]


def linked_words(page: Page, containers: Containers) -> LinkedWords:
    """Counts the words of a page's blocks and links; takes its containers."""
    links, size = page.links, len(page.blocks)
    word_counts = counts([*(block.text for block in page.blocks), *(link.text for link in links)])
    words, of_link = word_counts[:size], word_counts[size:]
    blocks = np.fromiter([link.block for link in links], np.int64, len(links))
    linked = np.bincount(blocks, of_link, size)[:size]
    links_around = containers.numbered({"a": 1}) == 1
    if links_around.any():
        # A link around blocks has the text of all of them, and stands in one.
        hrefs = page.tree.attribute("href")
        around = containers.mask([node for node in containers.nodes[links_around].tolist() if node in hrefs])
        linked = np.where(around, words, linked)
    return LinkedWords(words, np.minimum(linked, words), of_link, blocks)


def scores(
    containers: Containers, candidates: NDArray[np.bool_], parts: Floats, wholes: Floats, most: float
) -> Floats:
    """Returns how far each of b blocks lies from the elements that go: float64[b], below 0.5 where it goes.

    An element goes where its ``parts`` are more than ``most`` times its ``wholes`` (float64[b] each, summed
    over its blocks) and it is one of the ``candidates`` (bool[n] over the containers). Inner elements go
    first, and count no more in those around them. Linear in the number of containers.
    """
    count = len(containers.nodes)
    parent, candidate = containers.parent.tolist(), candidates.tolist()
    part = np.bincount(containers.of_block, parts, count).tolist()
    whole = np.bincount(containers.of_block, wholes, count).tolist()
    distances = [1.0] * count
    # Parents stand before their children.
    for place in range(count - 1, -1, -1):
        amount, around = part[place], parent[place]
        if candidate[place] and amount > 0:
            allowed = most * whole[place]
            distances[place] = allowed / (allowed + amount)
            if amount > allowed:
                continue
        if place:
            part[around] += amount
            whole[around] += whole[place]
    for place in range(1, count):
        distances[place] = min(distances[place], distances[parent[place]])
    return np.array(distances)[containers.of_block]


@dataclass(frozen=True)
class LqfMethod(Parameters):
    """Drops each element of whose words more than ``quota`` stand in links, with all that is in it.

    The papers were not at hand: the quotas are from memory. The choices of ours: text is counted in words; an
    element is measured by what is left of it when elements inside it have gone; the root and the body never
    go.
    """

    cite: ClassVar[str] = (
        "Mantratzis, Orgun & Cassidy, Separating XHTML Content from Navigation Clutter Using DOM-Structure "
        "Block Analysis, Hypertext 2005"
    )
    quota: float = 0.5

    def judge(self, subject: Subject) -> Verdict:
        """A mask that is false on elements that are mostly links; a score of 0.5 is at the quota."""
        containers = subject.containers
        counted = linked_words(subject.page, containers)
        # With the root or the body all of the page would go.
        inner = containers.numbered({"html": 1, "body": 1}) == 0
        block_scores = scores(containers, inner, counted.linked, counted.words, self.quota)
        return Verdict.of(block_scores >= 0.5, block_scores, LINKS)


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
        return Verdict.of(block_scores >= 0.5, block_scores, CLUTTER)


def _advertised(urls: Iterable[str], hosts: Iterable[str]) -> NDArray[np.bool_]:
    """Marks the addresses at some hosts, or at hosts below them."""
    ends = tuple(f".{host}" for host in hosts)
    url_hosts = [url.split("/", 3)[2] if url.count("/") > 1 else "" for url in urls]
    known = {host: f".{host}".lower().partition(":")[0].endswith(ends) for host in set(url_hosts)}
    return np.array([known[host] for host in url_hosts], bool)
