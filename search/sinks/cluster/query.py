"""Queries as OpenSearch and Elasticsearch take them, and what these answer."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from search.columns import OWN, counted
from search.query import Clause, Found, Hit, Occur, Query, language_prefixes
from search.sink import PAGELETS
from search.sinks.text import words as embedded
from search.sinks.text.snippets import snippet, wanted
from search.where import All, Among, Any_, Between, Missing, Not, Where

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagelets.fields import FieldColumn

COLUMNS: Final = tuple(column for column in OWN if column.name != "title")
"""The fields of ours that can be compared: a title is there as words alone."""
_FIELDS: Final = ("title^1.5", "headings^1.2", "text")
_SHOWN: Final = ("document", "url", "title", "headings", "text", "language", "published", "fetched_at")
_MOST_COUNTED: Final = 65_000
"""Values that a server counts at once."""
_SPECIAL: Final = re.compile(r'[.?+*|{}\[\]()"\\#@&<>~^$-]')
"""What means something in a regular expression of Lucene's."""
_ON: Final = {"author": "author.keyword"}


def body(query: Query, units: str, added: Sequence[FieldColumn]) -> dict[str, Any]:
    """The body of a search.

    Args:
        query: the query.
        units: what the entries are: of pagelets, documents alone are found.
        added: the fields that are not ours, which are shown.

    """
    asked: dict[str, Any] = {
        "query": {"bool": _asked(query, units)},
        "from": max(0, query.offset),
        "size": max(0, query.limit),
        "track_total_hits": True,
        "_source": [*_SHOWN, *(column.name for column in added)],
    }
    if query.sort or query.everything:
        by: list[dict[str, Any]] = [{"url": {"order": "asc"}}, {"position": {"order": "asc"}}]
        if query.sort is not None:
            order = "desc" if query.sort.descending else "asc"
            by.insert(0, {_field(query.sort.column): {"order": order, "missing": "_last"}})
        asked["sort"] = by
    if query.counts:
        asked["aggs"] = {
            column.name: {"terms": {"field": _field(column), "size": _MOST_COUNTED}}
            for column in query.counts
        }
    return asked


def _field(column: FieldColumn) -> str:
    return _ON.get(column.name, column.name)


def _asked(query: Query, units: str) -> dict[str, Any]:
    by_occur = {occur: [_words(item) for item in query.clauses if item.occur is occur] for occur in Occur}
    clauses: dict[str, Any] = {"must": by_occur[Occur.MUST], "must_not": by_occur[Occur.NOT]}
    if by_occur[Occur.MAY]:
        clauses |= {"should": by_occur[Occur.MAY], "minimum_should_match": 0 if by_occur[Occur.MUST] else 1}
    filters = [] if query.where is None else [condition(query.where)]
    if units == PAGELETS:
        filters.append({"term": {"position": 0}})
    if query.since or query.until:
        filters.append(_days(query))
    if query.language:
        tag = (language_prefixes(query.language) or [""])[-1]
        filters.append(
            _any_of(
                {"term": {"language": {"value": tag, "case_insensitive": True}}},
                {"prefix": {"language": {"value": f"{tag}-", "case_insensitive": True}}},
            )
        )
    if query.path:
        paths = dict.fromkeys((query.path, quote(query.path, safe="/:@!$&'()*+,;=~")))
        literals = (_SPECIAL.sub(r"\\\g<0>", item) for item in paths)
        filters.append(_any_of(*({"regexp": {"url": f"[^/]+//[^/]+{item}.*"}} for item in literals)))
    if not (query.clauses or query.everything):
        filters.append({"match_none": {}})
    return clauses | {"filter": filters}


def _words(clause: Clause) -> dict[str, Any]:
    return {"multi_match": {"query": clause.text, "type": "phrase", "fields": list(_FIELDS)}}


def _any_of(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"bool": {"should": list(parts), "minimum_should_match": 1}}


def _days(query: Query) -> dict[str, Any]:
    """The days of documents, in UTC."""
    bounds = {"gte": query.since.isoformat()} if query.since else {}
    # No day that a text of ISO 8601 can name comes after the last one.
    if query.until and query.until < date.max:
        bounds["lt"] = (query.until + timedelta(days=1)).isoformat()
    undated = [
        {"bool": {"must_not": [{"exists": {"field": "published"}}]}},
        {"range": {"fetched_at": bounds}},
    ]
    return _any_of({"range": {"published": bounds}}, {"bool": {"filter": undated}})


def condition(where: Where) -> dict[str, Any]:
    """A condition on columns."""
    if isinstance(where, Not):
        return {"bool": {"must_not": [condition(where.one)]}}
    if isinstance(where, All):
        return {"bool": {"filter": [condition(part) for part in where.parts]}}
    if isinstance(where, Any_):
        return _any_of(*map(condition, where.parts))
    field = _field(where.column)
    if isinstance(where, Missing):
        return {"bool": {"must_not": [{"exists": {"field": field}}]}}
    if isinstance(where, Among):
        return {"terms": {field: list(where.values)}}
    return {"range": {field: _bounds(where)}}


def _bounds(where: Between) -> dict[str, Any]:
    bounds: dict[str, Any] = {"format": "epoch_millis"} if where.column.type == "date" else {}
    if where.low is not None:
        bounds["gte" if where.with_low else "gt"] = where.low
    if where.high is not None:
        bounds["lte" if where.with_high else "lt"] = where.high
    return bounds


def found(answer: Mapping[str, Any], query: Query, added: Sequence[FieldColumn]) -> Found:
    """Reads the answer to a search.

    Args:
        answer: the answer of the server.
        query: the query.
        added: the fields that are not ours.

    """
    phrases = wanted(query, embedded.words)
    hits = [_hit(entry, phrases, added) for entry in answer["hits"]["hits"]]
    counts = {}
    for column in query.counts:
        buckets = answer["aggregations"][column.name]["buckets"]
        counts[column.name] = counted(column, {bucket["key"]: bucket["doc_count"] for bucket in buckets})
    return Found(hits, answer["hits"]["total"]["value"], counts=counts)


def _hit(entry: Mapping[str, Any], phrases: Sequence[tuple[str, ...]], added: Sequence[FieldColumn]) -> Hit:
    source = entry["_source"]
    return Hit(
        entry.get("_score") or 0.0,
        entry["_id"],
        source["document"],
        source["url"],
        source["title"],
        tuple(source["headings"]),
        snippet(source.get("text") or "", phrases, embedded.words),
        source.get("language"),
        source.get("published"),
        source.get("fetched_at"),
        {column.name: source.get(column.name) for column in added},
    )
