"""The documents of a store as they are now, without a crawl."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Final

from store.meta import DERIVATION, DETECTION_RUN, JUDGEMENT, TEMPLATE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from store.judging import StoredJudge
    from store.site import Store

SNAPSHOT: Final = 1.0
"""Seconds that the store is read at one moment."""


def judged_pages(
    store: Store, pages: Iterable[int], judge_in: Callable[[Store], StoredJudge]
) -> Iterator[tuple[int, StoredJudge]]:
    """Yields those ``pages`` of a ``store`` that have a document, each with a judge that knows the current
    site, made by ``judge_in``.

    A snapshot lasts about a second: meanwhile writes of a crawl only add to the log of SQLite.
    """
    left = deque(pages)
    judge, known = None, ""
    while left:
        with store.snapshot():
            state = _evidence_state(store)
            if judge is None or state != known:
                judge, known = judge_in(store), state
            started = time.monotonic()
            while left and (page := left.popleft()):
                if store.documents.is_current(page):
                    yield page, judge
                if time.monotonic() - started >= SNAPSHOT:
                    break


def _evidence_state(store: Store) -> str:
    """Names the knowledge of a judge about the site: a change of it needs a new judge."""
    named = [store.meta(key) for key in (TEMPLATE_VERSION, DERIVATION, JUDGEMENT)]
    return repr([*named, store.meta(DETECTION_RUN)])
