"""The project's commands for ``scrapy``, one a file.

Importing any sets how often garbage is looked for, and gives a process without standard output or error one.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Final

GC_THRESHOLDS: Final = (20_000, 20, 50)

# What a page needs is freed by reference counts; looking through everything else for cycles at the default
# rate takes a fifth of a crawl's time, and before that a tenth of its start.
gc.set_threshold(*GC_THRESHOLDS)

# A shell's >&-, and some that start services, leave None there; print passes over it, and all else fails.
sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
