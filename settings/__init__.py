"""The project's settings: `settings.base` for every crawl, `settings.production` for scheduled ones."""

from __future__ import annotations

import os
import signal
import sys
from types import TracebackType
from typing import Final

INTERRUPTED: Final = 4
"""Exit code of a crawl that is ended before it has begun, as of one that has."""
_CRAWLS: Final = sys.argv[1:2] == ["crawl"]


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints the ``error`` of a ``kind`` and its ``trace``, which end the process: of Ctrl-C one line."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        if _CRAWLS:
            sys.exit(INTERRUPTED)
    else:
        sys.__excepthook__(kind, error, trace)


# No array here is large enough for a second thread of a library to pay for its start.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Of ours, Scrapy imports this package first; a crawl that has begun handles Ctrl-C and SIGTERM itself.
sys.excepthook = tell
if _CRAWLS and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
