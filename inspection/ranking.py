"""The pages of a site, ranked by its links, and the pages that are cited together with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from pagelets.ranking.rankings import QUERIED, RANKINGS, UNQUERIED, Matches, cocited, rank
from pagelets.text.words import words
from settings.errors import ConfigurationError, UnknownName
from store.links import SiteLinks, read_links

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pagelets.methods.base import Subject
    from store.site import Store

_MINIMUM: Final = 1e-6
"""A score below this part of the highest one counts as 0: iteration never quite reaches it."""


@dataclass(slots=True, frozen=True)
class ScoredUrl:
    """A page with its score; what it is compared with is of the same list."""

    url: str
    title: str
    score: float


@dataclass(slots=True, frozen=True)
class RankedPages:
    """The pages of a site by a ``ranking``, best first; ``query`` is None where the whole site was ranked."""

    site: str
    ranking: str
    query: str | None
    pages: list[ScoredUrl]


def rank_pages(
    store: Store,
    read: Callable[[int], Subject],
    name: str | None = None,
    query: str | None = None,
    most: int = 0,
) -> RankedPages:
    """Ranks the pages of a site.

    Args:
        store: the site's store.
        read: reads a page of the store.
        name: a ranking of `pagelets.ranking.rankings.RANKINGS`, None to choose it.
        query: the query to rank for.
        most: the number of pages, 0 for all.

    Raises:
        ConfigurationError: the ranking is unknown, or needs a query, or no page has all words of the query.

    """
    name = name or (UNQUERIED if query is None else QUERIED)
    if name not in RANKINGS:
        raise UnknownName("ranking", name, RANKINGS)
    if RANKINGS[name].matching and query is None:
        raise ConfigurationError(f"ranking {name} filters by a query; give one, --query WORDS")
    site_links = read_links(store.connection, anchors=query is not None)
    matches = None if query is None else matching(site_links, read, query)
    scores = rank(site_links.links, RANKINGS[name], matches)
    return RankedPages(store.name, name, query, _listed(store, site_links, scores, most))


def related_pages(store: Store, page: int, most: int = 0, *, page_weight: float = 0.0) -> list[ScoredUrl]:
    """Lists the pages of a ``store`` that are cited together with a ``page``, the most cited first, at
    ``most`` so many. A page that links to both, in any of its pagelets, counts ``page_weight`` more.
    """
    site_links = read_links(store.connection)
    place = int(site_links.page.searchsorted(page))
    return _listed(store, site_links, cocited(site_links.links, place, page_weight=page_weight), most)


def _listed(store: Store, site_links: SiteLinks, scores: NDArray[np.float64], most: int) -> list[ScoredUrl]:
    least = _MINIMUM * scores.max(initial=0.0)
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if scores[place] > least]
    return [
        ScoredUrl(*store.pages.named(int(site_links.page[place])), float(scores[place]))
        for place in order[: most or None]
    ]


def matching(site_links: SiteLinks, read: Callable[[int], Subject], query: str) -> Matches:
    """Finds the pages and pagelets of a site with all words of a ``query``, given its links with anchors
    (``site_links``) and a function to ``read`` a page of the store. Raises ConfigurationError if no page has
    them.
    """
    wanted = set(words(query))
    if not wanted:
        raise ConfigurationError(f"query {query!r}: it has no word; give one that pages have")
    links = site_links.links
    pages, pagelets = np.zeros(links.pages, bool), np.zeros(len(links.owner), bool)
    first = links.owner.searchsorted(np.arange(links.pages))
    for place, page in enumerate(site_links.page.tolist()):
        subject = read(page)
        texts = [block.text for block in subject.page.blocks]
        folded = "\n".join(texts).casefold()
        if not all(word in folded for word in wanted):
            continue
        met = [set(words(text)) & wanted for text in texts]
        pages[place] = set().union(*met) == wanted
        for position, pagelet in enumerate(subject.pagelets):
            pagelets[first[place] + position] = set().union(*met[pagelet.start : pagelet.stop]) == wanted
    if not pages.any():
        raise ConfigurationError(f"query {query!r}: no page of the site has all of its words")
    counts = np.array([len(set(words(text)) & wanted) for text in site_links.anchors] or [0], np.float64)
    return Matches(pages, pagelets, counts[site_links.anchor] if len(site_links.anchor) else np.zeros(0))
