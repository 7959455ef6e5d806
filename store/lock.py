"""One crawl of a site at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from store.errors import SiteBusy
from store.runs import now


class SiteLock:
    """An exclusive lock on a site, held until `release` or the end of the process, however it ends.

    Takes the path of the lock's file, beside the site's folder; its owner alone can read it. Raises SiteBusy
    where another process holds the lock, with that process's id and since when; OSError where the file cannot
    be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock()
        while not self._is_there():
            # Whoever held it has removed the file since it was opened.
            self._file.close()
            self._lock()
        # Not the command: its arguments may be secrets, and what is written here is shown to others.
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()}, since {now()}")
        self._file.flush()

    def _lock(self) -> None:
        self._file = os.fdopen(_private(self.path), "a+", encoding="utf-8", errors="replace")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "an unknown process"
            self._file.close()
            raise SiteBusy(
                f"another crawl of site {self.path.name.removesuffix('.lock')!r} runs ({holder}): "
                "wait for its end, or stop it with Ctrl-C or kill"
            ) from None

    def _is_there(self) -> bool:
        """Returns true if the locked file is the one that others open."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False

    def release(self, *, remove: bool = False) -> None:
        """Lets others crawl the site. The file stays, but where nothing else of the site does."""
        if not self._file.closed:
            if remove:
                self.path.unlink(missing_ok=True)
            self._file.truncate(0)
            self._file.close()


@contextlib.contextmanager
def held(home: Path) -> Iterator[None]:
    """Keeps others from changing the store in a folder meanwhile. Raises SiteBusy and OSError."""
    lock = SiteLock(home.with_name(f"{home.name}.lock"))
    try:
        yield
    finally:
        lock.release()


def _private(path: Path) -> int:
    """Opens a file that is its owner's alone, also where an earlier version has made it for everyone."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with contextlib.suppress(PermissionError):
        os.fchmod(number, 0o600)
    return number


def is_held(path: Path) -> bool:
    """Returns True if a process holds the lock of this file. Raises OSError if that is unknown."""
    try:
        with path.open("rb") as file:
            # A lock that was let go leaves an empty file, and asking for it here would be in another's way.
            if not file.read(1):
                return False
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
