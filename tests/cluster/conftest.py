"""What needs Spark is run by `make test-spark` alone: it takes longer than the rest of the suite may."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if os.environ.get("SPARK_TESTS") else ["test_spark_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [
        name
        for name, there in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java")))
        if not there
    ]
    if missing:
        mark = pytest.mark.skip(reason=f"{' and '.join(missing)} missing: requirements-spark.txt, Java 17")
        for item in items:
            if item.path.name.startswith("test_spark_"):
                item.add_marker(mark)
