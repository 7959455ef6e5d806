from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.fields import FieldColumn
from search.columns import date_key
from search.where import (
    MAX_DEPTH,
    All,
    Among,
    Any_,
    Between,
    Missing,
    Not,
    WhereError,
    parse_column,
    parse_sort,
    parse_where,
)

PRICE, TAGS, SOLD = (
    FieldColumn("price", "number"),
    FieldColumn("tags", "text", True),
    FieldColumn("sold", "boolean"),
)
CLOSES, IN, BODY = FieldColumn("closes", "date"), FieldColumn("in", "text"), FieldColumn("body", "html")
COLUMNS = (PRICE, TAGS, SOLD, CLOSES, IN, BODY, FieldColumn("2nd-size", "number"))
IS_SOLD = Among(SOLD, (True,))
DAY = 86_400_000
MAY = date_key("2026-05-01")
assert MAY is not None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("price<20", Between(PRICE, high=20.0, with_high=False)),
        ("PRICE >= -1.5e3".lower(), Between(PRICE, low=-1500.0)),
        ("price in (1, 2,1.0)", Among(PRICE, (1.0, 2.0))),
        ("2nd-size = 3", Among(COLUMNS[-1], (3.0,))),
        ("tags = 'it''s'", Among(TAGS, ("it's",))),
        ('tags = "a ""b"""', Among(TAGS, ('a "b"',))),
        ("`in` = 'x'", Among(IN, ("x",))),
        ("sold", IS_SOLD),
        ("sold != true", All((Not(Missing(SOLD)), Not(IS_SOLD)))),
        ("body IS NOT NULL", Not(Missing(BODY))),
        ("tags not in ('a')", All((Not(Missing(TAGS)), Not(Among(TAGS, ("a",)))))),
        ("closes = 2026-05-01", Between(CLOSES, MAY, MAY + DAY, with_high=False)),
        ("closes > '2026-05-01'", Between(CLOSES, low=MAY + DAY)),
        ("closes > 2026-05-01T00:00Z", Between(CLOSES, low=MAY, with_low=False)),
        ("closes <= 2026-05-01T02:00+02:00", Between(CLOSES, high=MAY)),
        ("not sold and sold or sold", Any_((All((Not(IS_SOLD), IS_SOLD)), IS_SOLD))),
        ("sold and (sold or not sold)", All((IS_SOLD, Any_((IS_SOLD, Not(IS_SOLD)))))),
    ],
)  # fmt: skip
def test_expressions_are_trees(text, found):
    assert parse_where(text, COLUMNS) == found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["character 1", "the name of a field is missing"]),
        ("prise < 20", ["character 1:", "unknown field 'prise'; did you mean 'price'?"]),
        ("price < 20 and sku = 3", ["character 16", "'sku'", "scrapy index SITE --rebuild"]),
        ("price < 'x'", ["character 9", "price is compared with a number"]),
        ("price < 1e400", ["character 9", "price is compared with a number up to 1.7e308, not '1e400'"]),
        ("price < 2O", ["character 9", "not '2O'"]),
        ("price < 1e999", ["character 9", "a number"]),
        ("price == 3", ["character 8", "not '='"]),
        ("price like 3", ["character 7", "= != < <= > >= in or is"]),
        ("price is 3", ["character 10", "write null"]),
        ("price not 3", ["character 11", "write in"]),
        ("price in 3", ["character 10", "write ("]),
        ("price in (3 4)", ["character 13", "a comma or )"]),
        ("(price < 1", ["character 11", "a ) is missing"]),
        ("price < 1)", ["character 10", "')'"]),
        ("price < 1 sold", ["character 11", "write and, or, or nothing"]),
        ("tags = 'x", ["character 8", "the quote is not closed"]),
        ("tags = x", ["character 8", "a text in quotes"]),
        ("price ; drop", ["character 7", "';' is not expected"]),
        ("sold < true", ["by = or !="]),
        ("body = 'x'", ["body is null"]),
        ("closes > '2026-13-01'", ["a date such as 2026-05-31"]),
        ("(" * 60 + "sold" + ")" * 60, [f"more than {MAX_DEPTH}"]),
        ("not " * 60 + "sold", [f"more than {MAX_DEPTH}"]),
        ("sold or " * 2000 + "sold", ["16,004 characters"]),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, parts):
    with pytest.raises(WhereError) as caught:
        parse_where(text, COLUMNS, coming=["sku"])
    assert str(caught.value).startswith("--where")
    assert "\n" not in str(caught.value)
    assert all(part in str(caught.value) for part in parts), caught.value


PIECES = st.sampled_from(
    [*"price tags sold ( ) and or not in is null < = 'a' 5 2026-05-01 ` é".split(), "\0"]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join)))
def test_every_text_is_a_condition_or_told_wrong(text):
    try:
        parse_where(text, COLUMNS)
    except WhereError as error:
        assert str(error)


def test_fields_to_sort_and_count_by_are_looked_up():
    assert parse_sort("-price", COLUMNS).descending
    assert parse_column("--count", "tags", COLUMNS) == TAGS
    for name, part in (("tags", "many values"), ("body", "HTML"), ("prise", "did you mean 'price'")):
        with pytest.raises(WhereError, match=part):
            parse_sort(name, COLUMNS)
