"""The file of all documents of a site, which is always whole, and the file of what a run has changed."""

from __future__ import annotations

import contextlib
import json
import os
import re
from array import array
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import orjson

from crawler.feeds.exporters import as_line
from pagelets.judging.config import JudgeConfig
from store.changes import CHANGES, PUT, FiledDocument, filed_documents
from store.meta import FILED_FIELDS
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Make = Callable[[int, str], Mapping[str, Any] | None]
    """Takes the id and the URL of a page; returns its document, None where it cannot be had."""

FILE: Final = "documents.jsonl"
KEPT: Final = 30
"""So many files of changes stay."""

_BUFFER: Final = 1 << 20
_URL: Final = re.compile(rb'\{"url": ?"([^"\\\x80-\xff]*)"')
"""Others may be no UTF-8, in a file that was damaged."""
_END: Final = b"\xff"
"""Comes after every URL in UTF-8."""


class DocumentsFile:
    """Keeps ``documents.jsonl`` of a site, in order of the URLs, and writes ``changes/RUN.jsonl``.

    What a run changes is written to a hidden file as it goes out. `write` merges that with the file that is
    there, and puts both new files in their places. It comes before the store notes that documents were
    delivered: where the process ends in between, the next run sends the same changes again. A document that
    neither has is made from the store.

    Args:
        folder: the folder of the store.
        home: the folder of the site, which has the file that the new one replaces.
        run: the number of the run.
        config: says which fields documents have.
        find: returns the page of a URL, None for an unknown one.

    """

    def __init__(
        self, folder: Path, home: Path, run: int, config: JudgeConfig, find: Callable[[str], int | None]
    ) -> None:
        with_fields = [override for override in config.overrides if "fields" in override]
        fields = sorted(config.fields or config.registry.field_names)
        # A site whose folder is renamed has another name in its documents.
        self.fields = json.dumps([fields, with_fields, home.name], sort_keys=True)
        self.path = home / FILE
        self.changes = home / CHANGES / f"{run}.jsonl"
        self.written = False
        self._filed, self._partial = folder / FILE, folder / f".{FILE}"
        self._partial_changes = folder / CHANGES / f".{run}.jsonl"
        self._find = find
        self._error: OSError | None = None
        self._journal: BinaryIO | None = None
        self._pages, self._places = array("q"), array("q")

    def put(self, url: str, document: Mapping[str, Any]) -> None:
        """Takes a document that goes out. Raises nothing where it cannot be written: `write` does."""
        self._change(url, PUT + as_line({"url": url, **document})[1:])

    def delete(self, url: str, reason: str) -> None:
        """Takes a deletion that goes out; raises as `put`."""
        self._change(url, _deletion(url, reason))

    def _change(self, url: str, line: bytes) -> None:
        page = self._find(url)
        if page is None or self._error is not None:
            return
        try:
            journal = self._opened()
            place = journal.tell()
            journal.write(line)
        except OSError as error:
            self._error = error
            # Its room may be what the store lacks.
            self.close()
        else:
            self._pages.append(page)
            self._places.append(place)

    def _opened(self) -> BinaryIO:
        if self._journal is None:
            folder = self._partial_changes.parent
            folder.mkdir(exist_ok=True)
            # Left behind by runs that were killed.
            for left in folder.glob(".*.jsonl"):
                left.unlink()
            self._journal = self._partial_changes.open("wb", buffering=_BUFFER)
        return self._journal

    def write(self, store: Store, make: Make, *, changed: bool) -> None:
        """Puts both files in their places. Where nothing has changed, a whole ``documents.jsonl`` stays.

        Args:
            store: a connection of its own, which has all that the run has committed.
            make: makes a document that neither the file nor the run has.
            changed: True if the run has released or deleted a document.

        Raises:
            OSError: a file cannot be written; the earlier ones are as they were.

        """
        if self._error is not None:
            raise self._error
        journal = self._opened()
        usable = store.meta(FILED_FIELDS) == self.fields and self._filed.exists()
        changes = self._partial_changes.with_name(self.changes.name)
        try:
            if merges := changed or not usable or _is_cut(self._filed):
                with self._partial.open("wb", buffering=_BUFFER) as file, store.snapshot():
                    file.writelines(self._merged(store, make, usable=usable))
                    _synced(file)
                _synced(journal)
            journal.close()
            self._partial_changes.replace(changes)
            if merges:
                self._partial.replace(self._filed)
        finally:
            self.close()
        self.written = True
        forget_oldest(changes.parent, ".jsonl", KEPT)

    def close(self) -> None:
        """Removes what is not in its place. Safe to call twice."""
        if self._journal is not None:
            with contextlib.suppress(OSError):
                self._journal.close()
            self._journal = None
            for left in (self._partial_changes, self._partial):
                with contextlib.suppress(OSError):
                    left.unlink()

    def _merged(self, store: Store, make: Make, *, usable: bool) -> Iterator[bytes]:
        """The lines of the new file. What makes them differ from the old one by more than the run's changes
        is added to these.
        """
        self._opened().flush()
        before = _lines(self.path)
        key, line = next(before)
        with self._partial_changes.open("rb", buffering=_BUFFER) as changes:
            for filed in filed_documents(store.connection, zip(self._pages, self._places, strict=True)):
                url = filed.url.encode()
                while key < url:
                    self._append(_deletion(key.decode(), "gone"))
                    key, line = next(before)
                old = b""
                if key == url:
                    old = line
                    key, line = next(before)
                change = b""
                if filed.place is not None:
                    changes.seek(filed.place)
                    change = changes.readline()
                yield self._line(filed, old, change, make, usable=usable)
        while key < _END:
            self._append(_deletion(key.decode(), "gone"))
            key, line = next(before)

    def _line(self, filed: FiledDocument, old: bytes, change: bytes, make: Make, *, usable: bool) -> bytes:
        """The line of a document in the new file, empty for none; takes that in the old one and the change
        that the run has made, empty for none.
        """
        put = change.startswith(PUT)
        if change:
            old = b""
        if not filed.wanted:
            if put or old:
                self._append(_deletion(filed.url, "dropped"))
            return b""
        if put:
            return b"{" + change.removeprefix(PUT)
        if old and usable and filed.arrived:
            return old
        document = make(filed.page, filed.url) if filed.can_be_made else None
        if document is None:
            return old
        new = as_line({"url": filed.url, **document})
        if new != old:
            self._append(PUT + new[1:])
        return new

    def _append(self, line: bytes) -> None:
        self._opened().write(line)


