"""The finished stages of a job: each has its name once it is whole, so that it is done once."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from cluster.parameters import ArchiveJobError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession

_JOB: Final = "job.json"
_SUMMARY: Final = "summary.json"
_WORK: Final = "work"


def fingerprint(*values: object) -> str:
    """Names a job by all that decides on what it makes."""
    return hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Stages:
    """The folder of a job: ``job.json`` says which it is, ``work/`` has its finished stages, ``documents/``
    what comes of it, and ``summary.json`` that it is complete.

    Takes the folder, anywhere Spark can write, and the job's name. Raises ArchiveJobError where the folder
    has something else.
    """

    def __init__(self, spark: SparkSession, out: str, name: str) -> None:
        self._spark = spark
        jvm: Any = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        configuration = spark.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path(out).getFileSystem(configuration)
        self._io = jvm.org.apache.commons.io.IOUtils
        # Sums beside local files, which nobody else looks at.
        self._files.setWriteChecksum(False)
        self.out = out
        self._begin(name)

    def _begin(self, name: str) -> None:
        known = self._read(_JOB)
        if known is None:
            if self._files.exists(self._at("")) and len(self._files.listStatus(self._at(""))):
                raise ArchiveJobError(f"{self.out}: the folder is not empty; give a new one")
            self._write(_JOB, {"job": name})
        elif known.get("job") != name:
            raise ArchiveJobError(
                f"{self.out}: the folder is of another job (other archives, settings or program); "
                "give a new one, or remove it"
            )

    def summary(self) -> dict[str, Any] | None:
        """The summary of the job, None before it is complete."""
        return self._read(_SUMMARY)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """A value that is made once for the job, and kept."""
        known = self._read(f"{_WORK}/{name}.json")
        if known is None:
            known = {"value": make()}
            self._write(f"{_WORK}/{name}.json", known)
        return known["value"]

    def rows(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The rows of a stage: made and written, unless it is finished."""
        place = f"{_WORK}/{name}"
        if not self._files.exists(self._at(place)):
            partial = self._partial(name)
            make().write.parquet(partial)
            self._rename(partial, place)
        return self._spark.read.parquet(f"{self.out}/{place}")

    def publish(self, name: str, write: Callable[[str], None], suffix: str) -> None:
        """Puts a folder of files under its final ``name``: ``write`` writes to the path that it is given, and
        the files are called by their numbers and the ``suffix``.
        """
        if self._files.exists(self._at(name)):
            return
        partial = self._partial(name)
        write(partial)
        parts = sorted(status.getPath().getName() for status in self._files.listStatus(self._path(partial)))
        for part in parts:
            if part.startswith("part-"):
                number = part.split("-")[1]
                self._rename(f"{partial}/{part}", f"{_WORK}/{name}.partial/part-{number}{suffix}")
            else:
                self._files.delete(self._path(f"{partial}/{part}"), True)
        self._rename(partial, name)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Says that the job is complete, and removes what it worked with."""
        self._write(_SUMMARY, summary)
        self._files.delete(self._at(_WORK), True)

    def _at(self, name: str) -> Any:
        return self._path(f"{self.out}/{name}" if name else self.out)

    def _partial(self, name: str) -> str:
        """A place for a stage that is being made; what an earlier run has left there goes."""
        place = f"{_WORK}/{name}.partial"
        self._files.delete(self._at(place), True)
        return f"{self.out}/{place}"

    def _rename(self, partial: str, name: str) -> None:
        if not self._files.rename(self._path(partial), self._at(name)):
            raise ArchiveJobError(
                f"{self.out}/{name}: cannot be put there; see that nobody else writes to it"
            )

    def _read(self, name: str) -> dict[str, Any] | None:
        if not self._files.exists(self._at(name)):
            return None
        stream = self._files.open(self._at(name))
        try:
            content: dict[str, Any] = json.loads(self._io.toString(stream, "UTF-8"))
        except ValueError:
            return {}
        finally:
            stream.close()
        return content

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        partial = f"{self.out}/{name}.partial"
        stream = self._files.create(self._path(partial), True)
        try:
            stream.write(bytearray(json.dumps(value, indent=1).encode()))
        finally:
            stream.close()
        self._files.delete(self._at(name), True)
        self._rename(partial, name)
