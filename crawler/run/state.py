"""The state of a run: one object, changed and read by all parts of a crawl; and the stats of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

RECORDED: Final = (
    *("class/", "documents/", "fields/", "index/", "pagelets/", "pages/", "release/", "run/", "sitemaps/"),
    *("taught/", "template_links/", "templates/", "topic/", "robotstxt/", "elapsed_time_seconds"),
    *("downloader/request_count", "downloader/response_bytes"),
)
"""Stats of each run file, by name, or by the beginning of their names where that ends in a slash."""


class Phase(Enum):
    """The phases of a run, in their order: each is gone through once, or not at all."""

    FETCH = "fetching"
    """Pages come into the store."""
    REVIEW = "reviewing the round"
    """Nothing more is fetched; it is decided whether the round is to be trusted."""
    RELEASE = "releasing documents"
    """Templates are detected, and documents go out."""
    CLOSED = "closed"
    """The outcome is in the store."""


class IllegalTransition(RuntimeError):
    """A transition that cannot follow the state of a run. Raised by `RunState`; a mistake of ours."""


@dataclass(eq=False)
class RunState:
    """The phase of a run, its work under way, the cause of its stop, and the states of its pages.

    The work under way beside the reactor's thread (`crawler.run.work`) is independent of the phase, and so is
    the cause of a stop: a store that takes no more (``broken``), and Ctrl-C in the midst of work
    (``interrupted``). Phases, work and pages change by the methods; impossible transitions raise
    IllegalTransition.
    """

    phase: Phase = Phase.FETCH
    """The phase that the run is in."""
    outcome: str | None = None
    """The outcome of the run; None until it is in the store."""
    progress: tuple[int, int] | None = None
    """The finished part of the work and its whole; None if unknown."""
    broken: bool = False
    """True if the store takes no more."""
    interrupted: bool = False
    """True if Ctrl-C has ended work."""
    refused: bool = False
    """True if a pipeline has failed on a document, which is not delivered then."""
    suspicion: str | None = None
    """The reason not to trust the round."""
    answers: list[str] = field(default_factory=list)
    """The outcomes of the first URLs if no page could be used."""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """The start URLs that lead to another domain, in the first round, and where to."""
    changed_lines: list[str] = field(default_factory=list)
    """A sentence for each line in which most documents have changed."""
    in_flight: set[int] = field(default_factory=set)
    """The ids of pages that were handed out and are not settled. One that is taken back stays due."""
    held: int = 0
    """The number of pages that the run has stored."""
    confirmed: int = 0
    """The number of pages that the server calls unchanged."""
    scripted: int = 0
    """The number of fetched pages that show nothing unless their scripts are run."""
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of pages by state and reason."""
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of pages that made a step raise, by the step and the exception's class."""
    _step: str | None = None
    _awaits_work: bool = False
    _at_work: bool = False

    # The phases.

    @property
    def doing(self) -> str:
        """The state of the run in words."""
        return self._step or self.phase.value

    def review(self) -> None:
        """Ends the fetching."""
        self._go(Phase.REVIEW, after=Phase.FETCH)

    def release(self) -> None:
        """Lets documents go out of a round that was reviewed."""
        self._go(Phase.RELEASE, after=Phase.REVIEW)

    def close(self, outcome: str) -> None:
        """Ends the run, from whichever phase."""
        if self.phase == Phase.CLOSED:
            raise IllegalTransition(f"a run that has ended {self.outcome} cannot end {outcome}")
        self.phase, self.outcome, self._step = Phase.CLOSED, outcome, None

    def _go(self, phase: Phase, *, after: Phase) -> None:
        if self.phase != after:
            raise IllegalTransition(f"{phase.name} cannot follow {self.phase.name}")
        self.phase = phase

    # Work beside the reactor's thread.

    @property
    def working(self) -> bool:
        """True if nothing but work may use the store's connection, now or when the work begins."""
        return self._awaits_work or self._at_work

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
        self._step, self.progress = step, None

    def end_work(self) -> None:
        """The store is free again."""
        self._awaits_work = self._at_work = False
        self._step = self.progress = None

    # What stops a run.

    @property
    def stopped(self) -> bool:
        """True if the run is to leave all that is not necessary."""
        return self.broken or self.interrupted

    def break_off(self) -> bool:
        """The store takes no more; returns whether that is new."""
        new, self.broken = not self.broken, True
        return new

    # The pages.

    @property
    def seen(self) -> int:
        """The number of pages with an answer that counts."""
        return self.held + self.confirmed

    def hand_out(self, page: int) -> None:
        """A page is asked for, while the run fetches."""
        if self.phase != Phase.FETCH:
            raise IllegalTransition(f"page {page} cannot be fetched in {self.phase.name}")
        self.in_flight.add(page)

    def hold(self, page: int) -> None:
        """A page is stored."""
        self.in_flight.discard(page)
        self.held += 1

    def confirm(self, page: int) -> None:
        """A page is as it was."""
        self.in_flight.discard(page)
        self.confirmed += 1

    def settle(self, page: int, state: str, reason: str) -> None:
        """Notes that a ``page`` has come to another ``state``, for a ``reason``."""
        self.in_flight.discard(page)
        self.reasons[state, reason] += 1


class RecordedStats:
    """The stats that the run file has: ours, some of Scrapy's, and those that others register."""

    def __init__(self) -> None:
        self._names = set(RECORDED)

    def register(self, *names: str) -> None:
        """Adds stats by name; a name that ends in a slash adds all that begin with it."""
        self._names.update(names)

    def of(self, stats: Mapping[str, Any]) -> dict[str, Any]:
        """The registered ones of some stats, in the order of their names."""
        prefixes = tuple(name for name in self._names if name.endswith("/"))
        return {
            name: value
            for name, value in sorted(stats.items())
            if name in self._names or name.startswith(prefixes)
        }
