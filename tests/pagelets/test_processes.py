"""Workers share what was loaded, answer in order, and end alone, in time, or with who has started them."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import wait

import pytest

from pagelets.processes import ForkServer, answers, unpacked
from tests.forked import begin
from tests.processes import children, have_ended, is_alive, wait_until, workers_of
from tests.working import load, work


@pytest.fixture(scope="module")
def server():
    server = ForkServer(load, "this", 1)
    yield server
    server.close()


def asked(worker, task):
    worker.connection.send(task)
    return unpacked(worker.connection.recv_bytes())


def test_what_was_loaded_is_shared_and_tasks_are_answered_with_what_is_logged(server, caplog):
    worker = server.start(work, 5)
    assert asked(worker, "loaded") == (["this", 1], True)
    assert [asked(worker, number) for number in range(3)] == [5, 6, 7]
    assert asked(worker, "log") == "log"
    # Who asked does this task, and logs.
    assert asked(worker, "strange") is None
    assert [record.getMessage() for record in caplog.records] == ["said ['log']"]
    assert worker.end().memory > 1 << 20


def test_a_process_that_ends_or_takes_too_long_is_told_from_others(server):
    ended = {}
    for task in ("abort", "sleep", "return", "raise"):
        worker = server.start(work)
        process = asked(worker, "process")
        worker.connection.send(task)
        # Until it ends; one that sleeps does not.
        worker.connection.poll(0.2 if task == "sleep" else 60)
        ended[task] = worker.end().code
        assert not is_alive(process)
    assert ended == {"abort": -signal.SIGABRT, "sleep": -signal.SIGKILL, "return": 0, "raise": 1}


def test_tasks_of_processes_that_end_are_left_to_the_caller_and_others_go_on(server):
    workers, left = [server.start(work, 1) for _ in range(2)], []
    first, second = [asked(worker, "process") for worker in workers]

    def kill(task):
        if task in (40, 160):
            os.kill(first if task == 40 else second, signal.SIGKILL)

    tasks = [*range(100), "strange", *range(100, 400)]
    found = []
    for one in answers(workers, tasks, window=4, most_bytes=1, lost=left.append):
        if one is None:
            assert wait([worker.connection for worker in workers], 60)
            continue
        kill(one[0])
        found.append(one)
    assert [task for task, _ in found] == tasks
    assert left == [1, 0]
    wrong = [(task, answer) for task, answer in found if task != "strange" and answer not in (None, task + 1)]
    assert not wrong
    by_hand = [task for task, answer in found if answer is None]
    # Of each of them two at most, and all after the last one.
    assert by_hand[-230:] == list(range(170, 400))
    assert "strange" in by_hand
    assert len([task for task in by_hand if task == "strange" or task < 160]) <= 3


def test_all_tasks_are_left_to_the_caller_where_the_interpreter_itself_is_killed():
    before, left = children(os.getpid()), []
    server = ForkServer(load)
    workers = [server.start(work) for _ in range(2)]
    processes = [asked(worker, "process") for worker in workers]
    (interpreter,) = {*children(os.getpid())} - {*before}
    os.kill(interpreter, signal.SIGKILL)
    assert have_ended(processes)
    found = answers(workers, range(3), window=4, most_bytes=1, lost=left.append)
    assert [one for one in found if one is not None] == [(0, None), (1, None), (2, None)]
    assert left == [1, 0]
    with pytest.raises(OSError, match="Broken pipe"):
        server.start(work)
    server.close()


def test_all_processes_end_with_the_one_that_started_them_in_the_midst_of_a_task():
    starting = begin(_sleep)
    wait_until(lambda: len(workers_of(starting.pid)) == 2)
    below = [*children(starting.pid), *workers_of(starting.pid)]
    os.kill(starting.pid, signal.SIGKILL)
    starting.join()
    assert len(below) == 3
    assert have_ended(below)


def _sleep():
    server = ForkServer(load)
    for _ in range(2):
        server.start(work).connection.send("sleep")
    time.sleep(600)
