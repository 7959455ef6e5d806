"""Queries of OpenSearch and Elasticsearch, as far as their references describe those that the sinks ask."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    Source = Mapping[str, Any]
    Properties = Mapping[str, Mapping[str, Any]]

KEYS = ("query", "from", "size", "sort", "track_total_hits", "aggs", "_source")
WORD = re.compile(r"\w+")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def answered(
    entries: Mapping[str, Source], properties: Properties, body: Mapping[str, Any]
) -> dict[str, Any]:
    """The answer to a search in the entries of an index, by their ids."""
    found = [(id_, one) for id_, one in entries.items() if holds(body["query"], one, properties)]
    for by in reversed(body.get("sort", [])):
        ((field, how),) = by.items()
        there = [one for one in found if values(one[1], field, properties)]
        there.sort(key=lambda one: values(one[1], field, properties)[0], reverse=how["order"] == "desc")
        found = there + [one for one in found if not values(one[1], field, properties)]
    first = body.get("from", 0)
    hits = [
        {
            "_id": id_,
            "_score": None if "sort" in body else 1.0,
            "_source": {key: one[key] for key in body["_source"] if key in one},
        }
        for id_, one in found[first : first + body.get("size", 10)]
    ]
    aggregations = {}
    for name, asked in body.get("aggs", {}).items():
        field, size = asked["terms"]["field"], asked["terms"]["size"]
        assert size <= 65_535
        counts = Counter(key for _, one in found for key in set(values(one, field, properties)))
        buckets = [{"key": _bucket(key), "doc_count": count} for key, count in counts.most_common(size)]
        aggregations[name] = {"buckets": buckets}
    total = {"value": len(found), "relation": "eq"}
    return {"hits": {"total": total, "hits": hits}, "aggregations": aggregations}


def _bucket(key: Any) -> Any:
    return int(key) if isinstance(key, bool) else key


def values(source: Source, field: str, properties: Properties) -> list[Any]:
    """The values of a field as the server keeps them for searches."""
    name, _, sub = field.partition(".")
    mapped = properties[name]["fields"][sub] if sub else properties[name]
    value = source.get(name)
    kept = value if isinstance(value, list) else [] if value is None else [value]
    if mapped["type"] == "date":
        dates = [moment(one) for one in kept]
        return [one for one in dates if one is not None]
    if mapped["type"] == "keyword":
        return [one for one in kept if len(one) <= mapped.get("ignore_above", 1 << 15)]
    return [float(one) for one in kept] if mapped["type"] == "double" else kept


def moment(text: str) -> int | None:
    """The milliseconds of a date, None where it is malformed."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round(((found if found.tzinfo else found.replace(tzinfo=UTC)) - EPOCH).total_seconds() * 1000)


def holds(query: Mapping[str, Any], source: Source, properties: Properties) -> bool:
    """Returns True if an entry meets a query."""
    ((kind, asked),) = query.items()
    if kind == "match_none":
        return False
    if kind == "bool":
        assert asked.keys() <= {"must", "must_not", "should", "filter", "minimum_should_match"}
        should = [holds(one, source, properties) for one in asked.get("should", [])]
        needed = [*asked.get("must", []), *asked.get("filter", [])]
        least = asked.get("minimum_should_match", 0 if needed or not should else 1)
        return (
            all(holds(one, source, properties) for one in needed)
            and not any(holds(one, source, properties) for one in asked.get("must_not", []))
            and sum(should) >= least
        )
    if kind == "multi_match":
        assert asked["type"] == "phrase"
        said = [_words(source.get(field.partition("^")[0])) for field in asked["fields"]]
        return any(_words(asked["query"]) in one for one in said)
    if kind == "exists":
        return bool(values(source, asked["field"], properties))
    ((field, asked),) = asked.items()
    kept = values(source, field, properties)
    if kind == "terms":
        return any(one in asked for one in kept)
    if kind == "term" and not isinstance(asked, dict):
        return asked in kept
    if kind == "range":
        return any(_within(one, asked) for one in kept)
    if kind == "regexp":
        return any(re.fullmatch(asked, one) for one in kept)
    assert asked["case_insensitive"]
    text = asked["value"].lower()
    return any(one.lower() == text if kind == "term" else one.lower().startswith(text) for one in kept)


def _words(text: object) -> str:
    return f" {' '.join(WORD.findall(str(text).lower()))} "


def _within(value: Any, bounds: Mapping[str, Any]) -> bool:
    if bounds.get("format") != "epoch_millis" and isinstance(value, int):
        bounds = {sign: moment(bound) for sign, bound in bounds.items()}
    tests = {
        "gt": lambda bound: value > bound,
        "gte": lambda bound: value >= bound,
        "lt": lambda bound: value < bound,
        "lte": lambda bound: value <= bound,
    }
    return all(tests[sign](bound) for sign, bound in bounds.items() if sign != "format")
