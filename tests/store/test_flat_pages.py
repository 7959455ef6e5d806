"""A page of a round is judged as it was read, and whatever becomes of the round's file, nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import zstandard

import store.flat_pages
from pagelets.overrides import NO_SELECTORS, Selectors
from pagelets.page_bytes import to_bytes
from pagelets.reading import read
from store.flat_pages import FILE, MEMORY, FlatPages
from tests.pagelets.test_page_bytes import fields
from tests.store.sites import begin, record, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store.site import Store

HTML = "<p>One <a href=/b>two</a></p><ul><li><a href=/c>c</a><li><a href=/d>d</a><li><a href=/e>e</a></ul>"
OTHERS = Selectors(("b",), ("i",))


class Kept:
    """A store with one page, which is kept for the round."""

    def __init__(self, opened: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = opened
        self.path = opened.folder / FILE
        self.parsed = 0
        begin(opened)
        self.page = record(opened, "a", [], body=HTML.encode())
        self.read = read(HTML, url("a"))
        opened.flat_pages.keep(self.page, self.read)
        monkeypatch.setattr(store.flat_pages, "read", self._parse)

    def _parse(self, *arguments):
        self.parsed += 1
        return read(*arguments)

    def is_there(self, flat_pages: FlatPages | None = None) -> bool:
        """Whether the page is had without parsing it; checks that it is the page in any case."""
        before = self.parsed
        found = (flat_pages or self.store.flat_pages).read(self.page)
        assert fields(found) == fields(self.read)
        return self.parsed == before

    def other(self) -> FlatPages:
        """As another process opens it."""
        return FlatPages(self.store.connection, self.store.folder, self.store.bodies)

    def change(self, what: str, *values: object) -> None:
        """Writes into the file as a stranger."""
        with closing(sqlite3.connect(self.path)) as file, file:
            file.execute(f"UPDATE flat_pages SET {what}", values)

    def content(self) -> bytes:
        with closing(sqlite3.connect(self.path)) as file:
            return file.execute("SELECT packed FROM flat_pages").fetchone()[0]


@pytest.fixture(autouse=True)
def in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has pages go to the file, as those of a large site."""
    monkeypatch.setattr(store.flat_pages, "MEMORY", 0)


@pytest.fixture
def kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    yield Kept(store, monkeypatch)


