from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from settings.files import written


def test_a_pipe_that_has_no_path_is_written_to() -> None:
    """As /dev/stdout and >(gzip > FILE) of a shell name one."""
    reader, writer = os.pipe()
    with written(Path(f"/dev/fd/{writer}")) as file:
        file.write(b"words")
    assert os.read(reader, 9) == b"words"
    os.close(reader)
    os.close(writer)


def test_a_full_disk_is_told_of_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as raised, written(path) as file:
            file.write(b"words" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert raised.value.filename == str(path)
    assert [(child.name, child.read_text()) for child in tmp_path.iterdir()] == [("out.jsonl", "before")]
