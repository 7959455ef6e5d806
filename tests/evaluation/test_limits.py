from __future__ import annotations

import pytest

from evaluation.gold import GoldPage
from evaluation.judging import Task
from evaluation.limits import judged_within
from pagelets.judging.config import JudgeConfig
from pagelets.processes import ForkServer
from settings.errors import ConfigurationError
from tests.working import load


def task(store):
    return Task(store, JudgeConfig(method="all-text"), [GoldPage("https://a.example/", "text", None)])


def test_a_task_that_cannot_be_done_is_told_with_the_reason(tmp_path):
    server = ForkServer(load)
    with pytest.raises(ConfigurationError, match="all-text cannot be measured: StoreMissing: "):
        list(judged_within(server, task(tmp_path), 1))
    server.close()
    with pytest.raises(ConfigurationError, match="ended early, perhaps for want of memory"):
        list(judged_within(server, task(tmp_path), 1))
