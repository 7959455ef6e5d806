"""Folders for a moment: nobody's stays, and nobody loses one that is in use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from store.scratch import scratch

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from pathlib import Path
from store.scratch import scratch
with scratch(Path(sys.argv[1])) as folder:
    (folder / "spilled").write_text("much")
    print(folder, flush=True)
    time.sleep(60)
"""


def test_what_a_killed_process_has_left_goes_with_the_next(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holding:
        assert holding.stdout is not None
        held = tmp_path / holding.stdout.readline().strip().rpartition("/")[2]
        with scratch(tmp_path) as own:
            assert sorted(tmp_path.iterdir()) == sorted([own, held])
        assert list(tmp_path.iterdir()) == [held]
        os.kill(holding.pid, signal.SIGKILL)
    assert (held / "spilled").exists()
    with scratch(tmp_path) as own:
        assert list(tmp_path.iterdir()) == [own]
    assert list(tmp_path.iterdir()) == []