def test_a_page_is_as_it_was_read(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    assert kept.is_there()
    flat_pages = kept.other()
    assert kept.is_there(flat_pages)
    flat_pages.close()
    assert kept.parsed == 0
    with pytest.raises(KeyError):
        kept.store.flat_pages.read(7)
    assert not caplog.records


def test_a_page_that_is_not_there_is_read_from_its_body(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(KeyError):
        kept.store.flat_pages.read(record(kept.store, "b", []) + 1)
    kept.store.flat_pages.clear()
    assert not [path for path in kept.store.folder.iterdir() if path.name.startswith("round")]
    assert not kept.is_there()
    assert not caplog.records


def test_a_page_of_another_version_is_read_from_its_body_and_told_once(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for selectors, deciding in ((OTHERS, None), (NO_SELECTORS, OTHERS)):
        found = kept.store.flat_pages.read(kept.page, selectors, deciding)
        assert fields(found) == fields(read(HTML, url("a"), selectors, deciding))
    assert kept.parsed == 2
    assert len(caplog.records) == 1
    assert str(kept.path) in caplog.text
    assert f"what it keeps of {url('a')} is read by another version, or with other selectors" in caplog.text


def test_a_page_of_another_fetch_is_read_from_its_body(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    with kept.store.transaction():
        kept.store.connection.execute("UPDATE pages SET fetched_run = 2")
    assert not kept.is_there()
    assert "of another fetch" in caplog.text
    kept.store.flat_pages.keep(kept.page, kept.read)
    assert kept.is_there()
    kept.change("page = page + 1")
    assert not kept.is_there()
    assert len(caplog.records) == 1


def test_what_is_altered_is_read_from_the_body(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    content = kept.content()
    plain = zstandard.ZstdDecompressor().decompress(content)
    bomb = zstandard.ZstdCompressor().compress(bytes(store.flat_pages.MAX_SIZE + 1))
    contents = [content[:size] for size in range(0, len(content), 7)]
    places = range(0, len(content), 3)
    flipped = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] for place in places]
    for changed in (plain[:3], plain[:50], plain.replace(b"two", b"one"), plain + b"x"):
        contents.append(zstandard.ZstdCompressor().compress(changed))
    other = zstandard.ZstdCompressor().compress(to_bytes(read(HTML, url("other"))))
    for changed in (*contents, bomb, other, b"", 5, "text"):
        kept.change("packed = ?", changed)
        assert not kept.is_there(), changed
    # Not all bits of a compressed page say something.
    assert sum(kept.change("packed = ?", changed) or kept.is_there() for changed in flipped) < 3
    assert len(caplog.records) == 1


@pytest.mark.parametrize("damage", ["cut", "garbage", "other tables", "a folder"])
def test_a_file_that_cannot_be_used_is_told_once(
    kept: Kept, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    kept.store.flat_pages.close()
    data = kept.path.read_bytes()
    if damage == "cut":
        kept.path.write_bytes(data[: len(data) // 2])
    elif damage == "garbage":
        kept.path.write_bytes(os.urandom(len(data)))
    else:
        kept.path.unlink()
        if damage == "a folder":
            kept.path.mkdir()
        else:
            with closing(sqlite3.connect(kept.path)) as file:
                file.execute("CREATE TABLE flat_pages (page, content)")
    flat_pages = kept.other()
    assert not kept.is_there(flat_pages)
    assert not kept.is_there(flat_pages)
    assert [str(kept.path) in line.getMessage() for line in caplog.records] == [True]
    # Nor is anything kept in it, and the round goes on.
    flat_pages.keep(kept.page, kept.read)
    assert not kept.is_there(flat_pages)
    flat_pages.close()


def test_a_full_disk_loses_nothing(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    flat_pages = kept.store.flat_pages
    flat_pages._opened_to_write().execute("PRAGMA max_page_count = 1")
    for _ in range(3):
        for number in range(30):
            page = record(kept.store, str(number), [], body=HTML.encode())
            flat_pages.keep(page, read(HTML * number, url(str(number))))
    assert len(caplog.records) == 1
    assert "full; nothing is lost" in caplog.text
    # What it held makes room.
    assert not kept.path.exists()
    assert not kept.is_there()


def test_a_page_as_large_as_no_page_is_read_from_its_body(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.flat_pages, "MAX_SIZE", 100)
    page = record(kept.store, "b", [], body=HTML.encode())
    kept.store.flat_pages.keep(page, read(HTML, url("b")))
    assert kept.store.flat_pages.read(page).url == url("b")
    assert kept.parsed == 1


READER = """
import sys
from pathlib import Path
from store import flat_pages
from store.site import Store

flat_pages.read = None
with Store.open(Path(sys.argv[1])) as store:
    for line in sys.stdin:
        print(store.flat_pages.read(int(line)).url, flush=True)
"""


KILLED = """
import os, signal, sys
from pathlib import Path
from pagelets.reading import read
from store import flat_pages
from store.site import Store
flat_pages.MEMORY = 0
from tests.store.sites import record, url

with Store.open(Path(sys.argv[1])) as store:
    for number in range(30):
        page = record(store, str(number), [])
        found = read("<p>x", url(str(number)))
        store.flat_pages.keep(page, found)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_kept_is_there(kept: Kept) -> None:
    kept.store.flat_pages.close()
    assert subprocess.run([sys.executable, "-c", KILLED, kept.store.folder], check=False).returncode == -9
    flat_pages = kept.other()
    assert kept.is_there(flat_pages)
    assert [flat_pages.read(page).url for page in range(2, 32)] == [url(str(n)) for n in range(30)]
    # The next run goes on with it.
    flat_pages.keep(kept.page, kept.read)
    assert kept.is_there(flat_pages)
    assert flat_pages.read(31).url == url("29")
    flat_pages.close()
    assert kept.parsed == 0


def test_another_process_reads_what_a_crawl_writes(kept: Kept) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READER, kept.store.folder], stdin=-1, stdout=-1, text=True
    ) as reader:
        for number in range(20):
            page = record(kept.store, str(number), [])
            kept.store.flat_pages.keep(page, read(HTML, url(str(number))))
            reader.stdin.write(f"{page}\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == f"{url(str(number))}\n"
        # The next round has a file of its own, which a reader of this one leaves alone.
        kept.store.flat_pages.clear()
        kept.store.flat_pages.keep(kept.page, kept.read)
        reader.stdin.close()
        assert reader.wait() == 0
    assert kept.path.with_name(f"{FILE}-wal").exists()
    assert kept.is_there(kept.other())


class TestInMemory:
    @pytest.fixture
    def waiting(self, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> Kept:
        monkeypatch.setattr(store.flat_pages, "MEMORY", MEMORY)
        kept.store.flat_pages.clear()
        kept.store.flat_pages.keep(kept.page, kept.read)
        return kept

    def test_a_page_waits_without_a_file(self, waiting: Kept) -> None:
        assert not waiting.path.exists()
        assert waiting.store.flat_pages.read(waiting.page) is waiting.read
        assert waiting.is_there()
        waiting.store.flat_pages.clear()
        assert not waiting.is_there()

    def test_another_fetch_or_other_selectors_do_not_have_it(self, waiting: Kept) -> None:
        found = waiting.store.flat_pages.read(waiting.page, OTHERS)
        assert fields(found) == fields(read(HTML, url("a"), OTHERS))
        with waiting.store.transaction():
            waiting.store.connection.execute("UPDATE pages SET fetched_at = 'later'")
        assert not waiting.is_there()

    def test_beyond_the_bound_pages_go_to_the_file(
        self, waiting: Kept, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store.flat_pages, "MEMORY", 2 * store.flat_pages._size(waiting.read) - 1)
        waiting.store.flat_pages.clear()
        other = record(waiting.store, "b", [], body=HTML.encode())
        waiting.store.flat_pages.keep(waiting.page, waiting.read)
        waiting.store.flat_pages.keep(waiting.page, waiting.read)
        assert not waiting.path.exists()
        waiting.store.flat_pages.keep(other, read(HTML, url("b")))
        assert waiting.path.exists()
        waiting.store.flat_pages.close()
        assert waiting.is_there(waiting.other())

    def test_one_that_cannot_be_written_costs_no_other(
        self, waiting: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        other = record(waiting.store, "b", [], body=HTML.encode())
        waiting.store.flat_pages.keep(other, read(HTML, url("b")))
        own = store.flat_pages.to_bytes

        def to_bytes(page):
            if page.url == url("a"):
                raise RecursionError("injected")
            return own(page)

        monkeypatch.setattr(store.flat_pages, "to_bytes", to_bytes)
        waiting.store.flat_pages.write()
        assert f"{url('a')}: injected" in caplog.text
        before = waiting.parsed
        waiting.other().read(other)
        assert waiting.parsed == before
        assert not waiting.is_there()
