from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagelets.block_keys import block_fingerprint
from pagelets.judging.parameters import Detection
from release.detection import Detector
from store import evidence, publish
from store.deliveries import Delivered
from store.publish import TABLES
from store.site import Store
from tests.store.sites import Pagelet, add, begin, block_keys, count, fetched, record, rows, url

MENU = Pagelet("home news about", ("home", "news", "p0"), "html/body/nav")


@pytest.fixture
def site(store: Store) -> Store:
    """A store with a row in every table."""
    run = begin(store)
    for number in range(4):
        page = record(store, f"p{number}", [MENU, Pagelet(f"text of {number}"), MENU], run)
    add(store, "aside", refusal="nofollow")
    detector = Detector(Detection(min_pages=2, min_share=0))
    detector.save(store, detector.find(store), run)
    with store.transaction():
        store.documents.put(page, run, "hash", "v", [True], {})
        store.documents.deliver(run)
        store.deliveries.begin_index("json", "one", [Delivered(url("p0"), 1, 1)])
        store.deliveries.refuse("json", url("p1"), 2, "it is poisoned")
        store.runs.finish(run, "complete", {"pages/held": 4})
    return store


def read(store: Store, name: str) -> list[dict]:
    return pq.read_table(store.tables / f"{name}.parquet").to_pylist()


def test_every_table_is_published_with_its_types(site: Store) -> None:
    paths = site.publish()
    assert sorted(path.stem for path in paths) == sorted(TABLES)
    assert sorted(path.name for path in site.tables.iterdir()) == sorted(path.name for path in paths)
    for path in paths:
        table = pq.read_table(path)
        assert table.num_rows > 0, path.stem
        assert table.schema == pa.schema(list(TABLES[path.stem][1].items()))


def test_the_rows_are_those_of_the_database(site: Store) -> None:
    site.publish()
    pages = {page["url"]: page for page in read(site, "pages")}
    assert pages[url("p3")]["state"] == "delivered"
    assert pages[url("p0")]["title"] == "Title of p0"
    assert pages[url("aside")]["reason"] == "nofollow"
    assert pages[url("home")]["host_name"] == "site.example"
    pagelets = rows(site, "SELECT page, position, fragment, tag_path FROM pagelets ORDER BY page, position")
    assert [tuple(row.values()) for row in read(site, "pagelets")] == pagelets
    names = {row["tag_path"]: row["name"] for row in read(site, "tag_paths")}
    assert [names[path] for *_, path in pagelets] == ["html/body/nav", "html/body/div", "html/body/nav"] * 4
    assert [len(fragment["sketch_values"]) for fragment in read(site, "fragments")] == [32] * 5
    links = [(link["fragment"], link["anchor"], link["nofollow"]) for link in read(site, "fragment_links")]
    assert links == [(1, name, False) for name in MENU.links]
    pagelets_of = [MENU, *(Pagelet(f"text of {number}") for number in range(4))]
    assert [tuple(row.values()) for row in read(site, "fragment_blocks")] == [
        (fragment, *block_keys(pagelet)[0].tolist()) for fragment, pagelet in enumerate(pagelets_of, 1)
    ]
    for name in ("blocks", "placed_blocks", "tag_path_support"):
        assert [tuple(row.values()) for row in read(site, name)] == rows(site, f"SELECT * FROM {name}")
    assert read(site, "runs")[0]["outcome"] == "complete"
    assert read(site, "documents")[0]["delivered"] is True


def test_empty_tables_have_their_columns(store: Store) -> None:
    for path in store.publish():
        table = pq.read_table(path)
        assert table.num_rows == 0
        assert table.schema == pa.schema(list(TABLES[path.stem][1].items()))


def test_many_rows_are_written_group_by_group(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "_BATCH", 2)
    monkeypatch.setattr(publish, "_ROW_GROUP", 4)
    before = {
        path.stem: pq.read_table(path).to_pylist() for path in publish.publish(site.connection, site.tables)
    }
    assert pq.ParquetFile(site.tables / "pagelets.parquet").num_row_groups == 3
    monkeypatch.undo()
    assert {path.stem: pq.read_table(path).to_pylist() for path in site.publish()} == before


def test_a_content_has_a_row_for_each_of_its_blocks(store: Store) -> None:
    run = begin(store)
    pagelets = [Pagelet("none"), Pagelet("three"), Pagelet("one")]
    page = fetched(store, "p", pagelets)
    sizes = [0, 3, 1]
    new = [
        replace(fragment, block_keys=block_keys(pagelet).repeat(size))
        for fragment, pagelet, size in zip(page.new, pagelets, sizes, strict=True)
    ]
    store.record(replace(page, new=new), run)
    store.publish()
    assert [row["fragment"] for row in read(store, "fragment_blocks")] == [2, 2, 2, 3]
    assert {row["block"] for row in read(store, "fragment_blocks")} == {
        block_fingerprint(text) for text in ("three", "one")
    }


