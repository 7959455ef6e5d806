"""One crawl of a site at a time."""

from __future__ import annotations

import fcntl
import os
import sys
from typing import TYPE_CHECKING

from store.errors import SiteBusy

if TYPE_CHECKING:
    from pathlib import Path


class SiteLock:
    """An exclusive lock on a site, held until `release` or the end of the process, however it ends.

    Takes the path of the lock's file, beside the site's folder. Raises SiteBusy where another process holds
    the lock, with that process's id and command; OSError where the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a+", encoding="utf-8", errors="backslashreplace")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "an unknown process"
            self._file.close()
            raise SiteBusy(
                f"another crawl of site {path.name.removesuffix('.lock')!r} runs ({holder}): "
                "wait for its end, or stop it with Ctrl-C or kill"
            ) from None
        self._file.truncate(0)
        self._file.write(f"process {os.getpid()}: {' '.join(sys.argv)[:300]}")
        self._file.flush()

    def release(self) -> None:
        """Lets others crawl the site. The file stays: removing it would let two crawls hold two locks."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of this file. Raises OSError where that cannot be told."""
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
