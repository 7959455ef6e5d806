"""Fields that are not ours, from a crawl into the index in the data folder and the published tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from tests import forked
from tests.crawls import crawl
from tests.served import page, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.served import Site

TEXTS = {
    "/": "All that the shop has.",
    "/paper": "The paper costs 8.50 and is #new and #white.",
    "/thread": "The thread costs 12 and is #new.",
    "/folder": "The folder costs 8.50 and is made of bone.",
}
FIELDS = {"price": "tests.shopfields.price", "tags": "tests.shopfields.tags"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with served({url: page(url, *TEXTS, text=text) for url, text in TEXTS.items()}) as site:
        yield site


def run(folder: Path, *arguments: str, **fields: str) -> Any:
    options = [f"DATA_DIR={folder}", f"FIELD_FUNCTIONS={json.dumps(fields or FIELDS)}", "SINKS=tantivy"]
    return forked.run([*arguments, *(part for one in options for part in ("-s", one))])


def found(folder: Path, *arguments: str, **fields: str) -> Any:
    done = run(folder, "search", "shop", *arguments, "--json", **fields)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def paths(found: Any) -> list[str]:
    return ["/" + hit["url"].rpartition("/")[2] for hit in found["hits"]]


def crawled(folder: Path, shop: Site, **fields: str) -> None:
    settings = {"SINKS": ["tantivy"], "FIELD_FUNCTIONS": fields or FIELDS, "PUBLISH_TABLES": "text"}
    assert crawl(folder, url=f"{shop.base}/", site="shop", settings=settings).outcome == "complete"


def test_a_crawl_brings_fields_into_the_index(shop, tmp_path):
    crawled(tmp_path, shop)
    cheap = found(tmp_path, "--where", "price < 10 and tags is not null")
    assert (paths(cheap), cheap["total"], cheap["query"]) == (["/paper"], 1, "")
    assert cheap["hits"][0]["fields"] == {"price": 8.5, "tags": ["new", "white"]}
    assert paths(found(tmp_path, "costs", "--sort", "-price")) == ["/thread", "/folder", "/paper"]
    assert paths(found(tmp_path, "", "--sort=price")) == ["/folder", "/paper", "/thread", "/"]
    counts = found(tmp_path, "paper thread", "--count", "tags", "--count", "price")["counts"]
    assert counts == {
        "tags": [{"value": "new", "count": 2}, {"value": "white", "count": 1}],
        "price": [{"value": 8.5, "count": 1}, {"value": 12, "count": 1}],
    }
    shown = run(tmp_path, "search", "shop", "paper", "--where", "price > 1", "--count", "tags").stdout
    assert "\n   price: 8.5\n   tags: new, white\n" in shown
    assert "\ntags:\n      1 new\n      1 white\n" in shown
    rows = pq.read_table(tmp_path / "shop/tables/documents.parquet", columns=["price", "tags"])
    assert [str(field.type) for field in rows.schema] == ["double", "list<element: string>"]
    assert sorted(rows["price"].to_pylist(), key=str) == [12.0, 8.5, 8.5, None]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--where", "prise < 10"], ["--where, character 1: unknown field 'prise'", "did you mean 'price'"]),
        (["--where", "price < 10 and"], ["character 15", "after 'price < 10 and'", "the end"]),
        (["--sort", "tags"], ["--sort tags", "many values"]),
        (["--count", "colour"], ["--count unknown field 'colour'"]),
        (["x", "--where", ""], ["nothing in shop is found by 'x'"]),
    ],
)
def test_what_is_wrong_is_said_in_a_line(shop, tmp_path_factory, arguments, parts):
    folder = tmp_path_factory.getbasetemp() / "crawled"
    if not folder.exists():
        crawled(folder, shop)
    done = run(folder, "search", "shop", *arguments)
    assert done.stderr.count("\n") == 1
    assert all(part in done.stderr for part in parts), done.stderr
    assert done.returncode == (0 if arguments[0] == "x" else 2)


def test_other_fields_are_told_before_the_index_is_made_anew(shop, tmp_path, caplog):
    crawled(tmp_path, shop)
    now = {"price": "tests.shopfields.price_text", "labels": "tests.shopfields.tags"}
    refused = run(tmp_path, "search", "shop", "--count", "labels", **now)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "the index does not have this field yet" in refused.stderr
    # Until then the index is as it was.
    assert paths(found(tmp_path, "--where", "price < 10", **now)) == ["/folder", "/paper"]
    caplog.clear()
    crawled(tmp_path, shop, **now)
    (told,) = [record.message for record in caplog.records if "other fields" in record.message]
    assert told.startswith(
        "Sink tantivy: other fields (labels (text, many) is new, tags is gone, price is text, was number): "
        "a new index is filled with 4 documents"
    )
    assert paths(found(tmp_path, "--where", "price = '8.50 €'", **now)) == ["/folder", "/paper"]
    assert found(tmp_path, "--count", "labels", **now)["counts"]["labels"][0] == {"value": "new", "count": 2}
    caplog.clear()
    crawled(tmp_path, shop, **now)
    assert "other fields" not in caplog.text
    back = run(tmp_path, "index", "shop", "--rebuild")
    assert back.returncode == 0, back.stderr
    assert "tags (text, many) is new, labels is gone" in " ".join(back.stderr.split())
    assert paths(found(tmp_path, "--where", "price < 10")) == ["/folder", "/paper"]
    assert run(tmp_path, "index", "shop", "--check").returncode == 0


def test_postgresql_is_fed_and_asked_too(tmp_path, postgresql):
    """A field changes its type between two crawls, and a page its price between two more."""
    pages = {url: page(url, *TEXTS, text=text) for url, text in TEXTS.items()}
    with served(pages) as site:
        dsn = postgresql.dsn(postgresql.database())
        place = {"SINKS": "postgresql", "POSTGRESQL": json.dumps({"dsn": dsn})}

        def prices(where: str, fields: dict[str, str]) -> list[str]:
            settings = {**place, "FIELD_FUNCTIONS": fields}
            assert crawl(tmp_path, url=f"{site.base}/", site="shop", settings=settings).outcome == "complete"
            given = [f"DATA_DIR={tmp_path}", f"FIELD_FUNCTIONS={json.dumps(fields)}"]
            options = [part for one in [*given, *map("=".join, place.items())] for part in ("-s", one)]
            done = forked.run(["search", "shop", "--where", where, "--sort", "-price", "--json", *options])
            assert done.returncode == 0, done.stderr
            checked = forked.run(["index", "shop", "--check", *options])
            assert (checked.returncode, checked.stdout) == (0, "postgresql: 4 units, as the store says\n")
            return [hit["fields"]["price"] for hit in json.loads(done.stdout)["hits"]]

        assert prices("price is not null", FIELDS) == [12, 8.5, 8.5]
        texts = {**FIELDS, "price": "tests.shopfields.price_text"}
        assert prices("price > '8'", texts) == ["8.50 €", "8.50 €"]
        site.pages["/paper"] = page("/paper", *TEXTS, text="The paper costs 9 and is #new and #white.")
        assert prices("price > '8'", texts) == ["9.00 €", "8.50 €"]
        assert prices("price > 8", FIELDS) == [12, 9, 8.5]
