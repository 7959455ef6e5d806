"""The border around one page: whatever it makes a step raise costs no other page anything."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from store.errors import NotLearned, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from store.frontier import Frontier, Outcomes

    Border = Callable[[int, str], AbstractContextManager[object]]
    """Takes the id of a page and the name of a step; catches what the page makes the step raise
    (`store.site.Store.border`).
    """

PREFIX: Final = "fault:"
"""Flags of faults begin so: ``fault:judging:ValueError``."""

logger = logging.getLogger(__name__)


class Fault(NamedTuple):
    """A page that made a step of a run raise: the step's name and the exception's class."""

    page: int
    step: str
    error: str


def is_of_store(error: Exception) -> bool:
    """Returns whether an exception says that the store or its disk failed, and not that a page is odd.

    An OSError without a number comes of data (`gzip.BadGzipFile`). The other subclasses of DatabaseError, and
    a method that has not learned of a page's host, concern the page at hand alone.
    """
    if isinstance(error, OSError):
        return error.errno is not None
    if isinstance(error, sqlite3.Error):
        return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError
    return isinstance(error, StoreError) and not isinstance(error, NotLearned)


class Faults:
    """The faults of a site's pages, as flags in the table PAGES; writes belong to the caller's transaction.

    ``listener`` is called with each fault as it is noted.
    """

    def __init__(self, frontier: Frontier, outcomes: Outcomes) -> None:
        self._frontier = frontier
        self._outcomes = outcomes
        self._logged: set[tuple[str, str]] = set()
        self.listener: Callable[[Fault], None] | None = None

    def note(self, page: int, step: str, error: BaseException) -> Fault:
        """Flags a page with the step that failed on it, once a run, and logs it; returns the fault.

        Args:
            page: the id of the page.
            step: the name of the step, one word.
            error: the exception; the first of its class in a step is logged with its traceback.
        """
        fault = Fault(page, step, type(error).__name__)
        if self._outcomes.flag(page, f"{PREFIX}{step}:{fault.error}"):
            self._log(fault, error)
            if self.listener is not None:
                self.listener(fault)
        return fault

    def clear(self) -> None:
        """Removes the flags of earlier runs."""
        self._outcomes.unflag(PREFIX)

    def _log(self, fault: Fault, error: BaseException) -> None:
        kind = fault.step, fault.error
        traceback = None if kind in self._logged else error
        self._logged.add(kind)
        text = f"{fault.error}: {error}" if str(error) else fault.error
        url = self._frontier.url(fault.page)
        logger.error("%s: %s failed, on this page alone: %s", url, fault.step, text, exc_info=traceback)
