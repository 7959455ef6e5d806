"""Crawls that are ended by a signal lose nothing; `python -m benchmarks loss` tries many more moments."""

from __future__ import annotations

import random

import pytest

from benchmarks.loss import Loss, Trial, served


@pytest.fixture(scope="module")
def loss(tmp_path_factory):
    with served() as (server, url):
        trials = Loss(server, url, tmp_path_factory.mktemp("loss"))
        trials.prepare()
        yield trials


@pytest.mark.parametrize(
    ("end", "phase", "second_run"),
    [
        ("kill", "fetching", True),
        ("kill", "releasing", False),
        ("interrupt", "detecting", True),
        ("interrupt twice", "fetching", False),
    ],
)
def test_nothing_is_lost(loss, end, phase, second_run):
    seed = random.SystemRandom().randrange(1 << 31)
    trial = loss.run(Trial(seed, end, phase, second_run), random.Random(seed))
    print(trial)
    assert (trial.lost, trial.doubled, trial.changed, trial.undelivered) == ([], [], [], [])
    assert trial.outcome == "complete"
    assert trial.exit_code != 0
