from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import shutil
import tempfile
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from hypothesis import settings

from tests import duck, forked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import PostgresServer

# The same examples each time, so that what a change has nothing to do with does not hold it up; `make fuzz`
# looks for others. No test is timed.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=24)
settings.register_profile("random", deadline=None, print_blob=True, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
# Threads that share products of small matrices wait for each other most of the time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# It looks through all modules that are loaded, as many as there are by then.
importlib.import_module("scrapy.core.downloader.contextfactory")
duckdb.connect = duck.connect
forked.remember_commands()
forked.copy_settings_flat()
MEMORY = Path("/dev/shm")
PROJECT = Path(__file__).parent.parent


@pytest.fixture
def quick_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets interpreters that stay fork workers: to begin one takes longer than what tests ask of it."""
    for module in ("evaluation.corpora", "pagelets.processes"):
        monkeypatch.setattr(f"{module}.ForkServer", forked.kept_server)


@pytest.fixture
def quick_evaluation(monkeypatch: pytest.MonkeyPatch, quick_servers: None) -> None:
    """Lets `evaluation` crawl in processes that need not load first what they run."""
    monkeypatch.setattr("evaluation.corpora.run_scrapy", lambda arguments, stop: forked.run(arguments))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A PostgreSQL server, in which each test has a database of its own."""
    from tests.postgres import postgres_server

    with postgres_server() as server:
        yield server


# Nothing that is imported and collected is garbage: collections would look at all of it again and again.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What takes long is begun first: no worker is left alone with it when the others have ended.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    # Some thousand tests and all that they import are there to stay: each full collection would look at them
    # anew, which takes a seventh of what a crawl in this process takes. One here would find next to nothing.
    gc.freeze()
    # What is frozen still at the end counts as leaked to DuckDB's bindings, which say so.
    atexit.register(gc.unfreeze)
    gc.enable()
    # What a crawl needs is freed by reference counts; looking for the rest takes a twelfth of its time.
    gc.set_threshold(50_000, 20, 50)


def pytest_configure() -> None:
    # A crawl waits for the disk as long as it computes: the folders of tests are in memory where it has room.
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2 * 2**30:
        folder = tempfile.mkdtemp(prefix="site-pagelets-", dir=MEMORY)
        # A PostgreSQL server is another user, and has its folder there.
        Path(folder).chmod(0o711)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        # After the sockets of other processes, whose priority is -100.
        Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=-200)


def pytest_sessionstart(session: pytest.Session) -> None:
    # The first import in a clone compiles a module, its assertions rewritten: each worker begins with a share
    # of its own, and finds the others compiled.
    if worker := getattr(session.config, "workerinput", None):
        number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
        paths = sorted(path for argument in session.config.args for path in Path(argument).rglob("test_*.py"))
        # Spark takes long to load, and few ask for it (`tests/cluster/conftest.py`).
        paths = [path for path in paths if not path.name.startswith("test_spark_")]
        for path in paths[number::count]:
            # The collection names those that fail.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(path.resolve().relative_to(PROJECT).with_suffix("").parts))


def pytest_addoption(parser: pytest.Parser) -> None:
    # Here, not beside the gate: pytest reads the options of those conftests only that lie on the way to its
    # arguments, and without arguments that is this one.
    group = parser.getgroup("quality gate (tests/quality/test_gate.py)")
    group.addoption(
        "--pin-floors",
        action="store_true",
        help="raise the floors of figures that have risen, and pin floors of new figures",
    )
    group.addoption(
        "--lower-floors",
        action="store_true",
        help="as --pin-floors; and lower the floors that figures fell below, and drop those without a figure",
    )
