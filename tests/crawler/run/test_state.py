from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.run.state import IllegalTransition, Phase, RunState

if TYPE_CHECKING:
    from collections.abc import Callable


def at(*transitions: Callable[[RunState], object]) -> RunState:
    state = RunState()
    for transition in transitions:
        transition(state)
    return state


def test_the_phases_come_in_their_order_and_a_run_may_end_in_each() -> None:
    ways: list[list[Callable[[RunState], object]]] = [
        [],
        [RunState.review],
        [RunState.review, RunState.release],
    ]
    said = [at(*way).doing for way in ways]
    assert said == ["fetching", "reviewing the round", "releasing documents"]
    for way in ways:
        state = at(*way)
        state.close("complete")
        assert (state.phase, state.outcome) == (Phase.CLOSED, "complete")


@pytest.mark.parametrize(
    "transitions",
    [
        [RunState.release],
        [RunState.review, RunState.review],
        [RunState.review, RunState.release, RunState.release],
        [RunState.review, lambda state: state.hand_out(1)],
        [lambda state: state.begin_work("one"), lambda state: state.begin_work("another")],
        [lambda state: state.close("complete"), lambda state: state.close("limited")],
        [lambda state: state.close("complete"), RunState.review],
    ],
)
def test_what_cannot_follow_is_refused(transitions: list[Callable[[RunState], object]]) -> None:
    with pytest.raises(IllegalTransition):
        at(*transitions)


def test_work_keeps_the_store_to_itself_from_its_announcement_to_its_end() -> None:
    state = at(RunState.await_work)
    assert state.working
    state.begin_work("counting")
    state.progress = 1, 3
    assert (state.doing, state.progress) == ("counting", (1, 3))
    state.go_on_with("adding")
    assert (state.doing, state.progress) == ("adding", None)
    state.end_work()
    assert (state.working, state.doing) == (False, "fetching")


def test_a_run_is_broken_off_once_and_a_page_in_flight_comes_to_one_end() -> None:
    state = RunState()
    assert (state.break_off(), state.break_off(), state.stopped, state.interrupted) == (
        True,
        False,
        True,
        False,
    )
    for page in (1, 2, 3):
        state.hand_out(page)
    state.hold(1)
    state.confirm(2)
    state.settle(3, "failed", "http 500")
    assert (set(state.in_flight), state.seen, state.reasons) == (set(), 2, {("failed", "http 500"): 1})
