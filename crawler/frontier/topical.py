"""The pages of a crawl that have words of a topic, and what the links of these are worth."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pagelets.ranking.graph import Links
from pagelets.ranking.rankings import Relevance, distil
from pagelets.ranking.relevance import Topic, bm25, idf
from pagelets.text import words
from store.links import StoredPagelets, links_to_due, mean_words, pagelets_of

MOST_PAGES: Final = 2000
"""Of so many pages, the most relevant ones, the links are looked at."""


class TopicalPages:
    """Takes note of the words that fetched pages have of a topic.

    The numbers of words by page and pagelet are held in memory, those of the `MOST_PAGES` most relevant
    pages; of all others only how many have each word.
    """

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        # Pages come in the one thread, and are looked at in another.
        self._come: deque[tuple[int, dict[int, NDArray[np.float64]]]] = deque()
        self._counts: dict[int, dict[int, NDArray[np.float64]]] = {}
        self._forgotten = np.zeros(len(topic))
        self._relevant = 0
        self._average, self._weights = 0.0, topic.weights
        self._best_page = self._best_pagelet = 0.0

    @property
    def relevant(self) -> int:
        """The number of pages with a word of the topic outside of templates, as far as these were known."""
        return self._relevant + sum(bool(topic_counts) for _, topic_counts in self._come)

    def see(self, page: int, pagelets: Sequence[str]) -> NDArray[np.float64] | None:
        """Takes the texts of the p pagelets of a page; returns how well each of them fits the topic, and half
        of how well the page does: float64[p] from 0 to 1.5, None where none has a word of it.

        That is by the pages before the last look, which `priorities` puts right.
        """
        topic_counts = {
            place: counts
            for place, text in enumerate(pagelets)
            if (counts := self.topic.counts(text)) is not None
        }
        if topic_counts or page in self._counts:
            self._come.append((page, topic_counts))
        if not topic_counts:
            return None
        lengths = words.counts(pagelets)
        counts = np.zeros((len(pagelets) + 1, len(self.topic)))
        counts[list(topic_counts)] = list(topic_counts.values())
        counts[-1] = counts.sum(axis=0)
        scores = bm25(counts, np.append(lengths, lengths.sum()), self._average, self._weights)
        self._best_page = max(self._best_page, float(scores[-1]))
        self._best_pagelet = max(self._best_pagelet, float(scores[:-1].max()))
        fits: NDArray[np.float64] = scores[:-1] / self._best_pagelet + scores[-1] / self._best_page / 2
        return fits

    def fit(self, anchor: str) -> float:
        """Scores the text of an anchor by the topic, from 0 to 1."""
        has = self.topic.counts(anchor)
        return 0.0 if has is None else float(self._weights[has > 0].sum() / self._weights.sum())

    def priorities(
        self, connection: sqlite3.Connection, pages: int, templates: Collection[int]
    ) -> Mapping[int, float]:
        """Returns the due URLs that relevant pagelets lead to, each with its priority above 0.

        Args:
            connection: a connection to the store.
            pages: the number of fetched pages.
            templates: the sketches of templates, which do not count.

        """
        while self._come:
            page, topic_counts = self._come.popleft()
            self._counts[page] = topic_counts
        stored = pagelets_of(connection, self._counts)
        template = np.isin(stored.sketch, np.fromiter(templates, np.int64, len(templates)))
        counts = self._counts_of(stored)
        counts[template] = 0
        ids, owner = np.unique(stored.page, return_inverse=True)
        of_pages = np.zeros((len(ids), len(self.topic)))
        np.add.at(of_pages, owner, counts)
        having = self._forgotten + (of_pages > 0).sum(axis=0)
        weights = self._weights = self.topic.weights * idf(max(pages, int(having.max())), having)
        average = self._average = mean_words(connection, pages, templates)
        lengths = np.bincount(owner, np.where(template, 0, stored.words), len(ids)).astype(np.float64)
        of_page = bm25(of_pages, lengths, average, weights)
        of_pagelet = bm25(counts, stored.words.astype(np.float64), average, weights)
        self._best_page = float(of_page.max(initial=0.0))
        self._best_pagelet = float(of_pagelet.max(initial=0.0))
        self._relevant = int(np.count_nonzero(of_page)) + int(self._forgotten.max())
        self._forget(ids, of_pages, of_page)
        wanted = ~template & (of_page[owner] > 0)
        return self._distilled(connection, stored, owner, wanted, of_page, of_pagelet)

    def _counts_of(self, stored: StoredPagelets) -> NDArray[np.float64]:
        counts = np.zeros((len(stored.page), len(self.topic)))
        for row, (page, position) in enumerate(
            zip(stored.page.tolist(), stored.position.tolist(), strict=True)
        ):
            topic_counts = self._counts[page].get(position)
            if topic_counts is not None:
                counts[row] = topic_counts
        return counts

    def _forget(
        self, ids: NDArray[np.int64], counts: NDArray[np.float64], relevance: NDArray[np.float64]
    ) -> None:
        order = np.argsort(-relevance, kind="stable")[MOST_PAGES:]
        self._forgotten += (counts[order] > 0).sum(axis=0)
        for page in ids[order].tolist():
            del self._counts[page]

    def _distilled(
        self,
        connection: sqlite3.Connection,
        stored: StoredPagelets,
        owner: NDArray[np.int64],
        wanted: NDArray[np.bool_],
        of_page: NDArray[np.float64],
        of_pagelet: NDArray[np.float64],
    ) -> dict[int, float]:
        rows = np.flatnonzero(wanted)
        fragments, inverse = np.unique(stored.fragment[rows], return_inverse=True)
        source, target, anchors = links_to_due(connection, fragments.tolist())
        if not len(target):
            return {}
        fits = {anchor: self.fit(anchor) for anchor in dict.fromkeys(anchors)}
        targets, goal = np.unique(target, return_inverse=True)
        # First the fetched pages, then the due ones; links are taken from each pagelet's fragment.
        link, pagelet = _joined(fragments.searchsorted(source), inverse, len(fragments))
        links = Links(
            len(of_page) + len(targets),
            owner[rows],
            np.zeros(len(rows), bool),
            pagelet,
            len(of_page) + goal[link],
        )
        relevance = Relevance(
            np.concatenate([of_page, np.zeros(len(targets))]),
            of_pagelet[rows],
            np.array([fits[anchor] for anchor in anchors])[link],
        )
        scores = distil(links, relevance)[len(of_page) :]
        return {
            page: score for page, score in zip(targets.tolist(), scores.tolist(), strict=True) if score > 0
        }


def _joined(
    of_link: NDArray[np.intp], of_pagelet: NDArray[np.intp], fragments: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each pair of a link and a pagelet that are of the same fragment: their numbers."""
    order = np.argsort(of_link, kind="stable")
    counts = np.bincount(of_link, minlength=fragments)
    starts = counts.cumsum() - counts
    each = counts[of_pagelet]
    pagelet = np.repeat(np.arange(len(of_pagelet)), each)
    within = np.arange(each.sum()) - np.repeat(each.cumsum() - each, each)
    return order[starts[of_pagelet][pagelet] + within], pagelet
