"""The base of indexes that are files: one writer at a time, names of indexes, and errors of the disk."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from search.sink import SinkDown

_MEND: Final = "see that the folder can be written and the disk has room"


def new_name(made: str) -> str:
    """A name for a new index, which no other has; ``made`` is `made_with`."""
    return f"{secrets.token_hex(8)}-{made}"


def made_with(version: str, options: Mapping[str, object]) -> str:
    """A short digest of all that makes the entries of an index differ."""
    parts = [version, *(f"{name}={options[name]}" for name in sorted(options))]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=4).hexdigest()


def disk_trouble(path: Path, error: BaseException | str) -> SinkDown:
    """One line on an index that cannot be read or written, with the mend."""
    if isinstance(error, OSError) and error.strerror:
        error = error.strerror
    return SinkDown(f"{path}: {' '.join(str(error).split())[:300]}; {_MEND}")


class WriterLock:
    """An exclusive lock on an index, held until `release` or the end of the process, however it ends.

    Raises SinkDown where another process writes the index, or the lock's file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[str] | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+", encoding="utf-8")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise SinkDown(f"{path.parent}: another process writes this index; wait for its end") from None
        except OSError as error:
            self.release()
            raise disk_trouble(path, error) from error

    def release(self) -> None:
        """Lets others write. The file stays: removing it would let two processes hold two locks."""
        if self._file is not None:
            self._file.close()
            self._file = None


def write_atomically(path: Path, text: str) -> None:
    """A small file in place of another, all at once and durably. Raises OSError."""
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
