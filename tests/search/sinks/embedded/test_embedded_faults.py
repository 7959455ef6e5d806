"""What befalls the index in the data folder: killed processes, full disks, damaged files, two writers."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from search.query import NoIndex
from search.sink import SinkDown
from tests.indexed import delete, held, index, opened, search, sink_of, wanted

PROJECT = Path(__file__).parents[4]
FIRST = [index(f"/{number}", f"granite {number}") for number in range(10)]
SECOND = [*(index(f"/{number}", f"basalt {number}") for number in range(5, 15)), delete("/0")]
DYING = """
import os, signal, sys
from pathlib import Path
from tests.indexed import opened
from tests.search.sinks.embedded.test_embedded_faults import FIRST, SECOND

class Dying(list):
    def __iter__(self):
        yield from list.__iter__(self)
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
if child := os.fork():
    # The first process dies in a batch, the second, when it has, in a rebuild.
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    sink = opened(folder)
    with sink.rebuild():
        sink.write(SECOND)
        sink.write(Dying(FIRST))
else:
    opened(folder).write(Dying(SECOND))
"""
WRITING = """
import sys
from pathlib import Path
from tests.indexed import index, opened

sink = opened(Path(sys.argv[1]))
for number in range(10_000):
    sink.write([index(f"/{number}-{one}", "granite") for one in range(20)])
    print(number, flush=True)
"""


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(
        command,
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )


def test_processes_killed_in_a_batch_and_in_a_rebuild_leave_the_index_as_it_was(tmp_path):
    sink = opened(tmp_path)
    before = sink.open()
    sink.write(FIRST)
    sink.close()
    with started(DYING, tmp_path) as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert held(sink) == wanted(FIRST)
    assert sink.open() == before
    sink.write(SECOND)
    assert held(sink) == wanted([*FIRST, *SECOND])
    with sink.rebuild():
        sink.write(SECOND)
    assert held(sink) == wanted(SECOND)
    sink.close()


def test_a_process_that_is_killed_at_any_time_leaves_whole_batches(tmp_path):
    with started(WRITING, tmp_path) as process:
        assert process.stdout is not None
        written = [int(process.stdout.readline()) for _ in range(5)][-1] + 1
        process.kill()
        written = max([written, *(int(line) + 1 for line in process.stdout if line.endswith("\n"))])
    sink = opened(tmp_path)
    assert len(held(sink)) in (20 * written, 20 * (written + 1))
    assert search(sink, "granite").total == len(held(sink))
    sink.close()


@pytest.fixture
def full():
    """Makes the disk full for this process: no file gets larger than it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_costs_nothing_that_is_held(tmp_path, full):
    sink = opened(tmp_path)
    before = sink.open()
    sink.write(FIRST)
    large = [index(f"/large/{number}", f"{number} {os.urandom(2000).hex()}") for number in range(200)]
    full(200_000)
    with pytest.raises(
        SinkDown, match=rf"{tmp_path}.*see that the folder can be written and the disk has room"
    ):
        sink.write(large)
    with pytest.raises(SinkDown), sink.rebuild():
        sink.write(large)
    full(resource.RLIM_INFINITY)
    assert held(sink) == wanted(FIRST)
    assert sink.open() == before
    assert sink.write(large) == {}
    assert held(sink) == wanted([*FIRST, *large])
    sink.close()


def test_one_process_at_a_time_writes_an_index(tmp_path):
    first, second = opened(tmp_path), sink_of(tmp_path)
    with pytest.raises(SinkDown, match="another process writes this index; wait for its end"):
        second.open()
    first.write(FIRST)
    assert held(second) == wanted(FIRST)
    first.close()
    second.open()
    second.close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SinkDown, match=f"{tmp_path}/file.*see that the folder can be written"):
        sink_of(tmp_path / "file").open()


def files_of(folder: Path) -> list[Path]:
    """The files that hold what an index says, not its locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    return [path for path in files if "lock" not in path.name and path.name != "current"]


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "removed"])
def test_a_damaged_index_is_made_anew(tmp_path, damage, caplog):
    sink = opened(tmp_path)
    before = sink.open()
    sink.write(FIRST)
    sink.close()
    for path in files_of(tmp_path):
        if damage == "removed":
            path.unlink()
        elif damage == "truncated":
            os.truncate(path, path.stat().st_size // 2)
        else:
            path.write_bytes(b"x" * path.stat().st_size)
    try:
        assert search(sink, "granite").total == 0
    except (SinkDown, NoIndex) as error:
        assert "scrapy index site.example --rebuild" in str(error)
    try:
        after = sink.open()
        sink.write(FIRST)
    except SinkDown:
        # What is not found broken before it is written to is made anew when it is opened again.
        after = sink.open()
        sink.write(FIRST)
    assert after != before
    assert held(sink) == wanted(FIRST)
    assert search(sink, "granite").total == 10
    assert "made anew" in caplog.text
    sink.close()


def test_an_index_that_is_lost_while_it_is_open_is_noticed(tmp_path):
    sink = opened(tmp_path)
    before = sink.open()
    sink.write(FIRST)
    sink.close()
    shutil.rmtree(tmp_path)
    assert sink.open() != before
    assert held(sink) == {}
    sink.close()
