"""The release of a stored page: its notes, and its Document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from pagelets.duplicates import Signature, signature
from store.judging import StoredJudge, memory_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pagelets.document import Document
    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.engine import JudgedPage
    from pagelets.methods.base import Subject
    from store.documents import Memory, Released
    from store.site import Store


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


Ready: TypeAlias = "tuple[ReleaseRecord, Document | None]"
"""A page that was judged in another process: without a Document where `ReleaseRecord.same_text` says that
none is likely to go out.
"""


class PageJudge:
    """Judges the pages of a store that are to be released.

    Args:
        store: the store.
        config: how pages are judged, and which fields Documents have.
        remembers_until: the run up to which it is remembered what documents kept (`StoredJudge`).
        made: what methods have made of some pages already (`StoredJudge`).

    """

    def __init__(
        self,
        store: Store,
        config: JudgeConfig,
        remembers_until: int = -1,
        made: Mapping[int, dict[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._compares = config.duplicates.compared
        self._judge = StoredJudge(store, config, remembers_until=remembers_until, made=made)

    def subject(self, page: int) -> Subject:
        """A page as a method sees it. Raises KeyError where the store has no body of it."""
        return self._judge.subject(page)

    def reaches(self, page: int, basis: bytes) -> bool:
        """Returns True if anything that a ``page`` is judged by differs from what ``basis`` names."""
        return self._judge.reaches(page, basis)

    def judge(self, page: int) -> tuple[ReleaseRecord, Callable[[], Document]]:
        """Judges a page, where it might be judged otherwise than before; returns what is noted of it, and
        what makes its Document, of which ``duplicate_of`` is left None.

        Raises KeyError where the store has no body of it.
        """
        judged = self._judge.known(page) or self._judge.judge(page)
        record = ReleaseRecord(
            judged.page.url,
            judged.evidence.version,
            judged.content_hash,
            _is_same(self._store.documents.get(page), judged),
            judged.selection.mask,
            judged.counts(),
            memory_of(judged),
            signature(judged.rendering.text()) if self._compares else None,
        )
        return record, partial(judged.document, self._judge.fields_of(record.url))


def _is_same(before: Released | None, judged: JudgedPage) -> bool:
    if before is None or not before.arrived or before.fields_hash != judged.page.extracted.fields_hash:
        return False
    text_hash = judged.content_hash
    return before.content_hash == text_hash or (
        judged.is_without_volatile and before.steady_hash == text_hash
    )
