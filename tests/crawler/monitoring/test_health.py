from __future__ import annotations

import os
import time

import pytest

from crawler.monitoring.health import main
from crawler.monitoring.metrics_file import metrics, write
from store.lock import SiteLock
from tests.runs import ended


@pytest.fixture
def folders(tmp_path):
    for name in ("metrics", "data"):
        (tmp_path / name).mkdir()
    return tmp_path / "metrics", tmp_path / "data"


def health(folders, *more: str) -> int:
    return main([*map(str, folders), *more])


def left(folder, site: str, hours_ago: float) -> None:
    """Leaves the metrics of a run that ended so long ago."""
    run = ended(1)
    path = folder / f"pagelets_{site}.prom"
    write(path, metrics(site, run, []))
    lines = path.read_text(encoding="utf-8").splitlines()
    moment = time.time() - 3600 * hours_ago
    name = "pagelets_run_timestamp_seconds{"
    changed = [f"{line.rpartition(' ')[0]} {moment}" if line.startswith(name) else line for line in lines]
    assert changed != lines
    path.write_text("\n".join(changed), encoding="utf-8")


def test_it_is_well_where_any_run_has_ended_lately(folders, capsys):
    left(folders[0], "a", 90)
    assert health(folders) == 1
    assert capsys.readouterr().out == "0 crawls run, the last run ended 90.0 hours ago\n"
    left(folders[0], "b", 25)
    assert health(folders) == 0
    assert health(folders, "--hours", "24") == 1


def test_a_run_that_a_wrong_clock_has_noted_says_nothing(folders):
    left(folders[0], "a", -90)
    left(folders[0], "b", 30)
    assert health(folders) == 1


def test_it_is_well_while_a_crawl_runs(folders):
    left(folders[0], "a", 90)
    lock = SiteLock(folders[1] / "a.lock")
    assert health(folders) == 0
    lock.release()
    assert health(folders) == 1


def test_where_no_run_has_ended_yet_the_age_of_the_folder_counts(folders):
    assert health(folders) == 0
    os.utime(folders[0], (time.time() - 27 * 3600,) * 2)
    assert health(folders) == 1


def test_what_cannot_be_read_is_not_well(folders, capsys):
    (folders[0] / "pagelets_a.prom").write_text(
        'pagelets_run_timestamp_seconds{site="a"} ?\n', encoding="utf-8"
    )
    assert health(folders) == 1
    assert "cannot be read" in capsys.readouterr().out
    folders[0].rename(folders[0].with_name("other"))
    assert health(folders) == 1
    assert "both folders are mounted" in capsys.readouterr().out


def test_a_data_folder_that_is_not_there_is_told(folders, capsys):
    folders[1].rmdir()
    assert health(folders) == 1
    assert "both folders are mounted" in capsys.readouterr().out
