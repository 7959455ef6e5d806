"""A file of operations, for an index of any other kind: one JSON object a line, as in the feed format."""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from pagelets.document import FIELDS, WITH_FIELDS
from search.sink import Operation, Place, Refusal, Sink, SinkDown, document_id
from settings.errors import WrongSetting
from settings.places import PROJECT
from settings.tables import OperationsTable

FILE: Final = "operations.jsonl"


class OperationsSink(Sink):
    """Appends ``{"op": "index", "url", "document"}`` and ``{"op": "delete", "url", "reason"}`` to a file.

    All is on the disk when `write` returns. The last line of a URL counts.

    Whoever reads the file may take it away; a new one is begun then. A rebuild writes a new file with all
    documents, which takes the old one's place, and keeps those of other sites. Option: ``path``, with
    ``{site}`` for the site's name.
    """

    options = OperationsTable.filled()
    most_documents = 5000

    def __init__(self, place: Place) -> None:
        """Works out the file's path: relative ones begin at the project's folder. Raises WrongSetting."""
        super().__init__(place)
        given = str(self.given["path"])
        if unknown := re.search(r"\{(?!site\})[^{}]*\}", given):
            raise WrongSetting("OPERATIONS.path", f"{unknown[0]} is unknown; the site's name is {{site}}")
        given = given.replace("{site}", place.site)
        self.path = PROJECT / given if given else place.folder / FILE
        self._into = self.path
        if self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
            # A device may have no end, and a rebuild would take its place.
            raise WrongSetting("OPERATIONS.path", f"{self.path} is a pipe or device; give the path of a file")

    @property
    def units(self) -> str:
        """An operation has a document as a whole."""
        return "documents"

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields of a Document."""
        added = (*WITH_FIELDS, *(column.name for column in self.place.columns)) if self.place.columns else ()
        return (*FIELDS, *added)

    def open(self) -> str:
        """Makes the file's folder, and cuts off a line that was not written to its end."""
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _claimed(self.path) as file:
                _end_at_line(file)
        return f"operations 1 {self.path}"

    def write(self, operations: Sequence[Operation]) -> Mapping[str, Refusal]:
        """Appends the operations, all or none."""
        rest = memoryview(b"".join(map(_line, operations)))
        with self._errors(), _claimed(self._into) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:
                os.ftruncate(file.fileno(), before)
                raise
        return {}

    @contextlib.contextmanager
    def rebuild(self) -> Iterator[None]:
        """Sends writes inside to a new file, which takes the place of the old one at the end."""
        whole, self._into = (
            self.path.with_name(f".{self.path.name}.{self.place.site}.{kind}") for kind in ("new", "own")
        )
        try:
            with self._errors():
                self._into.parent.mkdir(parents=True, exist_ok=True)
                self._into.write_bytes(b"")
            yield
            # Now, as others may have written meanwhile; first, as an old deletion may be this site's.
            with self._errors(), _claimed(self.path), whole.open("wb") as file:
                file.writelines(self._of_others())
                with self._into.open("rb") as own:
                    shutil.copyfileobj(own, file)
                file.flush()
                os.fsync(file.fileno())
                whole.replace(self.path)
        finally:
            for path in (whole, self._into):
                path.unlink(missing_ok=True)
            self._into = self.path

    def held(self) -> Iterator[tuple[str, str]]:
        """Yields the documents that a reader of the whole file would hold."""
        held: dict[str, str] = {}
        with self._errors():
            for _, operation in self._read():
                if self._is_own(operation):
                    held[operation["url"]] = operation["document"]["content_hash"]
                else:
                    held.pop(operation["url"], None)
        return ((document_id(url), content_hash) for url, content_hash in held.items())

    def _of_others(self) -> Iterator[bytes]:
        """Yields the lines of other sites; none of a file of something else."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            own = {operation["url"] for _, operation in self._read() if self._is_own(operation)}
            yield from (line for line, operation in self._read() if operation["url"] not in own)

    def _read(self) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Yields the lines of the file, if there is one, as they are and as operations."""
        with contextlib.suppress(FileNotFoundError), self.path.open("rb") as file:
            yield from ((line, json.loads(line)) for line in file)

    def _is_own(self, operation: Mapping[str, Any]) -> bool:
        """Returns True for a document of this site: those of others may be in the same file."""
        own: bool = operation["op"] == "index" and operation["document"]["site"] == self.place.site
        return own

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SinkDown(
                f"{error.filename or self.path}: {error.strerror or error}; "
                "see that the place can be written and has room"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise SinkDown(
                f"{self.path}: no file of operations; move it away, or give another path"
            ) from error


@contextlib.contextmanager
def _claimed(path: Path) -> Iterator[BinaryIO]:
    """A file to add to, which no other process changes until the end of the context: sites may share it."""
    with contextlib.ExitStack() as stack:
        while True:
            # Without a buffer: what is left in one goes to the file when that is closed, cut off or not.
            file = stack.enter_context(path.open("a+b", buffering=0))
            fcntl.flock(file, fcntl.LOCK_EX)
            # It may have been taken away, or another put in its place, while this one waited.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    break
            stack.close()
        yield file


def _line(operation: Operation) -> bytes:
    if operation.document is None:
        row: dict[str, Any] = {"op": "delete", "url": operation.url, "reason": operation.reason}
    else:
        row = {"op": "index", "url": operation.url, "document": operation.document}
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _end_at_line(file: BinaryIO) -> None:
    """Cuts a file off behind its last whole line: a process that was killed may have left a part of one."""
    end = size = file.seek(0, os.SEEK_END)
    if size:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            end = text.rfind(b"\n") + 1
    if end != size:
        file.truncate(end)
