"""A job from its start to its end: Spark is started, watched and stopped."""

from __future__ import annotations

import contextlib
import logging
import threading
import warnings
from typing import TYPE_CHECKING, Final, TypeVar

from cluster.job import Job, partitions_of
from cluster.parameters import ArchiveJobError
from cluster.session import said, session
from store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from cluster.inputs import Input
    from cluster.job import Summary
    from cluster.parameters import JobParameters

Answer = TypeVar("Answer")

_EVERY: Final = 1.0


def run(
    master: str,
    inputs: Sequence[Input],
    parameters: JobParameters,
    out: str,
    partitions: int,
    more: Mapping[str, str],
    tell: Callable[[str, int, int], None],
) -> Summary:
    """Runs a job; 0 ``partitions`` are as many as the archives ask for. Else as `on_spark`."""
    parts = partitions or partitions_of(inputs)
    return on_spark(
        master, parts, more, tell, lambda spark, watch: Job(inputs, parameters, out, parts, watch).run(spark)
    )


def on_spark(
    master: str,
    partitions: int,
    more: Mapping[str, str],
    tell: Callable[[str, int, int], None],
    work: Callable[[SparkSession, Callable[[str], None]], Answer],
) -> Answer:
    """What work on a master of Spark's comes to. Takes settings of Spark's, and what is told how far it is:
    what is done, and how much of how many. The work says what it does.

    Raises ArchiveJobError, StoreError, and KeyboardInterrupt where it is told to end: Spark has ended then.
    """
    spark = session(master, partitions, more)
    # What Spark's own modules have to say of a job that is told to end is of no use to anybody.
    logging.disable(logging.ERROR)
    try:
        with _watched(spark, tell) as watch:
            return work(spark, watch)
    except (ArchiveJobError, StoreError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise ArchiveJobError(said(error, master)) from error
    finally:
        # What was told to end may be told once more, and what has ended cannot be stopped.
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            spark.stop()
        logging.disable(logging.NOTSET)


@contextlib.contextmanager
def _watched(spark: SparkSession, tell: Callable[[str, int, int], None]) -> Iterator[Callable[[str], None]]:
    """Tells, second by second, how many of the tasks at work are done; what they are for is told to what this
    gives.
    """
    what, ended = ["starting Spark"], threading.Event()

    def watch() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not ended.wait(_EVERY):
            with contextlib.suppress(Exception):
                stages = [tracker.getStageInfo(one) for one in tracker.getActiveStageIds()]
                done = sum(one.numCompletedTasks for one in stages if one is not None)
                total = sum(one.numTasks for one in stages if one is not None)
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