def test_pages_that_are_no_more_have_no_published_pagelets(site: Store) -> None:
    with site.transaction():
        site.outcomes.settle(site.frontier.find(url("p1")), "gone", 1)
    site.publish()
    assert len(read(site, "pagelets")) == 9
    assert len(read(site, "pages")) == count(site, "pages")


def test_a_write_that_fails_leaves_the_files_as_they_were(
    site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in site.publish()}
    record(site, "more", [Pagelet("more text")])
    real = publish._batches

    def failing(connection, name, schema, text):
        yield from real(connection, name, schema, text)
        if name == "documents":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "_batches", failing)
    with pytest.raises(OSError, match="No space"):
        site.publish()
    assert {path.name: path.read_bytes() for path in site.tables.iterdir()} == before
    monkeypatch.undo()
    assert len(site.publish()) == len(TABLES)
    assert len(read(site, "pages")) == count(site, "pages")


def test_tables_are_published_while_a_crawl_writes(site: Store) -> None:
    with Store.open(site.folder) as reader, site.transaction():
        site.outcomes.settle(site.frontier.find(url("p1")), "gone", 1)
        reader.publish()
        assert len(read(site, "pagelets")) == 12


def test_all_tables_are_of_one_moment(site: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real = publish._write

    def write(connection, name, path, text) -> None:
        record(site, f"during-{name}", [Pagelet(f"text during {name}")])
        real(connection, name, path, text)

    monkeypatch.setattr(publish, "_write", write)
    with Store.open(site.folder) as reader:
        reader.publish()
    held = [page["page"] for page in read(site, "pages") if page["state"] != "known" and not page["reason"]]
    assert {row["page"] for row in read(site, "pagelets")} == set(held)
    assert {row["fragment"] for row in read(site, "pagelets")} == {
        row["fragment"] for row in read(site, "fragments")
    }


def relations_of(site: Store) -> dict[str, list[tuple]]:
    with site.detection_input() as given, site.evidence(given, memory=100) as con:
        found = {
            name: sorted(con.sql(f"SELECT {', '.join(columns)} FROM {name}").fetchall())
            for name, columns in {
                "pages": ("page", "host", "url", "fingerprint"),
                "pagelets": ("page", "position", "fragment"),
                "fragments": ("fragment", "sketch"),
                "fragment_links": ("fragment", "target"),
                "fragment_blocks": ("fragment", "block", "tag_path_key", "placed"),
            }.items()
        }
    assert not list(site.folder.glob(".scratch-*"))
    assert not site.tables.exists()
    return found


def test_detection_reads_the_same_from_memory_and_from_files(
    site: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(site, "empty", [])
    record(site, "gone", [Pagelet("text that is gone")])
    with site.transaction():
        site.outcomes.settle(site.frontier.find(url("gone")), "gone", 1)
    in_memory = relations_of(site)
    assert len(in_memory["pages"]) == 4
    assert all(in_memory.values())
    monkeypatch.setattr(evidence, "MOST_ROWS", 11)
    assert not evidence.is_small(site.connection)
    assert relations_of(site) == in_memory


def test_detection_reads_a_store_without_pages(tmp_path) -> None:
    with Store.open(tmp_path / "empty", create=True) as store:
        assert not any(relations_of(store).values())


def test_a_folder_with_a_quote_in_its_name(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_ROWS", 0)
    with Store.open(tmp_path / "it's", create=True) as store:
        record(store, "p", [MENU], begin(store))
        assert len(relations_of(store)["pages"]) == 1


def test_the_published_tables_are_read_by_duckdb(site: Store) -> None:
    site.publish()
    with duckdb.connect() as con:
        links = con.execute(
            "SELECT count(*) FROM read_parquet(?) JOIN read_parquet(?) USING (fragment)",
            [str(site.tables / "pagelets.parquet"), str(site.tables / "fragment_links.parquet")],
        ).fetchall()
    assert links == [(24,)]


def test_the_names_of_before_are_views(site: Store) -> None:
    site.publish()
    before = {
        "pagelets": ("pagelets", "page position content path"),
        "paths": ("tag_paths", "path name"),
        "contents": ("fragments", "content fingerprint sketch sketch_values words chars links"),
        "content_links": ("fragment_links", "content position target anchor nofollow"),
        "content_blocks": ("fragment_blocks", "content block place placed"),
        "places": ("tag_path_support", "place pages share fresh repeats"),
    }
    with duckdb.connect(config={"file_search_path": str(site.tables)}) as con:
        con.execute((files("store") / "compat.sql").read_text())
        for view, (table, columns) in before.items():
            found = con.execute(f"SELECT * FROM {view}")
            assert [column[0] for column in found.description] == columns.split()
            assert found.fetchall() == [tuple(row.values()) for row in read(site, table)]
