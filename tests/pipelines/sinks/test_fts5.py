from __future__ import annotations

import sqlite3

import pytest

from crawler.indexing.sink import SinkDown
from tests.indexed import delete, index, opened, search


@pytest.fixture
def sink(tmp_path):
    made = opened("fts5", tmp_path)
    yield made
    made.close()


def test_the_words_of_replaced_and_deleted_documents_are_gone(sink, tmp_path):
    texts = ["granite ÆØ 東京", "x" * 50_000, "", "granite granite"]
    for text in texts:
        sink.write([index("/a", text, "Title"), index("/b", text)])
    sink.write([delete("/a"), delete("/b")])
    sink.close()
    connection = sqlite3.connect(tmp_path / "fts5.sqlite")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, row)")
    assert connection.execute("SELECT term FROM terms").fetchall() == []
    connection.close()


def test_a_database_of_something_else_is_left_for_a_new_one(sink, tmp_path, caplog):
    sink.close()
    (tmp_path / "fts5.sqlite").unlink()
    connection = sqlite3.connect(tmp_path / "fts5.sqlite")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    sink.open()
    assert "made anew" in caplog.text
    sink.write([index("/a", "granite")])
    assert search(sink, "granite").total == 1


def test_a_database_that_turns_out_to_be_damaged_is_made_anew_when_it_is_opened_again(sink, tmp_path):
    before = sink.open()
    sink.write([index(f"/{number}", f"granite {number}") for number in range(200)])
    sink.close()
    path = tmp_path / "fts5.sqlite"
    with path.open("r+b") as file:
        # What the first pages hold is found when the database is opened.
        file.seek(16 * 4096)
        file.write(b"\xff" * (path.stat().st_size - 16 * 4096))
    assert sink.open() == before
    with pytest.raises(SinkDown, match="--rebuild"):
        for number in range(200):
            sink.write([index(f"/{number}", f"basalt {number}")])
    assert sink.open() != before
    assert search(sink, "granite").total == 0
