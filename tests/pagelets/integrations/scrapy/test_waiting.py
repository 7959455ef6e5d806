"""Items and pages on disk."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagelets.integrations.scrapy.waiting import FetchedPage, Records, Waiting
from pagelets.reading.source import MAX_SIZE

RECORDS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.binary(max_size=40)), max_size=8)


@given(RECORDS, st.integers(0, 400), RECORDS)
def test_a_file_that_was_cut_off_has_all_whole_records_and_takes_more(
    written: list[tuple[int, bytes]], cut: int, more: list[tuple[int, bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records"
        records = Records(path)
        ends = []
        for key, content in written:
            records.append(key, content)
            ends.append(path.stat().st_size)
        records.close()
        with path.open("ab") as file:
            file.truncate(min(cut, path.stat().st_size))
        whole = written[: sum(end <= cut for end in ends)]
        records = Records(path)
        for key, content in more:
            records.append(key, content)
        assert list(zip(records.keys, map(records.__getitem__, range(len(records))), strict=True)) == [
            *whole,
            *more,
        ]
        records.close()


def fetched(body: bytes) -> FetchedPage:
    headers = {b"Content-Type": [b"text/html"]}
    return FetchedPage("https://example.org/", 200, headers, body, "utf-8", "", [], "GET")


def test_items_wait_until_they_are_released(tmp_path: Path) -> None:
    folder = tmp_path / "waiting"
    waiting = Waiting(folder)
    page = waiting.put_page(7, fetched(b"<p>One."))
    for number in range(4):
        waiting.put_item(page, {"number": number})
    waiting.release(1)
    waiting.stop()
    waiting = Waiting(folder)
    assert [waiting.item(number)["number"] for number, _ in waiting.pending()] == [0, 2, 3]
    assert waiting.page(page) == fetched(b"<p>One.")
    assert list(waiting.sites) == [7]
    waiting.release(0)
    waiting.give_up(2)
    assert [number for number, _ in waiting.pending()] == [3]
    waiting.give_up()
    assert len(waiting) == 0
    waiting.close(keeps_pages=False)
    waiting = Waiting(folder)
    assert [number for number, _ in waiting.pending()] == [2, 3]
    waiting.release(2)
    waiting.release(3)
    waiting.close(keeps_pages=False)
    assert not folder.exists()


def test_a_page_is_cut_and_a_folder_is_of_one_crawl(tmp_path: Path) -> None:
    waiting = Waiting(tmp_path / "waiting")
    number = waiting.put_page(1, fetched(b"x" * (MAX_SIZE + 5)))
    assert len(waiting.page(number).body) == MAX_SIZE + 1
    with pytest.raises(BlockingIOError):
        Waiting(tmp_path / "waiting")
    waiting.stop()


class Unreadable(Exception):
    """Is written without its second argument."""

    def __init__(self, text: str, more: str) -> None:
        super().__init__(text)


@pytest.mark.parametrize("item", [lambda: None, {"error": Unreadable("a", "b")}])
def test_an_item_that_cannot_be_written_leaves_the_others(tmp_path: Path, item: Any) -> None:
    waiting = Waiting(tmp_path / "waiting")
    page = waiting.put_page(1, fetched(b""))
    waiting.put_item(page, "one")
    with pytest.raises(Exception, match=r"pickle|local|argument"):
        waiting.put_item(page, item)
    waiting.put_item(page, "two")
    assert [waiting.item(number) for number, _ in waiting.pending()] == ["one", "two"]
    waiting.stop()
