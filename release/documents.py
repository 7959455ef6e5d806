"""A release: from a store whose round is over to documents."""

from __future__ import annotations

import logging
import re
from array import array
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, TypeAlias

from pagelets.document import Document
from pagelets.judging.config import JudgeConfig
from pagelets.methods.base import Subject
from release.detection import Detector
from release.judging import NextVisit, PageJudge, Ready, ReleaseLedger, ReleaseOutcome, ReleaseRecord
from release.workers import Workers, processes_for
from store.documents import ObsoletePage
from store.innermost import judge_again, may_change
from store.learning import has_to_learn, learn
from store.meta import DETECTED_OVER, JUDGED_WITH, JUDGEMENT, TEMPLATE_VERSION, UNSEEN_SINCE
from store.runs import Run
from store.site import Store

Judged: TypeAlias = "tuple[int, Ready | None]"
"""A page, and what a worker process has made of it; None if it was not judged yet."""
Beside = Callable[[str, Callable[[], list[int]]], Awaitable[list[int]]]
"""Runs a function beside the loop, under the name of a step; gives what it returns."""

MOST_BLOCKS: Final = 400_000
"""What methods make of pages as they learn is kept for so many blocks of these, 16 bytes each."""
TURNS: Final = 8
"""So often pages are judged anew because others stand for them now; chains of near-duplicates are shorter."""

_LIMITS: Final = re.compile(r"memory='[^']*', threads=\d+, ")
"""Earlier programs named DuckDB's limits as well; they make no difference to what is found."""

logger = logging.getLogger(__name__)

STEP: Final = "judging"
"""The name of this step, of pages that fail in it."""


@dataclass(slots=True, frozen=True)
class ReleaseParameters:
    """The parameters of a release.

    ``config`` are the rules of judging. ``memory`` is the memory of detection, ``next_visit`` is handed to
    `release.judging.ReleaseLedger`. ``processes`` judge pages, 0 for as many as there are cores.
    """

    config: JudgeConfig
    memory: int = 0
    next_visit: NextVisit | None = None
    processes: int = 0


