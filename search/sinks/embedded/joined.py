"""Search in a tantivy index that is open: by pages alone, or by pages and their pagelets at once.

Cai, Yu, Wen & Ma, "Block-based Web Search", SIGIR 2004: the pages that a query finds are ranked anew by
themselves and by the best of their blocks, and the best blocks give words to look for as well. No text of
that paper was at hand: the method is from memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import TYPE_CHECKING, Any, Final, cast

from search.query import Clause, Found, Occur, Query
from search.sink import PAGELETS, unit_id
from search.sinks.embedded.tantivy_index import Analyzer, Searched, original, places, schema
from search.sinks.text.snippets import wanted
from search.sinks.text.words import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import tantivy

    from search.sinks.embedded.layout import Layout, Place

    _Scored = tuple[float, Place]

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


@dataclass(slots=True, frozen=True)
class JoinedSearch:
    """Two indexes of the same fields: one of pages, one of the passages of their pagelets."""

    pages: Searched
    pagelets: Searched

    def search(self, query: Query) -> Found:
        """The pages that a query finds, each with its best pagelet as the unit and for the snippet; the query
        can find some.

        A page's score is between 0 and 1. Which pages are found, the pages decide alone. Their pagelets are
        found by the query itself: words that were added say less of a place than of a page.
        """
        expanded, added = self.expanded(query) if query.expand else (query, ())
        asked, searcher = self.pages.compiled(expanded), self.pages.searcher
        assert asked is not None
        most = min(searcher.num_docs, max(RERANKED, query.offset + query.limit))
        result = searcher.search(asked, most)
        of_hits = places(searcher, [address for _, address in result.hits])
        found = {document: scored for (document, _), scored in zip(of_hits, result.hits, strict=True)}
        best = self._best_pagelets(query, list(found)[:RERANKED])
        ranked = list(joined(_scores(found), _scores(best)).items())
        phrases, all_phrases = (wanted(variant, self.pages.analyzer.words) for variant in (query, expanded))
        hits = []
        for document, score in ranked[query.offset :][: max(0, query.limit)]:
            _, page = found[document]
            if document not in best:
                hits.append(self.pages.hit(page, score, all_phrases))
                continue
            _, pagelet = best[document]
            ((_, position),) = places(self.pagelets.searcher, [pagelet])
            text = original(self.pagelets.searcher.doc(pagelet))
            shown = self.pages.hit(page, score, phrases, text)
            hits.append(replace(shown, unit=unit_id(document, PAGELETS, position)))
        return Found(hits, int(cast("Any", result).count), added)

    def _best_pagelets(self, query: Query, documents: Sequence[str]) -> dict[str, _Scored]:
        """The best pagelet of each document that has one with any word of the query."""
        loose, searcher = self._loosened(query), self.pagelets.searcher
        if loose is None or not documents or not searcher.num_docs:
            return {}
        hits = searcher.search(self.pagelets.within(loose, documents), min(_PAGELETS, searcher.num_docs)).hits
        of_hits = places(searcher, [address for _, address in hits])
        best: dict[str, _Scored] = {}
        for (document, _), scored in zip(of_hits, hits, strict=True):
            best.setdefault(document, scored)
        return best

    def _loosened(self, query: Query) -> tantivy.Query | None:
        """Returns the query for pagelets, which have no columns: clauses that a page must match may be spread
        over several.
        """
        clauses = tuple(
            clause if clause.occur is Occur.NOT else clause._replace(occur=Occur.MAY)
            for clause in query.clauses
        )
        if all(clause.occur is Occur.NOT for clause in clauses):
            return None
        return self.pagelets.compiled(replace(query, clauses=clauses, where=None))

    def expanded(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """Returns the ``query`` with words of its best pagelets, and these words."""
        loose, searcher, words = self._loosened(query), self.pagelets.searcher, self.pagelets.analyzer.words
        size = searcher.num_docs
        if loose is None or not size:
            return query, ()
        hits = searcher.search(loose, min(FEEDBACK, size)).hits
        texts = [original(searcher.doc(address))[:_READ_CHARS] for _, address in hits]
        known = {word for phrase in wanted(query, words) for word in phrase}
        added = words_of(texts, known, words, partial(searcher.doc_freq, "text"), size)
        clauses = [clause._replace(weight=QUERY_WEIGHT) for clause in query.clauses]
        clauses += [Clause(word, Occur.MAY, 1 - rank / ADDED) for rank, word in enumerate(added)]
        return replace(query, clauses=tuple(clauses)), tuple(added)


@dataclass(slots=True, frozen=True)
class OpenedIndex:
    """An index of pages and, where it has one, that of their pagelets."""

    indexes: list[tantivy.Index]
    layout: Layout
    analyzer: Analyzer

    @property
    def is_whole(self) -> bool:
        """True if the index has the fields that it should have."""
        fields = schema(self.layout)
        return all(index.schema == fields for index in self.indexes)

    @property
    def is_empty(self) -> bool:
        """True if the index holds nothing."""
        return not any(index.searcher().num_docs for index in self.indexes)

    def search(self, query: Query) -> Found:
        """The hits of a query, whose columns the index has."""
        pages, *pagelets = (
            Searched(index.searcher(), index.schema, self.analyzer, self.layout) for index in self.indexes
        )
        asked = pages.compiled(query)
        if asked is None or not pages.searcher.num_docs:
            return Found()
        in_order = query.sort or query.everything
        if pagelets and not in_order:
            found = JoinedSearch(pages, pagelets[0]).search(query)
        else:
            scored, total = (_in_order if in_order else _best_first)(query, asked, pages)
            phrases = wanted(query, self.analyzer.words)
            found = Found([pages.hit(place, score, phrases) for score, place in scored], total)
        counts = {column.name: self.layout.counts(pages.searcher, asked, column) for column in query.counts}
        return replace(found, counts=counts)


def _best_first(query: Query, asked: tantivy.Query, pages: Searched) -> tuple[list[_Scored], int]:
    """The hits asked for, and the number of all."""
    # Places for as many hits are made at once.
    limit, offset = (min(most, pages.searcher.num_docs) for most in (query.limit, query.offset))
    result = pages.searcher.search(asked, max(1, limit), offset=offset)
    hits = [(float(score), place) for score, place in result.hits[: max(0, limit)]]
    return hits, int(cast("Any", result).count)


def _in_order(query: Query, asked: tantivy.Query, pages: Searched) -> tuple[list[_Scored], int]:
    """As `_best_first`, in the order of a column, or of URLs."""
    every = pages.layout.ordered(pages.searcher, asked, query.sort)
    return [(0.0, place) for place in every[query.offset :][: max(0, query.limit)]], len(every)


def _scores(found: Mapping[str, _Scored]) -> dict[str, float]:
    return {document: score for document, (score, _) in found.items()}


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
