"""Settings of scheduled crawls: SCRAPY_PROJECT=production."""

from __future__ import annotations

from settings.base import *  # noqa: F403

PROGRESS_ENABLED = False
MEMUSAGE_ENABLED = True
MEMUSAGE_LIMIT_MB = 2048
