from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from store.runs import FINISHED
from tests.runs import ended
from tests.store.sites import begin

if TYPE_CHECKING:
    from store.site import Store


def finish(store: Store, run: int, outcome: str) -> None:
    with store.transaction():
        store.runs.finish(run, outcome, {"pages/held": 3})


def test_a_run_is_unfinished_until_it_says_how_it_ended(store: Store) -> None:
    assert store.runs.last() is None
    with store.transaction():
        run = store.runs.begin({"url": ["http://a/"]}, {"scrapy": "2"})
    last = store.runs.last()
    assert last == store.runs.get(run)
    assert (last.outcome, last.finished_at, last.finished, last.counts) == (None, None, False, {})
    finish(store, run, "complete")
    last = store.runs.last()
    assert last.finished
    assert last.parameters == {"url": ["http://a/"]}
    assert last.versions == {"scrapy": "2"}
    assert last.counts == {"pages/held": 3}
    assert last.started_at <= last.finished_at


@pytest.mark.parametrize("outcome", [*sorted(FINISHED), "interrupted"])
def test_an_interrupted_run_is_continued(store: Store, outcome: str) -> None:
    run = begin(store)
    finish(store, run, outcome)
    assert store.runs.get(run).finished == (outcome != "interrupted")


def test_the_last_finished_run_began_the_round(store: Store) -> None:
    assert store.runs.last_finished() == 0
    for outcome in ("complete", "interrupted", "complete", "interrupted"):
        finish(store, begin(store), outcome)
    begin(store)
    assert store.runs.last_finished() == 3
    assert store.runs.last().run == 5
    assert store.runs.get(99) is None


def test_what_a_run_took_and_what_is_another_number_than_before() -> None:
    run = ended(9, pages__held=3, pages__failed=1, templates__seconds=0.3)
    assert run.duration == 40
    assert replace(run, finished_at=None).duration is None
    before = ended(8, pages__held=3, documents__released=2, templates__seconds=0.1)
    assert run.since(before) == {"documents/released": -2, "pages/failed": 1, "templates/seconds": 0.2}
    assert run.since(None) == {}
