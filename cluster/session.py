"""Spark, as a job needs it: started with bounds, and what it says when something is wrong, in one line."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from cluster.parameters import ArchiveJobError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

PROJECT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("cluster", "pagelets", "release", "settings", "store")
"""What executors import."""
CODE: Final = "site-pagelets"
"""The folder that it is in where an executor works."""
_HERE: Final = re.compile(r"local(\[|-cluster|\Z)")
_ALONE: Final = re.compile(r"local(\[|\Z)")
_MEMORY: Final = "1g"
_BOUNDS: Final = {
    # A batch of pages is some megabytes of sources.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    "spark.sql.parquet.columnarReaderBatchSize": "256",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.hadoop.parquet.block.size": str(32 << 20),
    # A table that is sent to every executor is held by each of them, several times over.
    "spark.sql.autoBroadcastJoinThreshold": "4m",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "4m",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.worker.reuse": "true",
    # A host that does not answer is asked three times in a minute, and not for a quarter of an hour.
    "spark.hadoop.ipc.client.connect.max.retries.on.timeouts": "2",
    # What is in doubt is an error, and no value.
    "spark.sql.ansi.enabled": "true",
}


def session(master: str, partitions: int, more: Mapping[str, str]) -> SparkSession:
    """Returns a session with bounds of its own.

    Args:
        master: the address of Spark's master.
        partitions: the number of tasks of a shuffle.
        more: settings of Spark, which come first.

    Raises:
        ArchiveJobError: Spark or Java is missing, or the master does not answer.

    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ArchiveJobError(f"{error.name} is missing: pip install -r requirements-spark.txt") from error
    if not (java := os.environ.get("JAVA_HOME")) and shutil.which("java") is None:
        raise ArchiveJobError("Java is missing: install Java 17 or newer, or set JAVA_HOME")
    if java and shutil.which("java", path=str(Path(java, "bin"))) is None:
        raise ArchiveJobError(
            f"JAVA_HOME={java}: there is no bin/java; set it to the folder of Java 17 or newer"
        )
    if python := more.get("spark.pyspark.python"):
        # Spark itself looks at it on submission only.
        os.environ["PYSPARK_PYTHON"] = python
    settings = {**_BOUNDS, "spark.sql.shuffle.partitions": str(partitions), **_own(master), **more}
    builder = SparkSession.builder.master(master).appName("archive-job")
    for name, value in settings.items():
        builder = builder.config(name, value)
    with _aside() as log:
        try:
            spark: SparkSession = builder.getOrCreate()
        except Exception as error:
            log.seek(0)
            heard = log.read().decode("utf-8", "replace")
            raise ArchiveJobError(f"{master}: {said(error, master, heard)}") from error
    spark.sparkContext.setLogLevel("OFF")
    # Where Java ends it would print a traceback.
    spark.sparkContext._accumulatorServer.handle_error = lambda *_: None
    if not _HERE.match(master):
        _send(spark)
    return spark


def _send(spark: SparkSession) -> None:
    """Sends the project's code to executors elsewhere, with its compiled parts: unpacked, as a library in an
    archive cannot be loaded.
    """
    # Executors fetch it when they start, also those that take the place of others: it goes with the session.
    folder = Path(spark.sparkContext._temp_dir)
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, folder / "code" / name, ignore=ignored)
    packed = shutil.make_archive(str(folder / CODE), "zip", folder / "code")
    spark.sparkContext.addArchive(f"{packed}#{CODE}")


@contextlib.contextmanager
def _aside() -> Iterator[BinaryIO]:
    """Has what is started inside write its standard error to a file instead: Java greets its users there, and
    goes on to write what Python says that is read as an error of the job in any case.
    """
    with tempfile.TemporaryFile() as log:
        before = os.dup(2)
        try:
            os.dup2(log.fileno(), 2)
            yield log
        finally:
            os.dup2(before, 2)
            os.close(before)


def _own(master: str) -> dict[str, str]:
    if not _HERE.match(master):
        # Where archives are unpacked on executors: in the folder that they work in.
        return {"spark.executorEnv.PYTHONPATH": CODE}
    path = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONPATH"] = path
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return {
        "spark.driver.memory": _MEMORY,
        "spark.executor.memory": _MEMORY,
        "spark.executorEnv.PYTHONPATH": path,
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }


CAUSES: Final = Path(__file__).with_name("causes.toml")
"""Errors of Spark, and what they mean."""


def _causes(error: BaseException) -> Iterator[str]:
    """Yields the messages of the causes of a Java error, the last one last."""
    cause = getattr(error, "java_exception", None)
    with contextlib.suppress(Exception):
        while cause is not None:
            yield str(cause.toString())
            cause = cause.getCause()


def said(error: BaseException, master: str, heard: str = "") -> str:
    """Explains an ``error`` of Spark on a ``master`` in one line; ``heard`` is more of its output."""
    text = "\n".join([str(error), *_causes(error), heard])
    if messages := re.findall(r"ArchiveJobError: ([^\n]+)", text):
        return str(messages[-1])
    for cause in tomllib.loads(CAUSES.read_text("utf-8"))["causes"]:
        if match := re.search(cause["said"], text):
            # All work is done in one process with the driver there.
            memory = "spark.driver.memory" if _ALONE.match(master) else "spark.executor.memory"
            return match.expand(cause["means"]).replace("{0}", match[0].strip()).replace("{memory}", memory)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)]
    return (last or lines or [type(error).__name__])[-1 if last else 0][:500]
