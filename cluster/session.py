"""Spark, as a job needs it: started with bounds, and what it says when something is wrong, in one line."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cluster.parameters import ArchiveJobError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

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
    packed = shutil.make_archive(str(folder / CODE), "zip", _copied(folder / "code"))
    spark.sparkContext.addArchive(f"{packed}#{CODE}")


def _copied(folder: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


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


_KNOWN: Final = (
    (
        r"No space left on device|Disk quota exceeded",
        "a disk is full: make room where executors work (spark.local.dir) and at OUT",
    ),
    (
        r"No module named '([\w.]+)'",
        r"the executors' Python has no package \1: give them the project's (docs/archive-job.md)",
    ),
    (
        r"Cannot run program \"([^\"]+)\"",
        r"an executor cannot start \1: set spark.pyspark.python to its Python (--conf)",
    ),
    (
        r"PYTHON_VERSION_MISMATCH",
        "the executors have another version of Python: set spark.pyspark.python (--conf)",
    ),
    (
        r"No FileSystem for scheme \"(\w+)\"",
        r"Spark has no \1://: give its package (--conf spark.jars.packages=…)",
    ),
    (
        r"ClassNotFoundException: Class (org\.apache\.hadoop\.fs\.s3a\S+)",
        r"Spark lacks \1: --conf spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION",
    ),
    (
        r"Call From \S+ to (\S+) failed on ([a-z ]*exception)",
        r"\1 does not answer (\2): check the address, and that it can be reached from here",
    ),
    (r"UnknownHostException: ([\w.-]+)", r"\1: there is no such host; check the address"),
    (r"Incomplete HDFS URI, no host: (\S+)", r"\1: give its host, hdfs://HOST:PORT/PATH"),
    (
        r"(?:ACCESS_DENIED|AccessDenied|AccessControlException|Permission denied|403 Forbidden)[^\n]{0,200}",
        "access is refused: {0}; check the credentials",
    ),
    (
        r"spark\.driver\.maxResultSize",
        "what tasks send back is too much: give more (--conf spark.driver.maxResultSize=4g)",
    ),
    (
        r"memoryOverhead|exit(?:ed with)? code:? 137|\bMemoryError|Python worker exited unexpectedly",
        "a worker of Python's ran out of memory: give more (--conf spark.executor.memoryOverhead=2g, and "
        "spark.executor.pyspark.memory where it is set), or more --partitions",
    ),
    (
        # What Spark exits with where memory ends.
        r"OutOfMemoryError|exit(?:ed with)? code:? 52\b",
        "an executor ran out of memory: give more (--conf {memory}=4g), or more --partitions",
    ),
    (
        # What an executor has written is lost with it.
        r"FetchFailedException",
        "executors are lost again and again, as they are where memory ends: give more (--conf {memory}=4g, "
        "spark.executor.memoryOverhead=2g), or more --partitions",
    ),
    (
        r"Answer from Java side is empty|Error while (?:sending|receiving)|\[Errno 111\]",
        "Java has ended, as it does where memory ends: give more (--conf spark.driver.memory=4g), or more "
        "--partitions",
    ),
    (r"INVALID_DRIVER_MEMORY", "Spark needs 450 MB: give more (--conf spark.driver.memory=1g)"),
    (r"INVALID_EXECUTOR_MEMORY", "Spark needs 450 MB: give more (--conf spark.executor.memory=1g)"),
    (
        r"Invalid (?:maximum|initial) heap size|Size must be specified as bytes",
        "one of Spark's settings is no size: give spark.driver.memory, spark.executor.memory as in 4g",
    ),
    (r"UnsupportedClassVersionError", "Java is too old: Java 17 or newer is needed"),
    (r"JAVA_GATEWAY_EXITED", "Java does not start: Java 17 or newer is needed (JAVA_HOME)"),
)
"""What Spark says, and what it means."""


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
    for pattern, meaning in _KNOWN:
        if match := re.search(pattern, text):
            # All work is done in one process with the driver there.
            memory = "spark.driver.memory" if _ALONE.match(master) else "spark.executor.memory"
            return match.expand(meaning).replace("{0}", match[0].strip()).replace("{memory}", memory)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)]
    return (last or lines or [type(error).__name__])[-1 if last else 0][:500]