def _deletion(url: str, reason: str) -> bytes:
    return as_line({"_op": "delete", "url": url, "reason": reason})


def _lines(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a file of documents with their URLs, and in the end one that comes after all others.
    Leaves out what is not a whole document, and what is out of order.
    """
    last = b""
    if path.exists():
        with path.open("rb", buffering=_BUFFER) as file:
            for line in file:
                url = _url(line) if line.endswith(b"\n") else b""
                if url > last:
                    last = url
                    yield url, line
    yield _END, b""


def filed_urls(home: Path) -> Iterator[str]:
    """The URLs of the documents in the file of a site, whose folder is ``home``."""
    return (url.decode() for url, _ in _lines(home / FILE) if url != _END)


def _is_cut(path: Path) -> bool:
    """Returns True for a file whose last line has no end, or that is empty."""
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def _url(line: bytes) -> bytes:
    if match := _URL.match(line):
        return match[1]
    try:
        return str(orjson.loads(line)["url"]).encode()
    except (ValueError, LookupError, TypeError):
        return b""


def _synced(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def forget_oldest(folder: Path, suffix: str, kept: int) -> None:
    """Removes the oldest of the files in a ``folder`` that are named by runs and have a ``suffix``; as many
    as are ``kept`` stay.
    """
    numbers = sorted(int(path.stem) for path in folder.glob(f"*{suffix}") if path.stem.isdecimal())
    for number in numbers[:-kept]:
        (folder / f"{number}{suffix}").unlink(missing_ok=True)
