"""The project's settings: `settings.base` for every crawl, `settings.production` for scheduled ones."""

from __future__ import annotations

import os
import sys
from types import TracebackType


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints the ``error`` of a ``kind`` and its ``trace``, which end the process: of Ctrl-C one line."""
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


# No array here is large enough for a second thread of a library to pay for its start.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Of ours, Scrapy imports this package first; a crawl that has begun handles Ctrl-C itself.
sys.excepthook = tell