class Release:
    """The release of a run, in its order: where it `is_due`, `evidence` detects the templates and learns,
    `pages_to_judge` says which pages it reaches, and `stages` has them judged, compares them, and says
    what is to be deleted. `document` notes and renders each page, `delete` notes what is no more.

    Takes the run as it was at its start, and the last one before the round. `evidence` and
    `pages_to_judge` take long, and may run in another thread.
    """

    def __init__(self, store: Store, run: Run, round_after: int, parameters: ReleaseParameters) -> None:
        self._store = store
        self._run = run
        self._round_after = round_after
        self._parameters = parameters
        config = parameters.config
        self._config = config
        self._detector = Detector(config.detection, config.fingerprint, parameters.memory)
        self._remembers_until = -1
        self._workers: Workers | None = None
        self._over = ""
        self._made: dict[int, dict[str, Any]] = {}

    @property
    def processes(self) -> int:
        """The number of processes for the pages that are judged next (`prepare`)."""
        return 1 if self._workers is None else self._workers.count

    def _judged_with(self, fingerprint: str) -> str:
        return f"{self._config.judged_with(fingerprint)} {self._store.decisions.digest()}"

    def _judged_with_before(self) -> str:
        return _LIMITS.sub("", self._store.meta(JUDGED_WITH) or "")

    def is_due(self) -> bool:
        """True if any document is to go out, be deleted, or be judged in another way.

        A run without has no new evidence: documents and templates of earlier runs stay.
        """
        store = self._store
        waiting = store.documents.pending() or store.documents.any_obsolete()
        same_pages = store.meta(DETECTED_OVER) == store.documents.evidence_pages()
        return (
            waiting
            or not same_pages
            or may_change(store, self._config.selectors)
            or store.page_fields.changed()
            or self._judged_with_before() != self._judged_with(self._detector.judge_fingerprint)
        )

    def evidence(
        self, *, begin: Callable[[str], None] = lambda _: None, tell: Callable[[int, int], None] | None = None
    ) -> None:
        """Finds what pages are judged by: `detect`, then `learn`. Raises what these raise.

        Args:
            begin: takes the name of each step that begins.
            tell: as `learn` takes it.
        """
        begin("detecting templates")
        self.detect()
        begin("learning of the site")
        self.learn(tell)

    def detect(self) -> None:
        """Publishes what detection reads, finds the templates, and stores them.

        What no page holds any more goes first, unless pages may be put back to what they held before.
        """
        store = self._store
        self._made.clear()
        if not store.previous.count():
            with store.transaction():
                store.pages.fragments.clear_unused()
        self._over = store.documents.evidence_pages()
        self._detector.save(store, self._detector.find(store), self._run.run)

    def learn(self, tell: Callable[[int, int], None] | None = None) -> None:
        """Lets the methods in force learn of the site, and names the new knowledge.

        ``tell`` is called with the progress; its exceptions pass.
        """
        store, names, registry = self._store, self._config.methods, self._config.registry
        if has_to_learn(store, names, registry):
            judge, room = cache(partial(PageJudge, store, self._config)), MOST_BLOCKS

            def read(page: int) -> Subject:
                nonlocal room
                subject = judge().subject(page)
                room -= len(subject.page.blocks)
                if room >= 0:
                    self._made[page] = subject.made
                return subject

            learn(store, read, names, tell, self._cannot_learn, registry=registry)
            with store.transaction():
                self._detector.name(store)

    def _cannot_learn(self, method: str, error: Exception) -> None:
        logger.error(
            "%s: the method %s cannot learn of the site, and judges by what it had learned: %s: %s",
            self._store.name,
            method,
            type(error).__name__,
            error,
            exc_info=error,
        )

    def activate_evidence(self) -> None:
        """Takes what was detected and learned: from here on pages are judged by it, and the store says so."""
        store, config = self._store, self._config
        names = (self._detector.judge_fingerprint, config.fingerprint_before)
        now, before = map(self._judged_with, names)
        same = self._judged_with_before() in (now, before)
        same_judgement = (store.meta(JUDGEMENT) or "") in names
        with store.transaction():
            store.set_meta(JUDGED_WITH, now)
            store.set_meta(JUDGEMENT, names[0])
            store.set_meta(DETECTED_OVER, self._over)
            store.set_meta(UNSEEN_SINCE, self._round_after if same else -1)
            if not same_judgement:
                # Also a run that continues this one judges by none of them.
                store.documents.forget_verdicts()
        self._remembers_until = self._round_after if same_judgement else -1
        self._ledger = ReleaseLedger(store, self._run, config.duplicates, self._parameters.next_visit)
        self._judge = PageJudge(store, config, remembers_until=self._remembers_until, made=self._made)

    async def stages(
        self, pages: Sequence[int], beside: Beside, may_delete: Callable[[int], bool]
    ) -> AsyncGenerator[AsyncGenerator[Judged | ObsoletePage]]:
        """Yields what goes out, in stages. Each item of a stage has to be through `document` or `delete`
        before the next stage is asked for.

        First come the pages that were reached. Then, in turns, pages whose representative has changed
        (`compare`): a page that is left out now may have represented others. Last come obsolete documents.

        Args:
            pages: those that were reached.
            beside: runs what takes long, as `crawler.run.work.Work.do` does.
            may_delete: returns True if so many documents may be deleted.
        """
        yield self.judged(pages)
        for _ in range(TURNS):
            if not (pages := await beside("comparing documents", self.compare)):
                break
            yield self.judged(pages)
        yield self._obsolete(may_delete)

    async def _obsolete(self, may_delete: Callable[[int], bool]) -> AsyncGenerator[ObsoletePage]:
        """The documents that are no more, without those that the run has deleted already."""
        documents, run = self._store.documents, self._run.run
        if may_delete(documents.count_obsolete(run)):
            for page in documents.obsolete(run):
                yield page

    def pages_to_judge(self) -> tuple[Sequence[int], int]:
        """Does `activate_evidence`. Returns the pages of which something has changed that they were
        judged by, or that have to go out anyhow; and how many others there are, of which it is noted that
        they have the documents they would have.
        """
        self.activate_evidence()
        self._innermost_decides()
        store = self._store
        reached, untouched = array("q"), array("q")
        for page in store.documents.to_release(self._run.run):
            with store.border(page, STEP):
                basis = store.documents.basis(page)
                known = basis is not None and not self._judge.reaches(page, basis)
                (untouched if known else reached).append(page)
        with store.transaction():
            store.documents.pass_over(untouched, store.meta(TEMPLATE_VERSION) or "")
        return reached, len(untouched)

    def _innermost_decides(self) -> None:
        """Has the documents judged again that the rule of the innermost selector changes."""
        changed = judge_again(self._store, self._config.selectors, STEP)
        if changed:
            logger.warning(
                "%s: on %d pages an element that drop matches lies in one that keep matches: it is dropped "
                "from now on, where keep won until now; no other document changes for that",
                self._store.name,
                changed,
            )

    def prepare(self, pages: int) -> None:
        """Starts the processes that judge pages, where so many are enough for them. They take a second to
        load what they need: meanwhile there is other work.
        """
        count, config = processes_for(pages, self._parameters.processes), self._config
        if count > 1 and self._workers is None:
            tells_language = "language" in config.all_fields
            self._store.flat_pages.write()
            self._workers = Workers(self._store.folder, count, config, tells_language=tells_language)

    def judged(self, pages: Sequence[int]) -> AsyncGenerator[Judged]:
        """The pages in their order, each with what has become of it: judged in other processes where they are
        many, else None.
        """
        self.prepare(len(pages))
        return self._judged(pages)

    async def _judged(self, pages: Sequence[int]) -> AsyncGenerator[Judged]:
        workers, self._workers = self._workers, None
        if workers is None:
            for page in pages:
                yield page, None
            return
        judging = self._config, self._remembers_until, self._made
        async with aclosing(workers.judged(judging, pages)) as judged:
            async for page, ready in judged:
                yield page, ready

    def document(
        self, page: int, ready: Ready | None
    ) -> tuple[ReleaseOutcome, ReleaseRecord, Document | None] | None:
        """Notes what becomes of a page, and makes its Document where that goes out; judges it where no other
        process has.

        Returns None of a page that cannot be judged or rendered: it keeps the document that it has, and is
        flagged. Raises StoreUnusable where it cannot be noted.
        """
        released = None
        with self._store.transaction(), self._store.border(page, STEP):
            released = self._document(page, ready)
        return released  # noqa: RET504 - the border may have ended the block before

    def _document(
        self, page: int, ready: Ready | None
    ) -> tuple[ReleaseOutcome, ReleaseRecord, Document | None]:
        made: Document | None = None
        make: Callable[[], Document] | None = None
        if ready is None:
            judged, make = self._judge.record(page)
        else:
            judged, made = ready
        outcome = self._ledger.note(page, judged)
        if outcome not in (ReleaseOutcome.SENT, ReleaseOutcome.UPGRADED):
            return outcome, judged, None
        document = made or (make or self._judge.record(page)[1])()
        if "duplicate_of" in document:
            document["duplicate_of"] = self._store.duplicates.marked(page)
        return outcome, judged, document

    def compare(self) -> list[int]:
        """Returns the pages whose documents name another original than the comparison does."""
        return self._ledger.marks_changed()

    def delete(self, page: ObsoletePage) -> None:
        """Notes that a document is no more. Raises StoreUnusable."""
        self._ledger.delete(page)

    def close(self) -> None:
        """Ends the processes where nothing was judged. Safe to call twice."""
        if self._workers is not None:
            self._workers.close()
