"""A pipeline that takes its time over each document, so that a release can be caught at work."""

from __future__ import annotations

import asyncio
from typing import Any


class SlowPipeline:
    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0.15)
        return item
