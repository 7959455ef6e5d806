"""Search by pages and by their pagelets at once, in two tantivy indexes.

Cai, Yu, Wen & Ma, "Block-based Web Search", SIGIR 2004: the pages that a query finds are ranked anew by
themselves and by the best of their blocks, and the best blocks give words to look for as well. No text of
that paper was at hand: the method is from memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from search.query import Clause, Found, Hit, Occur, Query
from search.sink import PAGELETS, unit_id
from search.sinks.embedded.tantivy_index import Analyzer, compiled, hit, original, places, within
from search.sinks.text.snippets import wanted
from search.sinks.text.words import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import tantivy

    from search.sinks.embedded.layout import Layout

RERANKED: Final = 200
"""The pages, best first, whose pagelets are looked at; those behind them follow in the order of pages."""
_PAGELETS: Final = 1000
"""The pagelets of these that have a score. There may be pages of any number of them."""

PAGE_WEIGHT: Final = 0.5
"""What the page itself counts beside its best pagelet, chosen on half of the sites of docs/benchmarks.md. The
paper adds up ranks in this way; scores, each as a share of the best, answer better.
"""
FEEDBACK: Final = 3
"""The best pagelets, which words are taken from, chosen in the same way."""
ADDED: Final = 10
"""Words that are looked for as well: as many as in the paper. The first weighs 1, each a tenth less."""
QUERY_WEIGHT: Final = 2.0
"""Of what the query itself says then, as in the paper."""
_READ_CHARS: Final = 20_000
"""Of a pagelet, for its words."""


class Scored(NamedTuple):
    """The result of a query: the pages with their scores, best first, and their places; of the first of these
    the score and the place of the best pagelet; and the number of all pages.
    """

    pages: dict[str, float]
    places: dict[str, tantivy.DocAddress]
    pagelets: dict[str, float]
    best: dict[str, tantivy.DocAddress]
    total: int


@dataclass(slots=True, frozen=True)
class JoinedSearch:
    """Two indexes of the same fields: one of pages, one of the passages of their pagelets."""

    pages: tantivy.Searcher
    pagelets: tantivy.Searcher
    fields: tantivy.Schema
    analyzer: Analyzer
    layout: Layout

    def search(self, query: Query) -> Found:
        """The pages that a query finds, each with its best pagelet as the unit and for the snippet.

        A page's score is between 0 and 1. Which pages are found, the pages decide alone.
        """
        expanded, added = self.expanded(query) if query.expand else (query, ())
        scored = self.scored(query, expanded)
        phrases, all_phrases = (wanted(variant, self.analyzer.words) for variant in (query, expanded))
        ranked = list(joined(scored.pages, scored.pagelets).items())
        shown = ranked[query.offset :][: max(0, query.limit)]
        hits = [
            self._hit(document, score, scored, phrases if document in scored.best else all_phrases)
            for document, score in shown
        ]
        return Found(hits, scored.total, added)

    def scored(self, query: Query, expanded: Query) -> Scored:
        """The pages that an expanded query finds, and their pagelets by the query itself: words that were
        added say less of a place than of a page.
        """
        asked = compiled(expanded, self.fields, self.analyzer, self.pages, self.layout)
        size = self.pages.num_docs
        if asked is None or not size:
            return Scored({}, {}, {}, {}, 0)
        result = self.pages.search(asked, min(size, max(RERANKED, query.offset + query.limit)))
        addresses = [address for _, address in result.hits]
        ids = [document for document, _ in places(self.pages, addresses)]
        pagelets, best = self._best_pagelets(query, ids[:RERANKED])
        scores = (score for score, _ in result.hits)
        return Scored(
            dict(zip(ids, scores, strict=True)),
            dict(zip(ids, addresses, strict=True)),
            pagelets,
            best,
            int(cast("Any", result).count),
        )

    def _hit(self, document: str, score: float, scored: Scored, phrases: Sequence[tuple[str, ...]]) -> Hit:
        stored = self.pages.doc(scored.places[document])
        if document not in scored.best:
            return hit(stored, score, phrases, self.analyzer)
        place = scored.best[document]
        ((_, position),) = places(self.pagelets, [place])
        shown = hit(stored, score, phrases, self.analyzer, original(self.pagelets.doc(place)))
        return replace(shown, unit=unit_id(document, PAGELETS, position))

    def _best_pagelets(
        self, query: Query, documents: Sequence[str]
    ) -> tuple[dict[str, float], dict[str, tantivy.DocAddress]]:
        """Of each document the score and the place of its best pagelet, of those that have one with any word
        of the query.
        """
        scores: dict[str, float] = {}
        best: dict[str, tantivy.DocAddress] = {}
        loose = self._loosened(query)
        if loose is None or not documents or not self.pagelets.num_docs:
            return scores, best
        of_these = within(loose, documents, self.fields)
        hits = self.pagelets.search(of_these, min(_PAGELETS, self.pagelets.num_docs)).hits
        of_hits = places(self.pagelets, [address for _, address in hits])
        for (document, _), (score, address) in zip(of_hits, hits, strict=True):
            if document not in scores:
                scores[document], best[document] = score, address
        return scores, best

    def _loosened(self, query: Query) -> tantivy.Query | None:
        """Returns the query for pagelets: clauses that a page must match may be spread over several."""
        clauses = tuple(
            clause if clause.occur is Occur.NOT else clause._replace(occur=Occur.MAY)
            for clause in query.clauses
        )
        if all(clause.occur is Occur.NOT for clause in clauses):
            return None
        return compiled(replace(query, clauses=clauses), self.fields, self.analyzer, self.pagelets)

    def expanded(self, query: Query, feedback: int = FEEDBACK) -> tuple[Query, tuple[str, ...]]:
        """Returns the ``query`` with words of its best pagelets, ``feedback`` of them, and these words."""
        loose = self._loosened(query)
        size = self.pagelets.num_docs
        if loose is None or not size:
            return query, ()
        hits = self.pagelets.search(loose, min(feedback, size)).hits
        texts = [original(self.pagelets.doc(address))[:_READ_CHARS] for _, address in hits]
        known = {word for phrase in wanted(query, self.analyzer.words) for word in phrase}
        added = words_of(texts, known, self.analyzer.words, self._frequency, size)
        clauses = [clause._replace(weight=QUERY_WEIGHT) for clause in query.clauses]
        clauses += [Clause(word, Occur.MAY, 1 - rank / ADDED) for rank, word in enumerate(added)]
        return replace(query, clauses=tuple(clauses)), tuple(added)

    def _frequency(self, word: str) -> int:
        return self.pagelets.doc_freq("text", word)


def joined(
    pages: Mapping[str, float], pagelets: Mapping[str, float], page_weight: float = PAGE_WEIGHT
) -> dict[str, float]:
    """The scores of pages joined with those of their best pagelets, best first: the mean of both, each as a
    share of the highest of its kind, with ``page_weight`` for the page's.

    A page without a pagelet has 0 for one. Pages of equal scores stay in order.
    """
    most = max(pages.values(), default=0.0) or 1.0
    most_of_pagelets = max(pagelets.values(), default=0.0) or 1.0
    scores = {
        page: page_weight * score / most + (1 - page_weight) * pagelets.get(page, 0.0) / most_of_pagelets
        for page, score in pages.items()
    }
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def words_of(
    texts: Sequence[str],
    known: Iterable[str],
    words: Callable[[str], Sequence[str]],
    frequency: Callable[[str], int],
    size: int,
) -> list[str]:
    """The `ADDED` words that tell some texts best from all others, best first, as the texts have them.

    A word is worth ``r / R * w``, where r of the R texts have it and w is its weight by Robertson and Sparck
    Jones ("On term selection for query expansion", Journal of Documentation 46, 1990; from memory). Numbers
    and single characters do not count, so that scripts without spaces between words give nothing.

    Args:
        texts: the R texts.
        known: the words to leave out.
        words: returns the words of a text.
        frequency: returns the number of texts with a word.
        size: the number of all texts.

    """
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in texts:
        text_words: set[str] = set()
        for run in {run[0]: None for run in RUN.finditer(text)}:
            run_words = words(run)
            if len(run_words) == 1 and len(run_words[0]) > 1 and any(map(str.isalpha, run_words[0])):
                text_words.add(run_words[0])
                written.setdefault(run_words[0], run.lower())
        counts.update(text_words)
    for word in known:
        counts.pop(word, None)
    total = len(texts)

    def worth(word: str) -> float:
        r = counts[word]
        n = max(frequency(word), r)
        others = max(size - n - total + r, 0)
        return r / total * log((r + 0.5) * (others + 0.5) / ((total - r + 0.5) * (n - r + 0.5)))

    worths = {word: worth(word) for word in counts}
    best = sorted((word for word in worths if worths[word] > 0), key=lambda word: (-worths[word], word))
    return [written[word] for word in best[:ADDED]]
