"""Signals of ours, beside those of Scrapy."""

from __future__ import annotations

from typing import Final

run_finished: Final = object()
"""A run has ended, and its outcome is in the store and in its run file; not sent for samples. A run whose end
could not be recorded, such as on a full disk, has no outcome.

Sent with ``send_catch_log_async``: handlers may be coroutines, and the process waits for them. Arguments:
``spider``; ``run``, the `store.runs.Run` that has ended; ``history``, the runs of the site before it, the
latest first, at most `HISTORY`. Nothing that a handler does or raises changes the outcome any more.
"""

run_closed: Final = object()
"""A run is over, whether its outcome could be recorded or not; sent as `run_finished`, after it. Argument:
``spider``.
"""

HISTORY: Final = 30
"""How many earlier runs go with `run_finished`."""
