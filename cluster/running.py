"""Work on Spark from its start to its end: Spark is started, watched and stopped."""

from __future__ import annotations

import contextlib
import logging
import threading
import warnings
from typing import TYPE_CHECKING, Final, TypeVar

from cluster.parameters import ArchiveJobError
from cluster.session import said, session
from store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import SparkSession

Answer = TypeVar("Answer")

_EVERY: Final = 1.0


def on_spark(
    master: str,
    partitions: int,
    more: Mapping[str, str],
    tell: Callable[[str, int, int], None],
    work: Callable[[SparkSession, Callable[[str], None]], Answer],
) -> Answer:
    """Runs work on a Spark session, and returns its result.

    Args:
        master: the address of Spark's master.
        partitions: the number of tasks of a shuffle.
        more: settings of Spark.
        tell: called with the current step, how much of it is done, and how much there is.
        work: called with the session, and a function that takes the name of each step.

    Raises:
        ArchiveJobError: Spark failed; the text says how to mend it.
        StoreError: a store cannot be used.
        KeyboardInterrupt: a signal asked to end, and Spark has ended.

    """
    spark = session(master, partitions, more)
    # Messages of Spark's own modules about an ending job are of no use to anybody.
    logging.disable(logging.ERROR)
    try:
        with _watched(spark, tell) as watch:
            return work(spark, watch)
    except (ArchiveJobError, StoreError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise ArchiveJobError(said(error, master)) from error
    finally:
        # A signal may come twice, and an ended session cannot be stopped.
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            spark.stop()
        logging.disable(logging.NOTSET)


@contextlib.contextmanager
def _watched(spark: SparkSession, tell: Callable[[str, int, int], None]) -> Iterator[Callable[[str], None]]:
    """Reports, second by second, how many of the running tasks are done. Yields a function that takes the
    name of the current step.
    """
    what, ended = ["starting Spark"], threading.Event()

    def watch() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not ended.wait(_EVERY):
            with contextlib.suppress(Exception):
                stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                done = sum(stage.numCompletedTasks for stage in stages if stage is not None)
                total = sum(stage.numTasks for stage in stages if stage is not None)
                tell(what[0] if not total else f"tasks: {what[0]}", done, total)

    def now(text: str) -> None:
        what[0] = text

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield now
    finally:
        ended.set()
        thread.join()
