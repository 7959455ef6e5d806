"""Ctrl-C or SIGTERM while a crawl is still being loaded ends it in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.run.outcome import EXIT_CODES

SCRAPY = Path(sys.executable).with_name("scrapy")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_a_crawl_has_begun_is_one_line_and_leaves_nothing(sent, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", SCRAPY, "crawl", "site", "-a", "url=https://stones.example/"],
        env={**os.environ, "PAGELETS_DATA_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None and process.stderr is not None
        # What the settings import; the commands are still to be loaded.
        next(line for line in process.stderr if line.endswith(" pagelets.methods\n"))
        process.send_signal(sent)
        said, told = process.stdout.read(), process.stderr.read()
    assert [line for line in told.splitlines() if not line.startswith("import time:")] == ["interrupted"]
    assert (process.returncode, said) == (EXIT_CODES["interrupted"], "")
    assert list(tmp_path.iterdir()) == []
