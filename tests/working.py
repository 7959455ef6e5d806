"""Work for other processes (`pagelets.processes`), which may come to no good."""

from __future__ import annotations

import gc
import logging
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOADED: list[object] = []


def load(*things: object) -> None:
    LOADED.extend(things)


def work(tasks: Iterable[str | int], more: int = 0) -> Iterator[object]:
    """Does tasks: a number is answered by one that is higher by ``more``."""
    for task in tasks:
        match task:
            case int():
                yield task + more
            case "loaded":
                yield LOADED, gc.get_freeze_count() > 0
            case "log":
                logging.getLogger("tests.working").warning("said %s", [task])
                yield task
            case "strange":
                logging.getLogger("tests.working").warning("nobody hears this")
                yield work(())
            case "process":
                yield os.getpid()
            case "sleep":
                time.sleep(600)
            case "abort":
                os.abort()
            case "raise":
                raise RecursionError("too deep")
            case _:
                return
