from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from store.errors import SiteBusy
from store.lock import SiteLock

PROJECT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from store.lock import SiteLock
lock = SiteLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(path: Path, *arguments: bytes):
    """Another process that holds the lock."""
    command = [sys.executable, "-c", HOLD, str(path), *arguments]
    with subprocess.Popen(
        command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "site.lock"
    path.touch(0o644)
    with holder(path, b"-s", b'POSTGRESQL={"dsn": "hush"}') as process:
        with pytest.raises(SiteBusy, match=rf"'site' runs \(process {process.pid}, since 20[-T:+0-9]+\)"):
            SiteLock(path)
        assert "hush" not in path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600


def test_the_lock_ends_with_its_process_however_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "site.lock"
    with holder(path) as process:
        process.kill()
        process.wait()
        SiteLock(path).release()


def test_a_released_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "site.lock"
    lock = SiteLock(path)
    with pytest.raises(SiteBusy, match=f"process {os.getpid()}"):
        SiteLock(path)
    lock.release()
    lock.release()
    SiteLock(path).release()


def test_a_folder_that_is_none_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        SiteLock(tmp_path / "missing" / "site.lock")


def test_a_lock_whose_file_was_removed_meanwhile_is_taken_on_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "site.lock"
    first, flock = SiteLock(path), fcntl.flock

    def late(file, how):
        # Nothing is done by the second call.
        first.release(remove=True)
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    second = SiteLock(path)
    monkeypatch.undo()
    with pytest.raises(SiteBusy):
        SiteLock(path)
    second.release()
    SiteLock(path).release()
