"""What detection finds in little memory, and what it says where there is too little of it or of the disk."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.detection import generate
from pagelets.detection.blocks import find_repeated_blocks
from store.site import Store

if TYPE_CHECKING:
    from pathlib import Path

ENOUGH, LITTLE = 64, 16

FULL = """
import resource, sys
from pathlib import Path
from pagelets.detection.blocks import find_repeated_blocks
from store.errors import StoreUnusable
from store.site import Store
with Store.open(Path(sys.argv[1])) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        with store.evidence(store.tables, memory=int(sys.argv[2])) as con:
            find_repeated_blocks(con)
    except StoreUnusable as error:
        print(error)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the tables of a site that has more to count than fits into `LITTLE`."""
    folder = tmp_path_factory.mktemp("large") / "site"
    with Store.open(folder, create=True) as store:
        store.tables.mkdir()
        generate(1500, store.tables)
    return folder


def test_what_goes_to_the_disk_is_counted_as_well(large: Path) -> None:
    with Store.open(large) as store:
        counts = []
        for memory in (ENOUGH, LITTLE):
            with store.evidence(store.tables, memory=memory) as con:
                counts.append(find_repeated_blocks(con))
                spilled = con.sql("SELECT coalesce(sum(size), 0) FROM duckdb_temporary_files()").fetchall()
        assert spilled[0][0] > 0
        assert list(store.folder.glob(".*")) == []
    one, other = counts
    for name in ("blocks", "placed", "tag_paths"):
        for column in ("key", "pages", "share"):
            assert np.array_equal(getattr(getattr(one, name), column), getattr(getattr(other, name), column))
    assert np.array_equal(one.singleton_share, other.singleton_share)


def test_a_full_disk_is_said_in_a_sentence(large: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(large), str(LITTLE)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{large}: ")
    assert "see that the folder is writable, the disk has room" in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert list(large.glob(".*")) == []
