"""A tantivy index that is open for reading, and what a query finds in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from search.query import Found, Query
from search.sinks.embedded.joined import JoinedSearch
from search.sinks.embedded.tantivy_index import Analyzer, compiled, hit, schema
from search.sinks.text.snippets import wanted

if TYPE_CHECKING:
    import tantivy

    from search.sinks.embedded.layout import Layout


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
        searcher, *of_pagelets = (index.searcher() for index in self.indexes)
        fields = self.indexes[0].schema
        asked = compiled(query, fields, self.analyzer, searcher, self.layout)
        if asked is None or not searcher.num_docs:
            return Found()
        if query.sort or query.everything:
            result = self._in_order(query, asked, searcher)
        elif of_pagelets:
            result = JoinedSearch(searcher, of_pagelets[0], fields, self.analyzer, self.layout).search(query)
        else:
            result = self._best_first(query, asked, searcher)
        return replace(
            result,
            counts={column.name: self.layout.counts(searcher, asked, column) for column in query.counts},
        )

    def _best_first(self, query: Query, asked: tantivy.Query, searcher: tantivy.Searcher) -> Found:
        # Places for as many hits are made at once.
        limit, offset = min(query.limit, searcher.num_docs), min(query.offset, searcher.num_docs)
        result = searcher.search(asked, max(1, limit), offset=offset)
        phrases = wanted(query, self.analyzer.words)
        hits = [
            hit(searcher.doc(place), float(score), phrases, self.analyzer)
            for score, place in result.hits[: max(0, limit)]
        ]
        return Found(hits, int(cast("Any", result).count))

    def _in_order(self, query: Query, asked: tantivy.Query, searcher: tantivy.Searcher) -> Found:
        """The hits in the order of a column, or of their URLs."""
        places = self.layout.ordered(searcher, asked, query.sort)
        phrases = wanted(query, self.analyzer.words)
        shown = places[query.offset :][: max(0, query.limit)]
        return Found([hit(searcher.doc(place), 0.0, phrases, self.analyzer) for place in shown], len(places))
