"""A search index of a site's texts: fields, words and ranking are those of the default sink."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import tantivy

from pagelets.document import content_hash
from search.query import Query
from search.sink import Unit, document_id
from search.sinks.embedded.tantivy_index import Analyzer, compiled, entry, schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_HEAP: Final = 256_000_000
"""Enough for all texts of a site to become one segment."""
_FETCHED: Final = "2000-01-01T00:00:00+00:00"


class Results(NamedTuple):
    """The URLs that a query found, best first, and the seconds until they were ranked."""

    urls: list[str]
    seconds: float


class SearchIndex:
    """The texts of a site by URL, in an index of one segment in ``folder``; with them the pages' titles by
    URL, where some are given. Nothing else that is searched differs from page to page.
    """

    def __init__(
        self, folder: Path, site: str, texts: Mapping[str, str], titles: Mapping[str, str] | None = None
    ) -> None:
        self._folder = folder
        # A segment numbers its documents in the order in which they came.
        self._urls = sorted(texts)
        self._schema = schema()
        self._analyzer = Analyzer("")
        units = (_unit(site, url, (titles or {}).get(url, ""), texts[url]) for url in self._urls)
        self._searcher = searcher_of(folder, units, self._schema, self._analyzer)

    @property
    def size(self) -> int:
        """Bytes of the index on disk."""
        return sum(path.stat().st_size for path in self._folder.iterdir())

    def search(self, words: Sequence[str], limit: int) -> Results:
        """What has any of the words, ranked as ``scrapy search`` ranks."""
        started = perf_counter()
        query = Query.parse(" ".join(words))
        asked = compiled(query, self._schema, self._analyzer, self._searcher)
        found = self._searcher.search(asked, limit).hits if asked is not None else []
        seconds = perf_counter() - started
        return Results([self._urls[address.doc] for _, address in found], seconds)


def searcher_of(
    folder: Path, units: Iterable[Unit], fields: tantivy.Schema, analyzer: Analyzer
) -> tantivy.Searcher:
    """Searches a new index of units in ``folder``, of one segment."""
    index = tantivy.Index(fields, str(folder))
    analyzer.register(index)
    writer = index.writer(_HEAP, 1)
    for unit in units:
        writer.add_document(entry(unit, analyzer))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    assert searcher.num_segments <= 1
    return searcher


def _unit(site: str, url: str, title: str, text: str) -> Unit:
    identity = document_id(url)
    return Unit(
        id=identity,
        document=identity,
        position=0,
        url=url,
        site=site,
        title=title,
        headings=(),
        text=text,
        language=None,
        author=None,
        published=None,
        canonical_url=None,
        fetched_at=_FETCHED,
        content_hash=content_hash(text),
    )
