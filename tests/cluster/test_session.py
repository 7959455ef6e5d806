"""What Spark says when something is wrong, in one line that names the mend."""

from __future__ import annotations

import pytest

from cluster.session import said


@pytest.mark.parametrize(
    ("master", "text", "mend"),
    [
        ("local[2]", "java.lang.OutOfMemoryError: Java heap space", "--conf spark.driver.memory=4g"),
        ("yarn", "java.lang.OutOfMemoryError: Java heap space", "--conf spark.executor.memory=4g"),
        (
            "local-cluster[2,1,1024]",
            "ExecutorLostFailure (executor 1 exited): Command exited with code 52",
            "--conf spark.executor.memory=4g",
        ),
        (
            "yarn",
            "Container killed by YARN for exceeding physical memory limits. Consider boosting "
            "spark.executor.memoryOverhead.",
            "--conf spark.executor.memoryOverhead=2g",
        ),
        (
            "local[2]",
            "Total size of serialized results of 1 tasks (1806.0 B) is bigger than "
            "spark.driver.maxResultSize (1.0 B).",
            "--conf spark.driver.maxResultSize=4g",
        ),
        ("local[2]", "Answer from Java side is empty", "--conf spark.driver.memory=4g"),
        ("local[2]", "Invalid maximum heap size: -Xmxlots", "as in 4g"),
        (
            "local[2]",
            "SparkIllegalArgumentException: [INVALID_DRIVER_MEMORY.SYSTEM_MEMORY] Insufficient driver memory",
            "--conf spark.driver.memory=1g",
        ),
        ("local[2]", "java.net.ConnectException: Connection refused", "java.net.ConnectException"),
    ],
)
def test_what_memory_lacks_is_named_by_its_setting(master: str, text: str, mend: str) -> None:
    line = said(RuntimeError(f"Job aborted due to stage failure:\n{text}\n\tat org.apache.spark"), master)
    assert mend in line
    assert "\n" not in line
