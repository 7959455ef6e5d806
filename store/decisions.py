"""Decisions of people on templates: the tables DECISIONS and WAITING_DECISIONS.

A decision concerns a sketch, which stays the same from crawl to crawl, while the ids of templates are of one
store. A *pinned* sketch is template wherever it stands, a *rejected* one nowhere, whatever detection finds.

While a crawl is at work on the site, what is decided waits: its documents are all judged by the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelets.judging.decisions import sketch_name, sketch_of, states_of
from store.meta import DECISIONS_OF_THE_FILE, Meta
from store.runs import now
from store.table import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping

    from store.templates import TemplateTable


@dataclass(slots=True, frozen=True)
class Decision:
    """A decision on a sketch: ``state`` is one of `pagelets.judging.decisions`, or None for a waiting one
    that leaves it to detection again; ``text`` is a sample, which may be empty, ``decided_at`` ISO 8601 in
    UTC.
    """

    sketch: int
    state: str | None
    text: str
    decided_at: str

    @property
    def name(self) -> str:
        """The sketch's name."""
        return sketch_name(self.sketch)


Known = tuple[list[Decision], dict[str, str]]


class Decisions(Table):
    """Reads and writes the table DECISIONS; writes belong to the caller's transaction.

    What changes takes effect at once: in the states of templates, and in the version of the site's evidence.
    """

    def __init__(self, connection: sqlite3.Connection, templates: TemplateTable) -> None:
        super().__init__(connection)
        self._templates = templates

    def all(self) -> list[Decision]:
        """The decisions, the oldest first."""
        return list(self._each(Decision, "SELECT * FROM decisions ORDER BY decided_at, sketch"))

    def known(self) -> Known:
        """The decisions, those that wait last, and the states that the site file named when it was last
        followed, by the names of the sketches.
        """
        of_file = Meta(self._connection).get(DECISIONS_OF_THE_FILE) or {}
        return [*self.all(), *self.waiting()], of_file

    def states(self) -> dict[int, str]:
        """Sketch -> state of all that was decided."""
        return dict(self._execute("SELECT sketch, state FROM decisions"))

    def digest(self) -> str:
        """Names the decisions: equal ones have equal names."""
        states = sorted(self.states().items())
        return hashlib.blake2b(repr(states).encode(), digest_size=8).hexdigest()

    def reset(self, sketches: Collection[int] | None = None) -> int:
        """Leaves sketches to detection again, all of them where none are given.

        Returns how many had been decided on.
        """
        states = self.states()
        given = set(states if sketches is None else sketches) & set(states)
        self._executemany("DELETE FROM decisions WHERE sketch = ?", ((sketch,) for sketch in given))
        if given:
            self._templates.follow_decisions()
        return len(given)

    def wait(self, states: Mapping[int, str | None], texts: Mapping[int, str]) -> None:
        """Lets decisions wait, in place of those on the same sketches that wait already.

        Takes the state of each sketch, None to leave it to detection again, and sample texts.
        """
        moment = now()
        self._executemany(
            "INSERT OR REPLACE INTO waiting_decisions VALUES (?, ?, ?, ?)",
            ((sketch, state, texts.get(sketch, ""), moment) for sketch, state in states.items()),
        )

    def waiting(self) -> list[Decision]:
        """The decisions that wait, the oldest first."""
        return list(self._each(Decision, "SELECT * FROM waiting_decisions ORDER BY decided_at, sketch"))

    def take(self, others: Iterable[Decision] = (), of_file: Mapping[str, str] | None = None) -> None:
        """Makes what waits what is decided; then also the decisions ``others`` of another store of the site.
        Takes ``of_file`` where that has followed the site file (`known`).
        """
        if of_file is not None:
            Meta(self._connection).set(DECISIONS_OF_THE_FILE, dict(of_file))
        taken = {decision.sketch: decision for decision in [*self.waiting(), *others]}
        if not taken:
            return
        self.reset([decision.sketch for decision in taken.values() if decision.state is None])
        self._decide(decision for decision in taken.values() if decision.state is not None)
        self._execute("DELETE FROM waiting_decisions")

    def apply(self, pinned: Iterable[str], rejected: Iterable[str]) -> None:
        """Follows the lists of a site file: what they name is as they say, whatever was decided since.

        What they named when they were last followed, and no longer do, is left to detection, unless it has
        been decided in another way since. Raises ValueError as `states_of`.
        """
        file, before, states = states_of(pinned, rejected), self._of_the_file(), self.states()
        dropped = [sketch for sketch in before if sketch not in file and states.get(sketch) == before[sketch]]
        self.reset(dropped)
        self._follow(file)

    def merged(self, pinned: Iterable[str], rejected: Iterable[str]) -> dict[int, str]:
        """Sketch -> state for a site file whose lists these are: the store's decisions, and what the file
        itself has changed since it was last followed or written. Raises ValueError as `states_of`.
        """
        file, before, states = states_of(pinned, rejected), self._of_the_file(), self.states()
        merged = {}
        for sketch in {**before, **file, **states}:
            in_file = file.get(sketch)
            state = states.get(sketch) if in_file == before.get(sketch) else in_file
            if state is not None:
                merged[sketch] = state
        return merged

    def written(self, states: Mapping[int, str]) -> None:
        """Notes that the site file has these states now, and makes them the store's."""
        known = self.states()
        self.reset([sketch for sketch in known if sketch not in states])
        self._follow(states)

    def _follow(self, states: Mapping[int, str]) -> None:
        """Decides as a site file says, where it says otherwise."""
        known, moment = self.states(), now()
        self._decide(
            Decision(key, state, "", moment) for key, state in states.items() if known.get(key) != state
        )
        named = {sketch_name(sketch): state for sketch, state in states.items()}
        Meta(self._connection).set(DECISIONS_OF_THE_FILE, dict(sorted(named.items())))

    def _decide(self, decisions: Iterable[Decision]) -> None:
        rows = [
            (decision.sketch, decision.state, decision.text, decision.decided_at) for decision in decisions
        ]
        self._executemany(
            "INSERT INTO decisions VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE "
            "SET state = ?2, decided_at = ?4, text = CASE WHEN ?3 = '' THEN text ELSE ?3 END",
            rows,
        )
        if rows:
            self._templates.follow_decisions()

    def _of_the_file(self) -> dict[int, str]:
        return {sketch_of(name): state for name, state in self.known()[1].items()}
