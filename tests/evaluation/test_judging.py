"""Judging in other processes, and the nodes of templates."""

from __future__ import annotations

import pytest

from evaluation.gold import GoldPage
from evaluation.judging import Task, judged_within, node_score
from pagelets.judging.config import JudgeConfig
from pagelets.processes import ForkServer
from pagelets.reading import read
from settings.errors import ConfigurationError
from tests.working import load

PAGE = read(
    "<body><nav><p>home</p><p>news</p></nav><main><p>bread and salt</p><p>flour</p></main></body>",
    "https://site.example/",
)
GOLD = "bread and salt flour"


@pytest.mark.parametrize(
    ("kept", "precision", "recall"),
    [
        # Template: html, body, nav, and what is in nav.
        ([False, False, True, True], 1, 1),
        # One entry of the menu is kept: it and its element are not found.
        ([True, False, True, True], 1, 5 / 7),
        # All but one entry of the menu and one paragraph of the content.
        ([False, True, True, False], 5 / 8, 5 / 7),
        ([True] * 4, 0, 0),
    ],
)
def test_elements_and_blocks_of_the_template_count(kept: list[bool], precision: float, recall: float) -> None:
    score = node_score(PAGE, kept, GOLD)
    assert (score.precision, score.recall) == pytest.approx((precision, recall))


def test_pages_without_a_template_agree_wholly_or_not_at_all() -> None:
    everything = "home news bread and salt flour"
    assert set(node_score(PAGE, [True] * 4, everything)) == {1}
    assert set(node_score(PAGE, [True, True, True, False], everything)) == {0}
    assert set(node_score(read("", "https://site.example/"), [], "")) == {1}


def task(store):
    return Task(store, JudgeConfig(method="all-text"), [GoldPage("https://a.example/", "text", None)])


def test_a_task_that_cannot_be_done_is_told_with_the_reason(tmp_path):
    server = ForkServer(load)
    with pytest.raises(ConfigurationError, match="all-text cannot be measured: StoreMissing: "):
        list(judged_within(server, task(tmp_path), 1))
    server.close()
    with pytest.raises(ConfigurationError, match="ended early, perhaps for want of memory"):
        list(judged_within(server, task(tmp_path), 1))
