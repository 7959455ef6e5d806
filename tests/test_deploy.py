"""The files in deploy/: units and a crontab that a user copies."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crawls import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = PROJECT / "deploy"
PROGRAM = ".venv/bin/scrapy "


def commands() -> list[str]:
    """The arguments of each command line in the files."""
    lines = [
        line for path in sorted(DEPLOY.iterdir()) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [line.partition(PROGRAM)[2].partition(" >")[0] for line in lines if PROGRAM in line]


def test_each_file_starts_the_command_and_it_takes_the_arguments(tmp_path: Path) -> None:
    one, other = commands()
    assert one == other
    arguments = [part.replace("/var/lib/pagelets", str(tmp_path)) for part in shlex.split(one)]
    command = [sys.executable, "-m", "scrapy", *arguments, "-s", f"SITES_DIR={tmp_path}"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for name in ("pagelets.service", "pagelets.timer"):
        text = (DEPLOY / name).read_text(encoding="utf-8")
        # The program has to exist; where it is installed is the user's.
        (tmp_path / name).write_text(
            text.replace("/opt/pagelets/.venv/bin/scrapy", "/bin/true"), encoding="utf-8"
        )
    units = [str(tmp_path / name) for name in ("pagelets.service", "pagelets.timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_crontab_has_lines_that_cron_takes() -> None:
    text = (DEPLOY / "pagelets.cron").read_text(encoding="utf-8")
    *_, last = lines = text.splitlines()
    assert text.endswith("\n")
    assert len(last.split()) > 6
    assert "%" not in text
    assert all(line.startswith("#") or "=" in line or line is last for line in lines)
