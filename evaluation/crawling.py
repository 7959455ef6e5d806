"""Crawling an archive of a corpus into a store that is thrown away."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

from evaluation.judging import SITE
from pagelets.methods import EVERYTHING
from settings.errors import ConfigurationError
from settings.places import PROJECT
from store.site import Store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from threading import Event

    from evaluation.gold import Archive

_CRAWLED: Final = (0, 3)
"""Exit codes of a crawl that read its archive to the end; of 3 it could use no page."""
_LOOKS: Final = 0.2
"""Seconds between two looks whether a crawl is to end."""


def crawled(
    archive: Archive, folder: Path, overrides: Sequence[str] = (), stop: Event | None = None
) -> Store:
    """Crawls an archive, and returns the store.

    Args:
        archive: the archive.
        folder: where the store goes.
        overrides: settings of the command line, as NAME=VALUE.
        stop: ends the crawl when it is set.

    Raises:
        ConfigurationError: the crawl cannot read the archive, or was ended.

    """
    # METHOD and fields cost time, and make no difference: the pages are judged from the store.
    fixed = [
        f"DATA_DIR={folder}",
        f"METHOD={EVERYTHING}",
        "DOCUMENT_FIELDS=url",
        "LOG_LEVEL=ERROR",
        "PROGRESS_ENABLED=0",
        "SINKS=",
        "DOCUMENTS_FILE=0",
    ]
    options = [part for setting in (*overrides, *fixed) for part in ("-s", setting)]
    path = archive.path.resolve()
    done = run_scrapy(["crawl", "archive", "-a", f"path={path}", "-a", f"site={SITE}", *options], stop)
    if done.returncode not in _CRAWLED:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ConfigurationError(f"{archive.path}: the crawl ended with exit code {done.returncode}: {last}")
    return Store.open(folder / SITE)


def run_scrapy(arguments: Sequence[str], stop: Event | None = None) -> subprocess.CompletedProcess[str]:
    """Runs ``scrapy`` with some arguments in a process of its own, which is killed where ``stop`` is set."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    process = subprocess.Popen(  # noqa: S603 - this Python, no shell
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    with process:
        while True:
            try:
                out, err = process.communicate(timeout=_LOOKS)
            except subprocess.TimeoutExpired:
                if stop is not None and stop.is_set():
                    process.kill()
            except BaseException:
                process.kill()
                raise
            else:
                return subprocess.CompletedProcess(command, process.returncode, out, err)
