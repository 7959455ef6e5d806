from __future__ import annotations

import os
from pathlib import Path

from crawler.commandline.base import written


def test_a_pipe_that_has_no_path_is_written_to() -> None:
    """As /dev/stdout and >(gzip > FILE) of a shell name one."""
    reader, writer = os.pipe()
    with written(Path(f"/dev/fd/{writer}")) as file:
        file.write(b"words")
    assert os.read(reader, 9) == b"words"
    os.close(reader)
    os.close(writer)
