from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspection.teaching import (
    LONGEST,
    Lesson,
    SheetBlock,
    SheetPage,
    WrongSheet,
    lessons_text,
    merged,
    parsed,
    placed,
    read_lessons,
    sheet_text,
    taught_pages,
    written,
)
from settings.errors import ConfigurationError

blocks = st.builds(SheetBlock, st.booleans(), st.floats(0, 1), st.text().map(sheet_text)).filter(
    lambda block: bool(block.text)
)
sheets = st.lists(
    st.tuples(st.integers(0, 99).map("https://example.org/a page/{}".format), st.lists(blocks, max_size=6)),
    max_size=4,
    unique_by=lambda page: page[0],
)


@given(sheets, st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_back(pages: list, line_end: str) -> None:
    text = written("stones", [SheetPage(url, own) for url, own in pages]).replace("\n", line_end)
    found = parsed("\ufeff" + text)
    assert list(found) == [url for url, _ in pages]
    for url, own in pages:
        lines = found[url][1]
        assert [(line.keep, line.likely, line.text) for line in lines] == [
            (block.keep, block.number, block.text) for block in own
        ]
        signs = dict(placed(lines, own))
        assert [signs[place] for place in range(len(own))] == [block.keep for block in own]


def test_a_text_is_one_line_and_its_beginning() -> None:
    assert sheet_text(" a\n b\x1b[0m\u2028c\ud800 ") == "a b[0m c"
    assert len(sheet_text("word " * 100)) == LONGEST - 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+ 0.93 text", "line 1: there is no page yet"),
        ("# https://a/\n\n0.93 text", "line 3: '0.93 text' cannot be read"),
        ("# https://a/\n* 0.93 text", "line 2: "),
        ("# https://a/\n+ text", "line 2: "),
        ("# https://a/\n+ 0.93", "line 2: "),
    ],
)
def test_a_line_that_is_none_is_named(text: str, said: str) -> None:
    with pytest.raises(WrongSheet, match=said.replace("*", r"\*")):
        parsed(text)


def test_comments_and_empty_lines_say_nothing() -> None:
    assert parsed("# a comment: https://a/\n#https://b/\n\n# no url") == {}


def test_a_text_that_is_not_on_the_page_is_named() -> None:
    page = [SheetBlock(True, 0.5, "one"), SheetBlock(True, 0.25, "same"), SheetBlock(True, 0.75, "same")]
    lines = parsed("# https://a/\n- 0.75 same\n+ 0.99 same\n- 0.50 one")["https://a/"][1]
    assert dict(placed(lines, page)) == {2: False, 1: True, 0: False}
    for wrong in ("+ 0.50 onee", "+ 0.50 one\n+ 0.50 one"):
        with pytest.raises(WrongSheet, match=f"line {1 + len(wrong.splitlines())}: no such block"):
            list(placed(parsed(f"# https://a/\n{wrong}")["https://a/"][1], page))


def test_the_newest_word_on_a_block_counts() -> None:
    assert merged({0: False}, [1, 0, -1, -1], [True, True, True, False]) == [False, False, True, False]


def test_lessons_are_read_back_and_the_newest_page_counts(tmp_path) -> None:
    lessons = [
        Lesson("2026-01-01", {"https://a/": [("one", True), ("two", False)], "https://b/": []}, {}),
        Lesson("2026-01-02", {"https://a/": [("one", False)]}, {".a": 1.5}),
    ]
    path = tmp_path / "a.taught.jsonl"
    assert read_lessons(path) == []
    path.write_text(lessons_text(lessons), encoding="utf-8")
    assert read_lessons(path) == lessons
    assert taught_pages(lessons) == {"https://a/": [("one", False)], "https://b/": []}
    for wrong in ("{", "[]", '{"pages": {"a": [1]}, "before": {}, "taught_at": ""}'):
        path.write_text(lessons_text(lessons) + wrong, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"a\.taught\.jsonl:3: no lesson"):
            read_lessons(path)
