"""``python -m crawler.monitoring.health``: whether crawls still run, from the metrics that they leave."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from store.lock import is_held

_HOURS: Final = 26.0
"""A night and what it may take longer: as long as the alert on an overdue crawl waits."""
_AHEAD: Final = 3600.0
"""What ended later than so many seconds from now was noted by a clock that has been set back since."""
_ENDED: Final = "pagelets_run_timestamp_seconds{"


def last_end(metrics: Path, now: float) -> float:
    """Returns the end of the last run of all sites, in seconds since the epoch, by their metrics in a folder;
    for an empty folder the time since it is empty. Raises OSError, and ValueError for a broken file.
    """
    ends: list[float] = []
    for path in metrics.glob("pagelets_*.prom"):
        # That of a site which has just been retired may be gone.
        with contextlib.suppress(FileNotFoundError):
            lines = path.read_text(encoding="utf-8").splitlines()
            ends += (float(line.rpartition(" ")[2]) for line in lines if line.startswith(_ENDED))
    return max((end for end in ends if end <= now + _AHEAD), default=metrics.stat().st_mtime)


def main(arguments: Sequence[str] | None = None) -> int:
    """Says in a line what there is to say; returns 0 where crawls run, or have lately, 1 where none has."""
    parser = argparse.ArgumentParser(prog="python -m crawler.monitoring.health", description=__doc__)
    parser.add_argument("metrics", type=Path, help="what METRICS_DIR is")
    parser.add_argument("data", type=Path, help="what DATA_DIR is")
    parser.add_argument("--hours", type=float, default=_HOURS, help="no run may have ended for so long")
    given = parser.parse_args(arguments)
    try:
        running = [path for path in given.data.iterdir() if path.suffix == ".lock" and is_held(path)]
        now = time.time()
        hours = (now - last_end(given.metrics, now)) / 3600
    except (OSError, ValueError) as error:
        print(f"the metrics cannot be read: {error}; see that both folders are mounted")
        return 1
    well = bool(running) or hours <= given.hours
    print(f"{len(running)} crawls run, the last run ended {hours:.1f} hours ago")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
