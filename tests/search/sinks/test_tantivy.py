from __future__ import annotations

import shutil

import pytest
import tantivy

from pagelets.fields import FIELD_TYPES, FieldColumn
from search.columns import TEXT_CHARS
from search.query import NoIndex, Query
from search.sink import Place
from search.sinks.embedded.layout import NO_COLUMNS
from search.sinks.embedded.tantivy_index import schema
from search.sinks.tantivy import TantivySink
from search.where import Among, Missing
from settings.errors import WrongSetting
from tests.indexed import delete, held, index, marked, opened, paths, search, sink_of, wanted


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


WALLS = "She walked along the walls."


def test_the_language_of_most_documents_is_found(tmp_path):
    sink = opened(tmp_path, language="auto")
    early = sink_of(tmp_path, language="auto")
    assert paths(early, "wall") == []
    name = sink.open()
    sink.write([delete("/gone")])
    mixed = [index("/a", WALLS, language="en-GB"), index("/b", "Les murs", language="fr")]
    sink.write([*mixed, index("/c", "Two walls", language="en")])
    sink.write([index("/d", f"Encore: {WALLS}", language="fr") for _ in range(3)])
    assert sink.open() == name
    assert paths(sink, "walking wall -two") == paths(early, "walking wall -two") == ["/a", "/d"]
    sink.close()
    again = opened(tmp_path, language="auto")
    assert again.open() == name
    # What was found at first is another language when the index is made anew.
    with again.rebuild():
        again.write([index("/a", WALLS, language="fr")])
    assert (paths(again, "walk"), paths(again, "along")) == ([], ["/a"])
    again.close()


@pytest.mark.parametrize("languages", [("en", "fr"), (None, None), ("ja", "ja")])
def test_words_are_not_stemmed_where_no_language_has_most_documents(tmp_path, languages):
    sink = opened(tmp_path, language="auto")
    sink.write([index(f"/{number}", WALLS, language=one) for number, one in enumerate(languages)])
    assert (paths(sink, "wall"), sorted(paths(sink, "walls"))) == ([], ["/0", "/1"])
    sink.close()


def test_an_index_of_before_serves_on_without_stems(tmp_path):
    before = opened(tmp_path, language="")
    before.write([index("/a", WALLS)])
    name = before.open()
    before.close()
    sink = opened(tmp_path, language="auto")
    sink.write([index("/b", WALLS, language="en")])
    found = sorted(paths(sink, "walls"))
    assert (sink.open(), paths(sink, "wall"), found) == (name, [], ["/a", "/b"])
    sink.close()


def test_no_language_makes_an_index_anew_that_has_stems(tmp_path):
    sink = opened(tmp_path, language="auto")
    sink.write([index("/a", WALLS, language="en")])
    name = sink.open()
    sink.close()
    plain = sink_of(tmp_path, language="")
    with pytest.raises(NoIndex, match="with these options"):
        search(plain, "walls")
    assert plain.open() != name
    plain.close()


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
        WrongSetting, match=r"TANTIVY\.language: unknown language 'englisch'; did you mean 'english'"
    ):
        sink_of(tmp_path, language="englisch")


def test_an_index_of_an_earlier_version_serves_on_without_columns(tmp_path):
    """Such an index has no file that names columns, and no fields for them."""
    sink = opened(tmp_path)
    name = sink.open()
    sink.close()
    folder = tmp_path / "tantivy" / name
    shutil.rmtree(folder)
    folder.mkdir()
    tantivy.Index(schema(NO_COLUMNS), str(folder), reuse=False)
    assert sink.open() == name
    sink.write([index("/a", "granite", price=3)])
    assert paths(sink, "granite") == ["/a"]
    with pytest.raises(NoIndex, match=r"without fields; scrapy index site\.example --rebuild"):
        sink.searched_columns()
    sink.close()
    price = FieldColumn("price", "number")
    priced = TantivySink(Place("site.example", tmp_path, columns=(price,)))
    assert priced.open() != name
    assert priced.columns_there() == ()
    with pytest.raises(NoIndex, match="the index has no field price of this type; scrapy index"):
        priced.search(Query.parse("", where=Missing(price)))
    with priced.rebuild():
        priced.write([index("/a", "granite", price=3)])
    assert price in priced.searched_columns()
    (hit,) = priced.search(Query.parse("", where=Among(price, (3.0,)))).hits
    assert (hit.url, hit.fields) == ("https://site.example/a", {"price": 3})
    priced.close()


@pytest.mark.parametrize("text", ["", "[[1]]", "{}5", "\0", '[["a", "number"]]'])
def test_an_index_with_damaged_columns_is_made_anew(tmp_path, text, caplog):
    sink = opened(tmp_path)
    name = sink.open()
    sink.close()
    (tmp_path / "tantivy" / name / "columns.json").write_text(text)
    assert sink.open() != name
    assert "it is made anew and filled again" in caplog.text
    sink.close()


def test_values_that_a_column_cannot_have_are_no_values(tmp_path):
    columns = tuple(FieldColumn(f"a_{type_}", type_, many=type_ == "url") for type_ in FIELD_TYPES)
    sink = TantivySink(Place("site.example", tmp_path, columns=columns))
    sink.open()
    odd = [
        {"number": float("nan"), "date": "soon", "boolean": "yes", "url": [None, 5], "text": 7, "html": []},
        {"number": 10**400, "date": "0001-01-01T00:00:00+14:00", "boolean": 1, "url": "", "text": None},
        {"number": True, "text": "\ud800\0" * 9000, "html": "<p>" * 9000, "url": ["x" * 70_000, "y\0"]},
    ]
    assert not sink.write(
        [
            index(f"/{place}", "granite", **{f"a_{type_}": value for type_, value in one.items()})
            for place, one in enumerate(odd)
        ]
    )
    missing = {
        type_: [hit.url[-1] for hit in sink.search(Query.parse("", where=Missing(column))).hits]
        for type_, column in zip(FIELD_TYPES, columns, strict=True)
    }
    assert missing == {
        "text": ["0", "1"], "number": ["0", "1"], "date": ["0", "1", "2"], "boolean": ["0", "1", "2"],
        "url": ["0"], "html": ["0", "1"],
    }  # fmt: skip
    text = next(column for column in columns if column.type == "text")
    where = Among(text, ("\ufffd" * TEXT_CHARS,))
    assert [hit.url[-1] for hit in sink.search(Query.parse("", where=where)).hits] == ["2"]
    sink.close()


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
