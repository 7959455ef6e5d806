"""The state of a run: one object, changed and read by all parts of a crawl."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence, Set


class Phase(IntEnum):
    """The phases of a run, in their order: each is gone through once, or not at all."""

    FETCH = 1
    """Pages come into the store."""
    REVIEW = 2
    """Nothing more is fetched; it is decided whether the round is to be trusted."""
    RELEASE = 3
    """Templates are detected, and documents go out."""
    CLOSED = 4
    """The outcome is in the store."""


_SAID: Final = {
    Phase.FETCH: "fetching",
    Phase.REVIEW: "reviewing the round",
    Phase.RELEASE: "releasing documents",
    Phase.CLOSED: "closed",
}


class IllegalTransition(RuntimeError):
    """A transition that cannot follow the state of a run. Raised by `RunState`; a mistake of ours."""


class RunState:
    """The phase of a run, its work under way, the cause of its stop, and the states of its pages.

    The work under way beside the reactor's thread (`crawler.run.work`) is independent of the phase, and so is
    the cause of a stop: a store that takes no more (``broken``), and Ctrl-C in the midst of work
    (``interrupted``). The methods are the transitions; impossible ones raise IllegalTransition.
    """

    def __init__(self) -> None:
        self._phase = Phase.FETCH
        self._step: str | None = None
        self._awaits_work = self._at_work = False
        self._progress: tuple[int, int] | None = None
        self._broken = self._interrupted = self._refused = False
        self._outcome: str | None = None
        self._suspicion: str | None = None
        self._answers: list[str] = []
        self._moved: list[tuple[str, str]] = []
        self._changed_lines: list[str] = []
        self._in_flight: set[int] = set()
        self._held = self._confirmed = 0
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._faults: Counter[tuple[str, str]] = Counter()

    # The phases.

    @property
    def phase(self) -> Phase:
        """The phase that the run is in."""
        return self._phase

    @property
    def doing(self) -> str:
        """The state of the run in words."""
        return self._step or _SAID[self._phase]

    @property
    def outcome(self) -> str | None:
        """The outcome of the run; None until it is in the store."""
        return self._outcome

    def review(self) -> None:
        """Ends the fetching."""
        self._go(Phase.REVIEW, after=Phase.FETCH)

    def release(self) -> None:
        """Lets documents go out of a round that was reviewed."""
        self._go(Phase.RELEASE, after=Phase.REVIEW)

    def close(self, outcome: str) -> None:
        """Ends the run, from whichever phase."""
        if self._phase == Phase.CLOSED:
            raise IllegalTransition(f"a run that has ended {self._outcome} cannot end {outcome}")
        self._phase, self._outcome, self._step = Phase.CLOSED, outcome, None

    def _go(self, phase: Phase, *, after: Phase) -> None:
        if self._phase != after:
            raise IllegalTransition(f"{phase.name} cannot follow {self._phase.name}")
        self._phase = phase

    # Work beside the reactor's thread.

    @property
    def working(self) -> bool:
        """True if nothing but work may use the store's connection, now or when the work begins."""
        return self._awaits_work or self._at_work

    @property
    def progress(self) -> tuple[int, int] | None:
        """The finished part of the work and its whole; None if unknown."""
        return self._progress

    def await_work(self) -> None:
        """Keeps the store free for work that is to begin."""
        self._awaits_work = True

    def begin_work(self, step: str) -> None:
        """Names work that begins, alone."""
        if self._at_work:
            raise IllegalTransition(f"{step} cannot begin beside {self.doing}")
        self._at_work, self._step = True, step

    def go_on_with(self, step: str) -> None:
        """Names the next step of what is at work."""
        self._step, self._progress = step, None

    def come_to(self, done: int, total: int) -> None:
        """Takes how far the work is."""
        self._progress = done, total

    def end_work(self) -> None:
        """The store is free again."""
        self._awaits_work = self._at_work = False
        self._step = self._progress = None

    # What stops a run, and what is found out about it.

    @property
    def broken(self) -> bool:
        """True if the store takes no more."""
        return self._broken

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C has ended work."""
        return self._interrupted

    @property
    def stopped(self) -> bool:
        """True if the run is to leave all that is not necessary."""
        return self._broken or self._interrupted

    def break_off(self) -> bool:
        """The store takes no more; returns whether that is new."""
        new, self._broken = not self._broken, True
        return new

    def interrupt(self) -> None:
        """Ctrl-C ends the work."""
        self._interrupted = True

    @property
    def refused(self) -> bool:
        """True if a pipeline has failed on a document, which is not delivered then."""
        return self._refused

    def refuse(self) -> None:
        """A pipeline has failed on a document."""
        self._refused = True

    @property
    def suspicion(self) -> str | None:
        """The reason not to trust the round."""
        return self._suspicion

    def suspect(self, why: str) -> None:
        """The round is not to be trusted."""
        self._suspicion = why

    @property
    def answers(self) -> Sequence[str]:
        """The outcomes of the first URLs if no page could be used."""
        return self._answers

    def find_nothing(self, answers: Sequence[str]) -> None:
        """No page could be used."""
        self._answers = [*answers]

    @property
    def moved(self) -> Sequence[tuple[str, str]]:
        """The start URLs that lead to another domain, in the first round, and where to."""
        return self._moved

    def move(self, leads: Sequence[tuple[str, str]]) -> None:
        """Start URLs lead to another domain, which the site is taken to be at."""
        self._moved = [*leads]

    @property
    def changed_lines(self) -> Sequence[str]:
        """A sentence for each line in which most documents have changed."""
        return self._changed_lines

    def tell_changed_line(self, sentence: str) -> None:
        """Adds a sentence on a line in which most documents have changed."""
        self._changed_lines.append(sentence)

    # The pages.

    @property
    def in_flight(self) -> Set[int]:
        """The ids of pages that were handed out and are not settled."""
        return self._in_flight

    @property
    def held(self) -> int:
        """The number of pages that the run has stored."""
        return self._held

    @property
    def confirmed(self) -> int:
        """The number of pages that the server calls unchanged."""
        return self._confirmed

    @property
    def seen(self) -> int:
        """The number of pages with an answer that counts."""
        return self._held + self._confirmed

    @property
    def reasons(self) -> Counter[tuple[str, str]]:
        """The number of pages by state and reason."""
        return self._reasons

    @property
    def faults(self) -> Counter[tuple[str, str]]:
        """The number of pages that made a step raise, by the step and the exception's class."""
        return self._faults

    def fail(self, step: str, error: str) -> None:
        """A page has made a step raise an exception of this class."""
        self._faults[step, error] += 1

    def hand_out(self, page: int) -> None:
        """A page is asked for, while the run fetches."""
        if self._phase != Phase.FETCH:
            raise IllegalTransition(f"page {page} cannot be fetched in {self._phase.name}")
        self._in_flight.add(page)

    def hold(self, page: int) -> None:
        """A page is stored."""
        self._in_flight.discard(page)
        self._held += 1

    def confirm(self, page: int) -> None:
        """A page is as it was."""
        self._in_flight.discard(page)
        self._confirmed += 1

    def let_go(self, page: int) -> None:
        """Takes back a page that was handed out: the run has no answer for it, and it stays due."""
        self._in_flight.discard(page)

    def settle(self, page: int, state: str, reason: str) -> None:
        """Notes that a ``page`` has come to another ``state``, for a ``reason``."""
        self._in_flight.discard(page)
        self._reasons[state, reason] += 1
