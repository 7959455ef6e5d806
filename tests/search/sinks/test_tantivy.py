from __future__ import annotations

import pytest

from settings.errors import WrongSetting
from tests.indexed import held, index, marked, opened, paths, search, sink_of, wanted


@pytest.mark.parametrize(
    ("language", "text", "query", "shown"),
    [
        ("english", "She walked along the walls.", "walking wall", "She *walked* along the *walls*."),
        ("french", "Les élèves étudiaient.", "étudier eleves", "Les *élèves* *étudiaient*."),
        ("german", "Die Häuser der Straßen", "Haus Straße", "Die *Häuser* der *Straßen*"),
        ("russian", "каменные стены", "стена", "каменные *стены*"),
    ],
)
def test_words_of_one_stem_are_one_where_a_language_is_set(tmp_path, language, text, query, shown):
    sink = opened(tmp_path, language=language)
    sink.write([index("/a", text)])
    assert marked(search(sink, query).hits[0]) == shown
    sink.close()


def test_words_are_not_stemmed_where_none_is_set(tmp_path):
    sink = opened(tmp_path)
    sink.write([index("/a", "She walked along the walls.")])
    assert paths(sink, "walking wall") == []
    sink.close()


def test_another_language_makes_another_index(tmp_path):
    sink = opened(tmp_path, language=" English ")
    first = sink.open()
    sink.close()
    same = sink_of(tmp_path, language="english")
    assert same.open() == first
    same.close()
    other = sink_of(tmp_path, language="french")
    assert other.open() != first
    other.close()


def test_an_unknown_language_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(
        WrongSetting, match="TANTIVY_LANGUAGE: unknown language 'englisch'; did you mean 'english'"
    ):
        sink_of(tmp_path, language="englisch")


def test_indexes_that_do_not_count_are_removed(tmp_path):
    sink = opened(tmp_path)
    name = sink.open()
    sink.close()
    (tmp_path / "tantivy" / "begun-00000000").mkdir()
    assert sink.open() == name
    assert [path.name for path in (tmp_path / "tantivy").iterdir() if path.is_dir()] == [name]
    sink.close()


@pytest.mark.parametrize("name", ["", "../..", "elsewhere", "x\0y"])
def test_a_damaged_name_of_the_index_is_none(tmp_path, name):
    sink = opened(tmp_path)
    sink.close()
    (tmp_path / "tantivy" / "current").write_text(name)
    sink.open()
    sink.write([index("/a", "granite")])
    assert paths(sink, "granite") == ["/a"]
    sink.close()


def test_a_hash_that_is_none_is_refused(tmp_path):
    sink = opened(tmp_path)
    odd = index("/odd", "granite", content_hash="odd")
    assert "32 hexadecimal digits" in sink.write([odd])[odd.id].reason
    sink.close()


def test_many_batches_are_merged_and_lose_nothing(tmp_path):
    sink = opened(tmp_path)
    batches = [
        [index(f"/{number}", f"granite {batch}") for number in range(batch, batch + 3)] for batch in range(20)
    ]
    for batch in batches:
        sink.write(batch)
    sink.close()
    assert held(sink) == wanted([one for batch in batches for one in batch])
    assert len(list((tmp_path / "tantivy" / sink.open()).glob("*.store"))) < 10
    sink.close()
