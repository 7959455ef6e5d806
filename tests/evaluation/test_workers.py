from __future__ import annotations

import os
import threading
import time

import pytest

from evaluation.workers import Pool


def test_jobs_of_the_lowest_rank_go_first_and_tell_what_they_do():
    with Pool(1) as pool:
        ready = threading.Event()
        pool.add(0, lambda worker: ready.wait(30) and None)
        for rank in (3, 1, 2):
            pool.add(rank, lambda worker, rank=rank: pool.tell(rank))
        ready.set()
        assert [pool.told() for _ in range(3)] == [1, 2, 3]


def test_what_a_job_raises_is_raised_where_it_is_asked_and_others_go_on():
    def fail(worker):
        raise ZeroDivisionError("in a job")

    with Pool(1) as pool:
        pool.add(0, fail)
        pool.add(1, lambda worker: pool.tell("next"))
        with pytest.raises(ZeroDivisionError, match="in a job"):
            pool.told()
        assert pool.told() == "next"


def test_at_its_end_no_process_and_no_thread_is_left():
    with Pool(2) as pool:
        processes = [worker.process.pid for worker in pool.workers]
        for process in processes:
            os.kill(process, 0)
        before = threading.active_count()
        started = time.monotonic()
    assert time.monotonic() - started < 10
    assert threading.active_count() == before - 2
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
