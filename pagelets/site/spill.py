"""Keeps the HTML of a site's pages until they are judged: in memory, or in a file of a folder."""

from __future__ import annotations

import os
import pickle
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Self, TypeAlias

Folder: TypeAlias = str | os.PathLike[str]
"""The path of a folder."""

_LEVEL: Final = 1


class Span(NamedTuple):
    """The place of a value in a file."""

    start: int
    size: int


def _written(file: IO[bytes], content: bytes, place: int | None = None) -> Span:
    """Writes to a ``file`` at a ``place``, else at its end; returns the place of what was written."""
    start = file.seek(0, os.SEEK_END) if place is None else file.seek(place)
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    return Span(start, len(content))


def unpacked(packed: bytes) -> str | bytes:
    """Returns a text of `Sources.packed`."""
    content = zlib.decompress(packed[1:])
    return content.decode("utf-8", "surrogatepass") if packed[0] else content


class Sources:
    """Texts of pages, compressed, by the numbers that they are given.

    With a folder they are in a nameless file there, which goes when this is closed. Raises OSError where it
    cannot be written.
    """

    def __init__(self, folder: Folder | None = None) -> None:
        self._spans: list[Span] = []
        self._room: list[int] = []
        self._file: IO[bytes] = BytesIO()
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            # Without a buffer, so that what finds no room is not written with what comes later.
            self._file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115 - open as long as this is

    def put(self, source: str | bytes, number: int | None = None) -> int:
        """Keeps a text, in place of that with a ``number`` if one is given; returns its number. Raises
        ValueError after `close`.
        """
        self._check()
        text = isinstance(source, str)
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        packed = bytes([text]) + zlib.compress(content, _LEVEL)
        if number is None:
            number = len(self._spans)
            self._spans.append(Span(0, 0))
            self._room.append(-1)
        if len(packed) > self._room[number]:
            self._spans[number] = _written(self._file, packed)
            self._room[number] = len(packed)
        else:
            # Pages that are added every night would fill the disk.
            self._spans[number] = _written(self._file, packed, self._spans[number].start)
        return number

    def __getitem__(self, number: int) -> str | bytes:
        return unpacked(self.packed(number))

    def packed(self, number: int) -> bytes:
        """Returns a text for `unpacked`. Raises ValueError after `close`."""
        self._check()
        start, size = self._spans[number]
        if isinstance(self._file, BytesIO):
            return bytes(self._file.getbuffer()[start : start + size])
        # Processes that were forked share one position in the file.
        return os.pread(self._file.fileno(), size, start)

    def _check(self) -> None:
        if self._file.closed:
            raise ValueError("the site is closed; take its documents inside of its `with`, as a list")

    def close(self) -> None:
        """Lets all of it go."""
        self._file.close()


class Spool:
    """Values in a file with a ``name``, which other processes read (`spooled`). It goes when this is closed.

    Raises OSError where it cannot be written.
    """

    def __init__(self, folder: Folder | None) -> None:
        self._file = tempfile.NamedTemporaryFile(dir=folder)  # noqa: SIM115 - open as long as this is
        self.name = self._file.name

    def append(self, value: object) -> Span:
        """Writes a value; returns its place."""
        span = _written(self._file, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        self._file.flush()
        return span

    def __getitem__(self, span: Span) -> Any:
        return next(spooled(self.name, [span]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def spooled(name: str, spans: Iterable[Span]) -> Iterator[Any]:
    """Yields the values of a `Spool` at these places."""
    with Path(name).open("rb") as file:
        for start, size in spans:
            file.seek(start)
            yield pickle.loads(file.read(size))  # noqa: S301 - of a process of our own
