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
        (
            "local-cluster[2,1,1024]",
            "ResultStage 7 has failed the maximum allowable number of times: 4. Most recent failure reason: "
            "org.apache.spark.shuffle.MetadataFetchFailedException: Missing an output location",
            "--conf spark.executor.memory=4g",
        ),
        ("local[2]", "Answer from Java side is empty", "--conf spark.driver.memory=4g"),
        ("local[2]", "Invalid maximum heap size: -Xmxlots", "as in 4g"),
        (
            "local[2]",
            "SparkIllegalArgumentException: [INVALID_DRIVER_MEMORY.SYSTEM_MEMORY] Insufficient driver memory",
            "--conf spark.driver.memory=1g",
        ),
        ("local[2]", "java.net.ConnectException: Connection refused", "java.net.ConnectException"),
        (
            "local[2]",
            "java.net.ConnectException: Call From vm/127.0.0.1 to names:8020 failed on connection exception: "
            "java.net.ConnectException: Connection refused; For more details see: http://wiki.example",
            "names:8020 does not answer (connection exception): check the address",
        ),
        ("local[2]", "java.net.UnknownHostException: names.invalid", "names.invalid: there is no such host"),
        ("local[2]", "java.io.IOException: Incomplete HDFS URI, no host: hdfs:///x", "hdfs://HOST:PORT/PATH"),
    ],
)
def test_what_is_wrong_is_named_with_its_mend(master: str, text: str, mend: str) -> None:
    line = said(RuntimeError(f"Job aborted due to stage failure:\n{text}\n\tat org.apache.spark"), master)
    assert mend in line
    assert "\n" not in line
