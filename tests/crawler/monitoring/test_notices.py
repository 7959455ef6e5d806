from __future__ import annotations

import json

import pytest

from crawler.monitoring.metrics_file import good, sink_counts
from crawler.monitoring.notify import message, notice
from crawler.run.outcome import EXIT_CODES
from tests.runs import ended

OUTCOMES = [outcome for outcome in EXIT_CODES if outcome not in ("usage", "busy")]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_of_a_run_has_a_sentence(outcome: str) -> None:
    said = notice("handbook", ended(9, outcome), ended(8))
    assert said["exit_code"] == EXIT_CODES[outcome]
    assert said["message"] == message("handbook", outcome)
    assert said["text"] == f"handbook: {outcome}. {said['message']}"
    assert "{" not in said["message"]
    assert json.loads(json.dumps(said)) == said


def test_a_run_without_an_outcome_is_interrupted() -> None:
    said = notice("handbook", ended(9, None), None)
    assert (said["outcome"], said["exit_code"]) == ("interrupted", 4)


def test_changes_are_those_against_the_run_before() -> None:
    run, before = ended(9, pages__held=3, pages__failed=1), ended(8, pages__held=5, documents__released=2)
    assert notice("handbook", run, before)["changes"] == {
        "documents/released": -2,
        "pages/failed": 1,
        "pages/held": -2,
    }
    assert notice("handbook", run, None)["changes"] == {}


def test_runs_that_ended_as_they_should() -> None:
    runs = [ended(5, None), ended(4), ended(3, "limited"), ended(2, "undelivered"), ended(1, "empty")]
    assert [run.run for run in good(runs)] == [4, 3]


def test_counts_of_sinks() -> None:
    counts = {"index/a/indexed": 1, "index/b/c/refused": 2, "index/a/seconds": 0.1, "pages/held": 3}
    assert sink_counts(counts) == {"a": {"indexed": 1}, "b/c": {"refused": 2}}
