"""Fields that are not ours, as columns of the table of all sites."""

from __future__ import annotations

import random

import pytest

from pagelets.fields import FIELD_TYPES, FieldColumn
from search.query import NoIndex, Query
from search.sink import SinkDown
from search.where import Among, Missing, parse_where
from tests.indexed import delete, index

PRICE = FieldColumn("price", "number")
COLUMNS = """
SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 19
AND attrelid = to_regclass(%s) AND NOT attisdropped ORDER BY attnum
"""


@pytest.fixture
def columns(server, database):
    """What a table has beside our columns."""
    return lambda sink: dict(server.execute(database, COLUMNS, (sink.given["table"],)))


def filled(make, site, columns, *documents):
    sink = make(site=site, columns=columns)
    sink.open()
    with sink.rebuild():
        assert not sink.write([index(f"/{place}", "granite", **one) for place, one in enumerate(documents)])
    sink.open()
    return sink


def test_fields_are_typed_columns_with_indexes(made, server, database, columns):
    fields = tuple(
        FieldColumn(f"{type_}{many}", type_, many) for type_ in FIELD_TYPES for many in (False, True)
    )
    sink = filled(made, "example.org", fields, {})
    assert columns(sink) == {
        "textFalse": "text", "textTrue": "text[]", "numberFalse": "double precision",
        "numberTrue": "double precision[]", "dateFalse": "timestamp with time zone",
        "dateTrue": "timestamp with time zone[]", "booleanFalse": "boolean", "booleanTrue": "boolean[]",
        "urlFalse": "text", "urlTrue": "text[]", "htmlFalse": "text", "htmlTrue": "text[]",
    }  # fmt: skip
    found = server.execute(
        database, "SELECT indexdef FROM pg_indexes WHERE tablename = %s", (sink.given["table"],)
    )
    assert sum('USING gin ("' in one for (one,) in found) == 5
    assert sum("USING btree (site" in one for (one,) in found) == 6


def test_sites_with_other_types_share_a_table(made, columns):
    first = filled(made, "a.example", (PRICE,), {"price": 5})
    second = filled(made, "b.example", (FieldColumn("price", "text"),), {"price": "5 €"})
    third = filled(made, "c.example", (PRICE,), {"price": 7})
    assert columns(first) == {"price": "double precision", "price_text": "text"}
    for sink, value in ((first, 5), (second, "5 €"), (third, 7)):
        (hit,) = sink.search(Query.parse("granite", where=Among(sink.place.columns[0], (value,)))).hits
        assert hit.fields == {"price": value}
    # A column goes with the last site that has it.
    filled(made, "a.example", ())
    assert "price" in columns(first)
    filled(made, "c.example", ())
    assert columns(first) == {"price_text": "text"}


@pytest.mark.parametrize("how", ["DROP COLUMN price", "RENAME COLUMN price TO cost"])
def test_an_index_that_lost_a_column_is_a_new_one_which_is_filled_anew(made, server, database, how):
    first = filled(made, "a.example", (PRICE,), {"price": 5})
    other = filled(made, "b.example", (), {})
    name, other_name = first.open(), other.open()
    assert made(site="a.example", columns=(PRICE,)).open() == name
    server.execute(database, f"ALTER TABLE {first.given['table']} {how}")
    assert made(site="a.example", columns=(PRICE,)).open() != name
    assert other.open() == other_name
    again = filled(made, "a.example", (PRICE,), {"price": 5})
    assert again.search(Query.parse("", where=Among(PRICE, (5,)))).total == 1


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_first_and_the_last_day_are_found_in_any_time_zone(made, zone):
    closes = FieldColumn("closes", "date")
    sink = filled(made, "a.example", (closes,), {"closes": "0001-01-01"}, {"closes": "9999-12-31T23:00"})
    last = {"where": parse_where("closes = 9999-12-31", [closes])}
    later = {"where": parse_where("closes > 9999-12-31", [closes])}
    there = made(site="a.example", columns=(closes,), dsn=f"{sink.given['dsn']}?options=-ctimezone%3D{zone}")
    found = there.search(Query.parse("granite", counts=[closes]))
    assert [value for value, _ in found.counts["closes"]] == ["0001-01-01", "9999-12-31T23:00:00+00:00"]
    assert [there.search(Query.parse("", **asked)).total for asked in (last, later)] == [1, 0]


def test_names_and_values_of_any_kind_are_kept(made, columns):
    dice = random.Random(1)
    long = "".join(chr(dice.randrange(0x4E00, 0x9FFF)) for _ in range(50_000))
    names = ("Price", "price", "größe", "select", "x" * 60, "x" * 59 + "y", "select_text")
    fields = tuple(FieldColumn(name, "text") for name in names)
    tags = FieldColumn("tags", "text", many=True)
    values = {name: f"{name} {long}" for name in names}
    sink = filled(
        made, "example.org", (*fields, tags), {**values, "tags": [long, "a\0b\ud800"]}, {"tags": []}
    )
    assert len(columns(sink)) == 8
    (hit,) = sink.search(Query.parse("", where=Among(tags, ("a\ufffdb\ufffd",)))).hits
    assert {name: hit.fields[name] for name in names} == values
    assert hit.fields["tags"][0] == long[:600]
    assert sink.search(Query.parse("", where=Missing(tags))).total == 1


def test_a_table_of_an_earlier_version_gets_columns(made, columns):
    old = filled(made, "example.org", (), {"price": 5})
    name = old.open()
    sink = made(columns=(PRICE,))
    assert sink.open() != name
    assert sink.columns_there() == ()
    with pytest.raises(NoIndex, match="no field price of this type"):
        sink.search(Query.parse("", where=Missing(PRICE)))
    assert sink.search(Query.parse("granite")).total == 1
    assert old.open() == name
    sink.write([delete("/0")])
    assert list(sink.held()) == []


def test_a_role_that_owns_nothing_is_told_what_it_lacks(made, server, database):
    owner = filled(made, "example.org", (PRICE,), {"price": 5})
    table = owner.given["table"]
    server.role("guest", "secret")
    server.execute(database, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table}, {table}_sites TO guest")
    dsn = server.dsn(database, "guest", "secret")
    guest = made(site="b.example", columns=(PRICE,), dsn=dsn)
    guest.open()
    assert not guest.write([index("/a", "granite", price=6)])
    wants = made(site="b.example", columns=(PRICE, FieldColumn("sku", "text")), dsn=dsn)
    with pytest.raises(SinkDown, match=r"must be owner of table.*docs/postgresql\.md"):
        wants.open()


def test_without_an_index_it_says_so(made):
    with pytest.raises(NoIndex, match=r"no index of example\.org; scrapy index example\.org --rebuild"):
        made().search(Query.parse("granite"))
