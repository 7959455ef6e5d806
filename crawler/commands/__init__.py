"""The project's commands for ``scrapy``, one a file; importing any sets how often garbage is looked for."""

from __future__ import annotations

import gc
from typing import Final

GC_THRESHOLDS: Final = (20_000, 20, 50)

# What a page needs is freed by reference counts; looking through everything else for cycles at the default
# rate takes a fifth of a crawl's time, and before that a tenth of its start.
gc.set_threshold(*GC_THRESHOLDS)
