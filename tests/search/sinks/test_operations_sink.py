from __future__ import annotations

import json
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagelets.document import FIELDS, content_hash
from pagelets.fields import FieldColumn
from search.sink import Operation, Place, SinkDown, document_id
from search.sinks.operations import OperationsSink
from settings.errors import WrongSetting

if TYPE_CHECKING:
    from pathlib import Path


URL = "https://site.example/"


def index(name: str, text: str) -> Operation:
    url = f"{URL}{name}"
    document = {"url": url, "site": "site.example", "text": text, "content_hash": content_hash(text)}
    return Operation(document_id(url), url, document)


def delete(name: str) -> Operation:
    url = f"{URL}{name}"
    return Operation(document_id(url), url, None, "http 404")


def opened(folder: Path, **options: str) -> OperationsSink:
    sink = OperationsSink(Place("site.example", folder, options))
    sink.open()
    return sink


def lines(sink: OperationsSink) -> list[dict]:
    return [json.loads(line) for line in sink.path.read_text().splitlines()]


def test_operations_are_lines_as_in_a_feed(tmp_path):
    sink = opened(tmp_path)
    assert sink.write([index("a", "one"), delete("b")]) == {}
    assert lines(sink) == [
        {"op": "index", "url": "https://site.example/a", "document": index("a", "one").document},
        {"op": "delete", "url": "https://site.example/b", "reason": "http 404"},
    ]
    assert (sink.units, sink.fields) == ("documents", FIELDS)
    # A rebuild writes what a crawl does.
    with_price = Place("site.example", tmp_path, columns=(FieldColumn("price", "number"),))
    assert OperationsSink(with_price).fields == (*FIELDS, "fields_hash", "price")


def test_the_path_may_name_the_site(tmp_path):
    sink = opened(tmp_path / "unused", path=str(tmp_path / "out" / "{site}.jsonl"))
    sink.write([index("a", "one")])
    assert sink.path == tmp_path / "out" / "site.example.jsonl"
    assert not (tmp_path / "unused").exists()
    with pytest.raises(WrongSetting, match=r"\{sit\} is unknown; .* is \{site\}"):
        opened(tmp_path, path="out/{sit}.jsonl")


@pytest.mark.parametrize("torn", [b'{"op": "ind', b"x" * 200_000, b""])
def test_a_torn_line_is_cut_off(tmp_path, torn):
    sink = opened(tmp_path)
    sink.write([index("a", "one")])
    with sink.path.open("ab") as file:
        file.write(torn)
    sink = opened(tmp_path)
    sink.write([index("b", "two")])
    assert [line["url"][-1] for line in lines(sink)] == ["a", "b"]


def test_a_file_that_is_one_torn_line_is_emptied(tmp_path):
    (tmp_path / "operations.jsonl").write_bytes(b'{"op"')
    assert opened(tmp_path).path.read_bytes() == b""


def test_a_file_that_was_taken_away_is_begun_anew(tmp_path):
    sink = opened(tmp_path)
    name = sink.open()
    sink.write([index("a", "one")])
    sink.path.unlink()
    sink.write([index("b", "two")])
    assert [line["url"][-1] for line in lines(sink)] == ["b"]
    assert sink.open() == name


@pytest.mark.parametrize("fails", [False, True])
def test_a_rebuild_takes_the_place_of_the_file_at_its_end(tmp_path, fails):
    sink = opened(tmp_path)
    sink.write([index("a", "one"), index("b", "two")])
    before = sink.path.read_bytes()

    def rebuild() -> None:
        with sink.rebuild():
            sink.write([index("c", "three")])
            assert sink.path.read_bytes() == before
            if fails:
                raise SinkDown("broken off")

    if fails:
        with pytest.raises(SinkDown):
            rebuild()
        assert sink.path.read_bytes() == before
    else:
        rebuild()
        assert [line["url"][-1] for line in lines(sink)] == ["c"]
    assert [path.name for path in tmp_path.iterdir()] == ["operations.jsonl"]


