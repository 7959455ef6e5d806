"""What becomes of a stored page at a release: what is noted of it, and its Document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pagelets.duplicates import signature
from settings.overrides import Overrides, method_of
from store.judging import Judge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pagelets.document import Document
    from pagelets.duplicates import Signature
    from pagelets.methods.base import Subject
    from pagelets.overrides import Selectors
    from pagelets.partitions import Partition
    from release.detection import Detector
    from store.documents import Memory, Released
    from store.judging import JudgedPage
    from store.site import Store


@dataclass(slots=True, frozen=True)
class Judging:
    """What the pages of a store are judged by at a release, and what is wanted of them.

    All of it are values: each process that opens the store and is handed them makes the same of a page. The
    detector is the one whose evidence the store holds; ``fields`` are those of a Document where no override
    says otherwise, ``more_fields`` it has in any case; ``compares`` tells whether the texts of pages are
    compared with each other. The others are what `store.judging.Judge` takes.
    """

    detector: Detector
    method: str
    partition: Partition
    site: str
    selectors: Selectors
    nosnippet: bool
    overrides: Sequence[Mapping[str, Any]]
    fields: Sequence[str]
    more_fields: frozenset[str]
    compares: bool
    remembers_until: int


@dataclass(slots=True, frozen=True)
class Judgement:
    """What a release notes of a page, without its Document.

    ``same_text`` tells that what was delivered of the page before is as good: the text is the same, but
    perhaps for what has proved volatile. ``signature`` is None where texts are not compared, and for one
    without words.
    """

    url: str
    version: str
    content_hash: str
    same_text: bool
    mask: Sequence[bool]
    counts: dict[str, int]
    memory: Memory
    signature: Signature | None


Ready: TypeAlias = "tuple[Judgement, Document | None]"
"""A page that was judged in another process: without a Document where `Judgement.same_text` says that none is
likely to go out.
"""


def judge_of(store: Store, judging: Judging) -> Judge:
    """What judges the pages of a store so."""
    return Judge(
        store,
        judging.detector.evidence(store),
        judging.method,
        judging.partition,
        judging.site,
        selectors=judging.selectors,
        nosnippet=judging.nosnippet,
        method_of=method_of(judging.overrides, judging.method),
        judgement=judging.detector.judgement,
        remembers_until=judging.remembers_until,
    )


class PageJudge:
    """Judges the pages of a store that are to be released."""

    def __init__(self, store: Store, judging: Judging) -> None:
        self._store = store
        self._compares = judging.compares
        self._fields = judging.fields, judging.more_fields
        self._values_of = Overrides(judging.overrides).of
        self._judge = judge_of(store, judging)

    def subject(self, page: int) -> Subject:
        """A page as a method sees it. Raises KeyError where the store has no body of it."""
        return self._judge.subject(page)

    def reaches(self, page: int, basis: bytes) -> bool:
        """Whether anything that a page is judged by is another than what ``basis`` names."""
        return self._judge.reaches(page, basis)

    def judge(self, page: int) -> tuple[Judgement, Callable[[], Document]]:
        """Judges a page, where it might be judged otherwise than before; returns what is noted of it, and
        what makes its Document, of which ``duplicate_of`` is left None.

        Raises KeyError where the store has no body of it.
        """
        judged = self._judge.known(page) or self._judge.judge(page)
        found = Judgement(
            judged.page.url,
            judged.evidence.version,
            judged.content_hash,
            _is_same(self._store.documents.get(page), judged),
            judged.kept.mask,
            judged.counts(),
            judged.memory(),
            signature(judged.rendering.text()) if self._compares else None,
        )
        fields, more = self._fields
        own = self._values_of(found.url).get("fields", fields)
        return found, partial(judged.document, {*own, *more})


def _is_same(before: Released | None, judged: JudgedPage) -> bool:
    if before is None or not before.arrived:
        return False
    text_hash = judged.content_hash
    return before.content_hash == text_hash or (
        judged.is_without_volatile and before.steady_hash == text_hash
    )
