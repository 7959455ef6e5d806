"""The columns of a tantivy index: as what fields it has them, and conditions, order and counts by them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Self

import tantivy

from search.columns import OWN, Sort, as_rows, counted, keys, of_rows
from search.sinks.embedded.files import write_atomically
from search.where import All, Among, Any_, Between, Missing, Not, Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pagelets.fields import FieldColumn
    from search.sink import Unit

    Place = tantivy.DocAddress

_FILE: Final = "columns.json"
_MOST_COUNTED: Final = 65_000
"""Values that tantivy counts at once."""
_URL: Final = "url"


class Layout:
    """The columns of one index: fields of ours and those that are not, which are ``added``.

    An index of an earlier version has no columns; ``added`` is empty then.
    """

    def __init__(self, added: Iterable[FieldColumn], *, own: bool = True) -> None:
        self.added = tuple(sorted(added, key=lambda item: item.name))
        self.columns = (*OWN, *self.added) if own else ()
        # Any name may be a column's, but not a field's of tantivy.
        self._fields = {column.name: f"column_{place}" for place, column in enumerate(self.columns)}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The layout of the index in a folder. Raises ValueError where its file is damaged, and OSError."""
        try:
            text = (folder / _FILE).read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls((), own=False)
        try:
            return cls(of_rows(json.loads(text)))
        except TypeError as error:
            raise ValueError(f"{_FILE}: {error}") from error

    def write(self, folder: Path) -> None:
        """Writes the layout into an index's folder. Raises OSError."""
        write_atomically(folder / _FILE, json.dumps(as_rows(self.added)))

    def add_fields(self, builder: tantivy.SchemaBuilder) -> None:
        """Adds the columns to a schema."""
        for column in self.columns:
            name = self._fields[column.name]
            if column.type == "number":
                builder.add_float_field(name, fast=True)
            elif column.type == "date":
                builder.add_integer_field(name, fast=True)
            elif column.type == "boolean":
                builder.add_boolean_field(name, indexed=True, fast=True)
            else:
                builder.add_text_field(name, fast=True, tokenizer_name="raw", index_option="basic")

    def add_values(self, document: tantivy.Document, unit: Unit) -> None:
        """Adds the values of a unit to what an index keeps of it."""
        for column in self.columns:
            # One of the project's fields, or one of ours.
            value = unit.fields.get(column.name, getattr(unit, column.name, None))
            if values := keys(column, value):
                add: Any = getattr(document, _ADD.get(column.type, "add_text"))
                # A value that comes twice is one: else counts would tell of more entries than there are.
                for key in dict.fromkeys(values) if column.type != "html" else [""]:
                    add(self._fields[column.name], key)

    def condition(self, where: Where, schema: tantivy.Schema, searcher: tantivy.Searcher) -> tantivy.Query:
        """Translates a condition.

        Args:
            where: the condition, on columns of this layout.
            schema: the fields of the index.
            searcher: knows the texts of the index.

        """
        if isinstance(where, Not):
            return _without(self.condition(where.one, schema, searcher))
        if isinstance(where, All | Any_):
            occur = tantivy.Occur.Must if isinstance(where, All) else tantivy.Occur.Should
            parts = [(occur, self.condition(part, schema, searcher)) for part in where.parts]
            return tantivy.Query.boolean_query(parts)
        field = self._fields[where.column.name]
        if isinstance(where, Missing):
            return _without(tantivy.Query.exists_query(field))
        if isinstance(where, Among):
            return _among(schema, field, where)
        if where.column.type not in _RANGES:
            return _texts_between(schema, searcher, field, where)
        return _between(schema, field, where)

    def ordered(self, searcher: tantivy.Searcher, asked: tantivy.Query, sort: Sort | None) -> list[Place]:
        """Returns the places of all hits of a query.

        Args:
            searcher: searches the index.
            asked: the query.
            sort: the order; hits of equal values, and all without an order, are in the order of URLs.

        """
        most = max(1, searcher.num_docs)
        hits = searcher.search(asked, most, count=False, order_by_field=self._fields[_URL]).hits
        positions = searcher.fast_field_values("position", [place for _, place in hits])
        pairs = zip(hits, positions, strict=True)
        places = [place for (_, place), _ in sorted(pairs, key=lambda pair: (pair[0][0], pair[1]))]
        if sort is None:
            return places
        field = self._fields[sort.column.name]
        values: list[Any]
        if sort.column.type in (*_RANGES, "boolean"):
            values = searcher.fast_field_values(field, places)
        else:
            ranked = searcher.search(asked, most, count=False, order_by_field=field).hits
            by_place = {_number(place): value for value, place in ranked}
            values = [by_place.get(_number(place)) for place in places]
        there = [pair for pair in zip(values, places, strict=True) if pair[0] is not None]
        there.sort(key=lambda pair: pair[0], reverse=sort.descending)
        missing = [place for value, place in zip(values, places, strict=True) if value is None]
        return [place for _, place in there] + missing

    def counts(
        self, searcher: tantivy.Searcher, asked: tantivy.Query, column: FieldColumn
    ) -> list[tuple[Any, int]]:
        """Counts the values of a column in the hits of a query.

        Args:
            searcher: searches the index.
            asked: the query.
            column: the column.

        Returns:
            Values and counts, the most frequent value first.

        """
        field = self._fields[column.name]
        if column.type in (*_RANGES, "boolean") and not column.many:
            hits = searcher.search(asked, max(1, searcher.num_docs), count=False).hits
            values = Counter(searcher.fast_field_values(field, [place for _, place in hits]))
            return counted(column, {value: count for value, count in values.items() if value is not None})
        terms = {"field": field, "size": _MOST_COUNTED, "segment_size": _MOST_COUNTED}
        buckets = searcher.aggregate(asked, {"values": {"terms": terms}})["values"]["buckets"]
        return counted(column, {bucket["key"]: bucket["doc_count"] for bucket in buckets})


NO_COLUMNS: Final = Layout((), own=False)
"""The layout of an index of an earlier version, and of entries that no search filters."""
_ADD: Final = {"number": "add_float", "date": "add_integer", "boolean": "add_boolean"}
_RANGES: Final = {"number": tantivy.FieldType.Float, "date": tantivy.FieldType.Integer}


def _number(place: Place) -> tuple[int, int]:
    return place.segment_ord, place.doc


def _without(query: tantivy.Query) -> tantivy.Query:
    everything = (tantivy.Occur.Must, tantivy.Query.all_query())
    return tantivy.Query.boolean_query([everything, (tantivy.Occur.MustNot, query)])


def _among(schema: tantivy.Schema, field: str, where: Among) -> tantivy.Query:
    if where.column.type in _RANGES:
        parts = [_between(schema, field, Between(where.column, value, value)) for value in where.values]
    else:
        parts = [tantivy.Query.term_query(schema, field, value, "basic") for value in where.values]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])


def _between(schema: tantivy.Schema, field: str, where: Between) -> tantivy.Query:
    low: Any = where.low
    high: Any = where.high
    # A side that is open counts as included.
    with_low, with_high = where.with_low or low is None, where.with_high or high is None
    kind = _RANGES[where.column.type]
    return tantivy.Query.range_query(schema, field, kind, low, high, with_low, with_high)


def _texts_between(
    schema: tantivy.Schema, searcher: tantivy.Searcher, field: str, where: Between
) -> tantivy.Query:
    """Finds texts in a range by naming them: tantivy has no such query for them."""
    terms: Sequence[str] = [term for term, _ in searcher.terms_with_prefix(field, "")]
    return tantivy.Query.term_set_query(schema, field, [term for term in terms if where.holds(term)])