def test_sites_may_share_a_file(tmp_path):
    path = str(tmp_path / "all.jsonl")
    sink, other = (OperationsSink(Place(site, tmp_path, {"path": path})) for site in ("site.example", "b"))
    theirs = "https://b.example/"
    document = {"url": theirs, "site": "b", "text": "b", "content_hash": content_hash("b")}
    other.write([Operation(document_id(theirs), theirs, document), delete("of-b")])
    sink.write([index("a", "one")])
    with sink.rebuild():
        sink.write([index("c", "three")])
        other.write([delete("later")])
    assert [line["url"] for line in lines(sink)] == [theirs, f"{URL}of-b", f"{URL}later", f"{URL}c"]
    assert [dict(each.held()) for each in (sink, other)] == [
        {document_id(f"{URL}c"): content_hash("three")},
        {document_id(theirs): content_hash("b")},
    ]


def test_sites_that_share_a_file_may_be_crawled_at_once(tmp_path):
    path, rounds, texts = str(tmp_path / "all.jsonl"), 15, "x" * 4000

    def work(site: str) -> None:
        for number in range(rounds):
            sink = OperationsSink(Place(site, tmp_path / site, {"path": path}))
            sink.open()
            sink.write([index(f"{site}/{number}/{entry}", texts) for entry in range(100)])

    with ThreadPoolExecutor() as pool:
        list(pool.map(work, "abc"))
    assert len({line["url"] for line in lines(opened(tmp_path, path=path))}) == 3 * rounds * 100


def test_a_rebuild_mends_a_file_of_something_else(tmp_path):
    (tmp_path / "operations.jsonl").write_text("no JSON\n")
    sink = OperationsSink(Place("site.example", tmp_path, {}))
    with sink.rebuild():
        sink.write([index("a", "one")])
    assert [line["url"] for line in lines(sink)] == [f"{URL}a"]


def test_a_full_disk_leaves_whole_lines(tmp_path):
    sink = opened(tmp_path)
    sink.write([index("a", "one")])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sink.path.stat().st_size + 100, before[1]))
    try:
        with pytest.raises(SinkDown, match=r"operations\.jsonl"):
            sink.write([index("b", "two " * 5000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [line["url"][-1] for line in lines(sink)] == ["a"]
    sink.write([index("b", "two")])
    assert [line["url"][-1] for line in lines(sink)] == ["a", "b"]


def test_a_place_that_cannot_be_written_is_a_sink_that_is_down(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SinkDown, match=r"file.*see that the place can be written"):
        opened(tmp_path, path=str(tmp_path / "file" / "operations.jsonl"))


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/full"):
        with pytest.raises(WrongSetting, match=f"path: {path} is a pipe or device; give the path of a file"):
            opened(tmp_path, path=str(path))


def test_a_file_of_something_else_is_told(tmp_path):
    (tmp_path / "operations.jsonl").write_text("no JSON\n")
    with pytest.raises(SinkDown, match="no file of operations; move it away"):
        list(opened(tmp_path).held())


NAMES = st.sampled_from("abc")
TEXT = st.text(alphabet=st.characters(codec=None), max_size=5)


@settings(max_examples=40)
@given(st.lists(st.lists(st.tuples(NAMES, st.none() | TEXT), max_size=4)))
def test_a_reader_of_the_file_holds_what_was_written_last(tmp_path_factory, batches):
    folder = tmp_path_factory.mktemp("operations")
    model = {}
    for batch in batches:
        sink = opened(folder)
        operations = [
            delete(name) if text is None else index(name, text) for name, text in dict(batch).items()
        ]
        sink.write(operations)
        for operation in operations:
            model.pop(operation.id, None)
            if operation.document is not None:
                model[operation.id] = operation.document["content_hash"]
    assert dict(opened(folder).held()) == model
