"""Where the HTML of a site's pages waits until they are judged: in memory, or in a file of a folder."""

from __future__ import annotations

import os
import tempfile
import zlib
from pathlib import Path
from typing import Final, TypeAlias

Folder: TypeAlias = str | os.PathLike[str]
"""The path of a folder."""

_LEVEL: Final = 1


class Sources:
    """Texts of pages, compressed, by the numbers that they are given.

    With a folder they are in a nameless file there, which goes when this is closed. Raises OSError where it
    cannot be written.
    """

    def __init__(self, folder: Folder | None = None) -> None:
        self._held: list[bytes] = []
        self._spans: list[tuple[int, int]] = []
        self._file = None
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open as long as this is

    def append(self, source: str | bytes) -> int:
        """Keeps a text; returns its number."""
        text = isinstance(source, str)
        content = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        packed = bytes([text]) + zlib.compress(content, _LEVEL)
        if self._file is None:
            self._held.append(packed)
            return len(self._held) - 1
        self._spans.append((self._file.seek(0, 2), len(packed)))
        self._file.write(packed)
        return len(self._spans) - 1

    def __getitem__(self, number: int) -> str | bytes:
        if self._file is None:
            packed = self._held[number]
        else:
            start, size = self._spans[number]
            self._file.seek(start)
            packed = self._file.read(size)
        content = zlib.decompress(packed[1:])
        return content.decode("utf-8", "surrogatepass") if packed[0] else content

    def close(self) -> None:
        """Lets all of it go."""
        self._held.clear()
        if self._file is not None:
            self._file.close()
