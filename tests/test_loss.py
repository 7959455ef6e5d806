"""Crawls that are ended by a signal lose nothing; `python -m benchmarks loss` tries many more moments."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from benchmarks import loss as losses
from benchmarks.loss import Loss, LossTrial, served
from demo.site import pages
from tests import forked

LEFT_OUT = ("/shop/", "/print/", "/magazine/t", "/img/")
"""Where half of the demo site's pages are: the other half loses as much."""


class ForkedLoss(Loss):
    """Trials whose processes need not load first what they run."""

    def scrapy(self, arguments, env, *, quiet):
        return forked.Running(arguments, env=env, err=Path(os.devnull) if quiet else None)


@pytest.fixture(scope="module")
def loss(tmp_path_factory):
    with served() as (server, url), pytest.MonkeyPatch.context() as patch:
        there = {path: page for path, page in pages(url[:-1]).items() if not path.startswith(LEFT_OUT)}
        patch.setattr(losses, "_demo_pages", lambda base: there)
        trials = ForkedLoss(server, url, tmp_path_factory.mktemp("loss"))
        trials.prepare()
        patch.setattr(losses, "PAGES", len(trials._expected[2]))
        assert losses.PAGES > 25
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
    trial = loss.run(LossTrial(seed, end, phase, second_run), random.Random(seed))
    print(trial)
    assert (trial.lost, trial.doubled, trial.changed, trial.undelivered) == ([], [], [], [])
    assert trial.outcome == "complete"
    assert trial.exit_code != 0
