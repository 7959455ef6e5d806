"""The release of a stored page: its notes in the store, and its Document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TypeAlias

from pagelets.document import Document
from pagelets.duplicates import Signature, signature
from pagelets.judging.engine import JudgedPage
from pagelets.judging.parameters import Duplicates
from store.documents import Memory, ObsoletePage, Released
from store.judging import StoredJudge, memory_of
from store.runs import Run
from store.site import Store

NextVisit = Callable[[str, int | None, bool], int | None]
"""Takes a URL, the seconds that its page has waited until now, None where it is new, and whether its text has
changed; returns how long it waits next, None for not at all.
"""
Ready: TypeAlias = "tuple[ReleaseRecord, Document | None]"
"""A page that was judged in another process: without a Document where `ReleaseRecord.same_text` says that
none is likely to go out.
"""


@dataclass(slots=True, frozen=True)
class ReleaseRecord:
    """The notes of a release on a page, without its Document.

    ``same_text`` is True if the delivered document is as good: the values of its fields are the same, and so
    is the text, but perhaps for volatile blocks. ``signature`` is None if texts are not compared, and for a
    text without words.
    """

    url: str
    version: str
    content_hash: str
    same_text: bool
    mask: Sequence[bool]
    counts: dict[str, int]
    memory: Memory
    signature: Signature | None


class PageJudge(StoredJudge):
    """Judges the pages of a store that are to be released."""

    def record(self, page: int) -> tuple[ReleaseRecord, Callable[[], Document]]:
        """Judges a page, where it might be judged otherwise than before; returns what is noted of it, and
        what makes its Document, of which ``duplicate_of`` is left None.

        Raises KeyError where the store has no body of it.
        """
        judged = self.known(page) or self.judge(page)
        record = ReleaseRecord(
            judged.page.url,
            judged.evidence.version,
            judged.content_hash,
            _is_same(self._store.documents.get(page), judged),
            judged.selection.mask,
            judged.counts(),
            memory_of(judged),
            signature(judged.rendering.text()) if self.config.duplicates.compared else None,
        )
        return record, partial(judged.document, self.fields_of(record.url))


def _is_same(before: Released | None, judged: JudgedPage) -> bool:
    if before is None or not before.arrived or before.fields_hash != judged.page.extracted.fields_hash:
        return False
    text_hash = judged.content_hash
    return before.content_hash == text_hash or (
        judged.is_without_volatile and before.steady_hash == text_hash
    )


class ReleaseOutcome(Enum):
    """The outcome of a judged page."""

    SENT = "sent"
    """Its document goes out."""
    UPGRADED = "upgraded"
    """The same; another program makes another document of the page, which has not changed."""
    UNCHANGED = "unchanged"
    """Its text and its original are as delivered before."""
    LEFT_OUT = "left_out"
    """It has no document, as the text of another page, its original, is nearly the same."""


class ReleaseLedger:
    """Notes the documents of a run in its store.

    Takes the run as it was at its start. Pages that have nearly the same text are marked with their original,
    and have no document if ``duplicates`` are left out. ``next_visit`` gives the waiting time of a page that
    the run has fetched.
    """

    def __init__(
        self, store: Store, run: Run, duplicates: Duplicates, next_visit: NextVisit | None = None
    ) -> None:
        self._store = store
        self._run = run.run
        self._similarity, self._leaves_out = duplicates.similarity, duplicates.left_out
        self._next_visit = next_visit
        # A document that changes though its page has not does so for another program, not for other settings.
        self._outdated = frozenset(
            before.run
            for before in store.runs.all()
            if before.program != run.program and before.methods == run.methods
        )

    def note(self, page: int, judged: ReleaseRecord) -> ReleaseOutcome:
        """Notes what becomes of a judged page, inside a transaction."""
        store = self._store
        before = store.documents.get(page)
        version, text_hash = judged.version, judged.content_hash
        same_mark = self._mark(page, judged)
        if self._leaves_out and store.duplicates.marked(page) is not None:
            store.outcomes.exclude(page, "duplicate")
            if before is None:
                store.documents.leave_out(page, self._run, text_hash, version)
            return ReleaseOutcome.LEFT_OUT
        if self._leaves_out:
            store.outcomes.exclude(page, None)
        self._set_interval(page, judged.url, before, text_hash)
        made = (page, self._run, text_hash, version, judged.mask, judged.counts, judged.memory)
        confirmed = judged.same_text and same_mark
        store.documents.put(*made, confirmed=confirmed)
        if confirmed:
            return ReleaseOutcome.UNCHANGED
        if before is not None and before.run in self._outdated and not self._has_changed(page, before.run):
            return ReleaseOutcome.UPGRADED
        return ReleaseOutcome.SENT

    def _has_changed(self, page: int, run: int) -> bool:
        """Returns True if the site has another text of a page than it had at a run."""
        fetch = self._store.pages.fetch(page)
        return fetch is not None and (fetch.changed_run or 0) > run

    def _mark(self, page: int, judged: ReleaseRecord) -> bool:
        """Notes the original of a page; returns True if it is the same as before."""
        duplicates = self._store.duplicates
        before = duplicates.marked(page)
        if judged.signature is None or self._similarity is None:
            duplicates.remove(page)
        else:
            duplicates.put(page, judged.signature)
            other = duplicates.representative(page, judged.url, judged.signature, self._similarity)
            duplicates.mark(page, other)
        return duplicates.marked(page) == before

    def _set_interval(self, page: int, url: str, before: Released | None, text_hash: str) -> None:
        """Lets a page that this run has fetched wait shorter where its text has changed, longer where not."""
        fetch = self._store.pages.fetch(page)
        if self._next_visit is not None and fetch is not None and fetch.run == self._run:
            changed = before is not None and before.content_hash != text_hash
            interval = None if before is None else fetch.interval
            self._store.outcomes.wait(page, self._next_visit(url, interval, changed))

    def delete(self, page: ObsoletePage) -> None:
        """Notes that a document is no more, in a transaction. Raises StoreUnusable."""
        with self._store.transaction():
            self._store.documents.delete(page.page_id, self._run, page.reason)
            if page.reason != "duplicate":
                # A page takes its place again when its original is gone.
                self._store.duplicates.remove(page.page_id)

    def marks_changed(self) -> list[int]:
        """Returns the pages whose documents name another original than before; may run in another thread."""
        if self._similarity is None:
            return []
        # Documents are on their way to the indexes meanwhile, and the store notes them.
        with self._store.reader() as reader:
            return reader.duplicates.marks_changed(self._similarity, leave_out=self._leaves_out)
