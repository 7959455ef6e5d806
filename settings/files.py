"""Files that are written whole or not at all, and the texts of site files."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from settings.errors import ConfigurationError


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of the one at ``path`` only when it is whole; of ``-`` the
    standard output.

    Raises OSError where it cannot be written; what was there is then as it was.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        return
    if path.exists() and not path.is_file():
        # A pipe or a device is no file that could be replaced. Opening a folder raises.
        with path.open("wb") as file:
            yield file
        return
    # Not before: /dev/stdout and >(…) of a shell lead to pipes, which have no path.
    path = path.resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path.parent))
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        # The error of a full disk names no file; others name the partial one, which nobody has asked for.
        if error.errno is not None and error.filename in (None, str(partial)):
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


def read_source(path: Path) -> str:
    """Returns the text of a site file with its line ends. Raises ConfigurationError and OSError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from error


def write_source(path: Path, text: str) -> None:
    """Writes the text of a site file, whose mode stays; makes its folder. A file of which nothing is left is
    removed. Raises OSError.
    """
    if not text.strip():
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode if path.exists() else None
    with written(path) as file:
        file.write(text.encode())
    if mode is not None:
        path.chmod(mode)
