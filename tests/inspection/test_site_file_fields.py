from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.site_file import field_line, with_field
from settings.errors import ConfigurationError

SOURCE = """\
# The shop
url = ["https://shop.example/"]  # its address

[extract]
sku = "[itemprop=sku]::attr(content)"  # of the maker

[[extract.pages]]
match = "/jobs/"
closes = { css = "time.deadline", type = "date" }

[schedule]
cron = "0 3 * * *"  # at night
"""
PRICE = {"css": ".price::text", "type": "number"}


def test_a_field_is_added_and_all_else_stays_as_it_is():
    found = with_field(SOURCE, "price", PRICE)
    assert tomllib.loads(found)["extract"]["price"] == PRICE
    assert [line for line in SOURCE.splitlines() if line not in found.splitlines()] == []
    assert field_line("price", PRICE) in found


def test_a_selector_alone_is_a_text_and_takes_the_place_of_another_description():
    found = with_field(SOURCE, "sku", {"css": ".sku"})
    assert tomllib.loads(found)["extract"]["sku"] == ".sku"
    assert "[itemprop=sku]" not in found


def test_a_file_without_the_table_gets_it_behind_the_others():
    for source in ("", 'url = ["https://shop.example/"]', '[schedule]\ncron = "0 3 * * *"\n'):
        found = with_field(source, "price", PRICE)
        assert tomllib.loads(found) == {**tomllib.loads(source), "extract": {"price": PRICE}}


@pytest.mark.parametrize("source", ["extract = 1\n", "[[extract]]\na = 1\n", "[extract"])
def test_what_cannot_be_written_is_refused(source):
    with pytest.raises(ConfigurationError, match="by hand"):
        with_field(source, "price", PRICE)


@given(
    st.from_regex(r"[a-z][a-z_]{0,20}", fullmatch=True),
    st.dictionaries(st.sampled_from(["css", "xpath", "regex"]), st.text(min_size=1), min_size=1),
)
def test_whatever_is_written_is_read_back(name, described):
    try:
        found = with_field(SOURCE, name, described)
    except ConfigurationError:
        assert any(
            ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for one in described.values() for letter in one
        )
        return
    plain = described["css"] if described.keys() == {"css"} else described
    extract = tomllib.loads(SOURCE)["extract"]
    assert tomllib.loads(found)["extract"] == {**extract, name: plain}
    assert with_field(found, name, described) == found


def test_a_field_of_one_kind_of_page_goes_to_the_table_of_its_pages():
    with_jobs = tomllib.loads(with_field(SOURCE, "salary", PRICE, "/jobs/"))["extract"]
    assert with_jobs["pages"] == [{**tomllib.loads(SOURCE)["extract"]["pages"][0], "salary": PRICE}]
    found = with_field(SOURCE, "price", PRICE, "/shop/")
    assert tomllib.loads(found)["extract"]["pages"][1] == {"match": "/shop/", "price": PRICE}
    assert [line for line in SOURCE.splitlines() if line not in found.splitlines()] == []
    again = with_field(with_field("", "price", PRICE, "/shop/"), "sku", {"css": ".sku"}, "/shop/")
    assert tomllib.loads(again)["extract"] == {"pages": [{"match": "/shop/", "price": PRICE, "sku": ".sku"}]}
    assert tomllib.loads(field_line("price", PRICE, "/shop/")) == {
        "extract": {"pages": [{"match": "/shop/", "price": PRICE}]}
    }
    with pytest.raises(ConfigurationError, match="by hand"):
        with_field("[extract]\npages = 1\n", "price", PRICE, "/shop/")
