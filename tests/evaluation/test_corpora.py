from __future__ import annotations

import os
import threading
import time

import pytest

from evaluation.corpora import Jobs
from pagelets.processes import ForkServer, unpacked
from tests.working import load, work


@pytest.fixture
def server():
    return ForkServer(load)


def test_jobs_of_the_lowest_rank_go_first_and_tell_what_they_do(server):
    with Jobs(1, server) as jobs:
        ready = threading.Event()
        jobs.add(0, lambda: ready.wait(30) and None)
        for rank in (3, 1, 2):
            jobs.add(rank, lambda rank=rank: jobs.tell(rank))
        ready.set()
        assert [jobs.told() for _ in range(3)] == [1, 2, 3]


def test_what_a_job_raises_is_raised_where_it_is_asked_and_others_go_on(server):
    def fail():
        raise ZeroDivisionError("in a job")

    with Jobs(1, server) as jobs:
        jobs.add(0, fail)
        jobs.add(1, lambda: jobs.tell("next"))
        with pytest.raises(ZeroDivisionError, match="in a job"):
            jobs.told()
        assert jobs.told() == "next"


def test_at_its_end_no_process_and_no_thread_is_left(server):
    def sleep():
        worker = server.start(work)
        worker.connection.send("process")
        jobs.tell(unpacked(worker.connection.recv_bytes()))
        worker.connection.send("sleep")
        worker.connection.recv_bytes()

    with Jobs(2, server) as jobs:
        for _ in range(2):
            jobs.add(0, sleep)
        processes = [jobs.told(), jobs.told()]
        for process in processes:
            os.kill(process, 0)
        before = threading.active_count()
        started = time.monotonic()
    assert time.monotonic() - started < 10
    assert threading.active_count() == before - 2
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
