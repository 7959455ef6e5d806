"""Folders for what is needed for a moment, which survive no process for long."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = ".scratch-"


@contextlib.contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A new folder inside another, removed at the end. Those that killed processes have left there are
    removed before: each is locked as long as somebody uses it. Raises OSError.
    """
    with contextlib.ExitStack() as held:
        with _locked(folder):
            for left in folder.glob(f"{_PREFIX}*"):
                with contextlib.suppress(OSError), _locked(left, fcntl.LOCK_EX | fcntl.LOCK_NB):
                    shutil.rmtree(left, ignore_errors=True)
            path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
            held.callback(shutil.rmtree, path, ignore_errors=True)
            held.enter_context(_locked(path))
        yield path


@contextlib.contextmanager
def _locked(folder: Path, how: int = fcntl.LOCK_EX) -> Iterator[None]:
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, how)
        yield
    finally:
        os.close(number)
