"""The files in deploy/ for one machine: units and a crontab that a user copies."""

from __future__ import annotations

import os
import runpy
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
    texts = [(DEPLOY / name).read_text(encoding="utf-8") for name in ("pagelets.cron", "pagelets.service")]
    lines = [line for text in texts for line in text.splitlines()]
    return [line.partition(PROGRAM)[2].partition(" >")[0] for line in lines if PROGRAM in line]


def test_each_file_starts_the_same_command_and_cron_gives_it_the_secrets(tmp_path: Path) -> None:
    one, other = commands()
    assert one == other
    line = (DEPLOY / "pagelets.cron").read_text(encoding="utf-8").splitlines()[-1].split(maxsplit=6)[6]
    for installed, here in (
        ("/opt/pagelets", str(PROJECT)),
        (".venv/bin/scrapy", f"{sys.executable} -m scrapy"),
        ("/etc/pagelets.env", str(tmp_path / "env")),
    ):
        assert installed in line
        line = line.replace(installed, here)
    (tmp_path / "env").write_text("SITE_KEY='one $two'\n", encoding="utf-8")
    (tmp_path / "sites").mkdir()
    headers = "[headers]\nX-Key = { env = 'SITE_KEY' }\nX-Other = { env = 'NO_SUCH_KEY' }\n"
    (tmp_path / "sites" / "a.toml").write_text(f"url = 'https://example.org/'\n{headers}", encoding="utf-8")
    folders = {"PAGELETS_DATA_DIR": str(tmp_path / "data"), "PAGELETS_SITES_DIR": str(tmp_path / "sites")}
    done = subprocess.run(
        ["sh", "-c", line], env=os.environ | folders, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert (
        "sites/a.toml:4: key 'headers.X-Other': value (hidden): the environment variable NO_SUCH_KEY" in said
    )


def test_the_environment_says_where_stores_and_site_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = ["DATA_DIR", "SITES_DIR"]
    for values in (["/srv/stores", "/srv/sites"], ["", ""]):
        for name, value in zip(folders, values, strict=True):
            monkeypatch.setenv(f"PAGELETS_{name}", value)
        found = runpy.run_path(str(PROJECT / "settings" / "base.py"))
        assert [found[name] for name in folders] == (values if any(values) else ["data", "settings/sites"])


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
