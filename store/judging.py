"""From a stored page to its Document: what the release of a crawl and the commands share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pagelets.document import FIELDS, Kept, Origin, content_hash, counts, judge, make
from pagelets.methods.base import Reason, Subject
from pagelets.overrides import NO_SELECTORS, REMOVED_BEFORE, Selectors, overrides_of, volatile
from pagelets.reading import read
from pagelets.render import Rendering
from pagelets.site.evidence import Evidence
from store.documents import KEYS, Memory
from store.learning import StoredMethods
from store.meta import DERIVATION, UNSEEN_SINCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pagelets.document import Document
    from pagelets.page import Override, Page
    from pagelets.partition import Pagelet
    from pagelets.partitions import Partition
    from store.documents import Made
    from store.evidence import StoredEvidence
    from store.site import Store


@dataclass(slots=True, frozen=True)
class JudgedPage:
    """A page of the store, read back and judged."""

    page: Page
    pagelets: list[Pagelet]
    evidence: Evidence
    kept: Kept
    origin: Origin
    rendering: Rendering
    basis: bytes = b""
    keys: bytes = b""

    @property
    def content_hash(self) -> str:
        """The fingerprint of its text."""
        return content_hash(self.rendering.text())

    @property
    def is_without_volatile(self) -> bool:
        """Whether something was removed from it because it is volatile."""
        return not all(self.kept.mask[position] for position in volatile(self.page, self.evidence))

    def memory(self) -> Memory:
        """What the next crawl is to know of its judgement."""
        mask = list(self.kept.mask)
        for position in volatile(self.page, self.evidence, rounds=1):
            mask[position] = False
        if mask == self.kept.mask or not any(mask):
            return Memory(self.basis, self.keys, self.content_hash)
        return Memory(self.basis, self.keys, content_hash(Rendering(self.page, mask).text()))

    def counts(self) -> dict[str, int]:
        """How much of the page is kept, and whether it is only because nothing would have been."""
        kept_whole = int(self.kept.kept_whole)
        return {**counts(self.page, self.pagelets, self.evidence, self.kept), "kept_whole": kept_whole}

    def document(self, fields: Collection[str] = (), duplicate_of: str | None = None) -> Document:
        """Its Document, with all fields but those on request unless some are asked for.

        Takes the address of the page that stands for this one where another has nearly the same text.
        """
        return make(
            self.page,
            self.pagelets,
            self.evidence,
            self.kept,
            self.origin,
            fields or FIELDS,
            self.rendering,
            duplicate_of,
        )


RELEASED: Final = Reason("as it went out")
"""The reason of each block of a page that is given out once more, unjudged."""


class Judge:
    """Judges stored pages of a site by a method, with the site's evidence.

    A page that the round of that evidence has not seen keeps what it kept before at most: of a template that
    the other pages have given up, nothing says that it is content here.

    Takes the store, its evidence, the method's name, the partition and the site's name, what is
    always kept and dropped, and whether ``data-nosnippet`` is heeded. ``recorded_with`` are the selectors
    that the store's pagelets were made with, where those are others: a page has the blocks that are recorded.
    ``judgement`` names all of this that decides on a document. What documents of runs up to
    ``remembers_until`` kept is remembered: blocks in doubt keep their verdict.
    """

    def __init__(
        self,
        store: Store,
        evidence: StoredEvidence,
        method: str,
        partition: Partition,
        site: str,
        *,
        selectors: Selectors = NO_SELECTORS,
        nosnippet: bool = True,
        recorded_with: Selectors | None = None,
        method_of: Callable[[str], str] | None = None,
        judgement: str = "",
        remembers_until: int = -1,
    ) -> None:
        self._store = store
        self._evidence = evidence
        self._method = method
        self._partition = partition
        self._site = site
        self._selectors = selectors
        self._nosnippet = nosnippet
        self._recorded_with = selectors if recorded_with is None else recorded_with
        self._method_of = method_of
        self._methods = StoredMethods(store)
        unseen = store.meta(UNSEEN_SINCE)
        self._unseen = -1 if unseen is None else unseen
        self._remembers_until = remembers_until
        made: str | None = store.meta(DERIVATION)
        self._salt = f"{judgement} {made}".encode()

    def subject(self, page_id: int) -> Subject:
        """Reads a page back as a method sees it. Raises KeyError where the store has no body of it."""
        page = self._store.flat_pages.read(page_id, self._recorded_with, self._selectors)
        pagelets = self._partition(page)
        evidence = self._evidence.of(page_id, page, len(pagelets))
        return Subject(page, pagelets, evidence, partial(self._html, page_id))

    def _html(self, page_id: int) -> str:
        return self._store.bodies.get(page_id).text()

    def check(self, name: str) -> None:
        """Raises NotLearned where a method has to learn of the site before it can judge its pages."""
        self._methods.check(name)

    def judge(self, page_id: int, method: str | None = None) -> JudgedPage:
        """Reads a page back and judges it, by another method where one is given.

        Raises KeyError where the store has no body of it, and NotLearned.
        """
        url, origin, seen_run = self._row(page_id)
        page = self._store.flat_pages.read(page_id, self._recorded_with, self._selectors)
        pagelets = self._partition(page)
        evidence, block_keys = self._evidence.keyed(page_id, page, len(pagelets))
        basis, keys = (
            self._basis(page_id, url, evidence, block_keys, seen_run),
            block_keys["placed"].astype(KEYS),
        )
        if self._remembers_until >= 0:
            previous = self._store.documents.verdicts(page_id, keys, self._remembers_until)
            evidence = replace(evidence, previous=previous)
        overrides: Sequence[Override | None] = overrides_of(
            page, pagelets, evidence, nosnippet=self._nosnippet
        )
        if seen_run <= self._unseen:
            overrides = self._with_previous(page_id, overrides, len(page.blocks))
        subject = Subject(page, pagelets, evidence, partial(self._html, page_id))
        own = self._methods.of(self.named(url) if method is None else method, page_id)
        kept = judge(subject, own, overrides)
        rendering = Rendering(page, kept.mask)
        return JudgedPage(page, pagelets, evidence, kept, origin, rendering, basis, keys.tobytes())

    def reaches(self, page_id: int, basis: bytes | None) -> bool:
        """Whether anything that a page is judged by is another than what ``basis`` names. The page is not
        read.
        """
        url, _, seen_run = self._row(page_id)
        if basis is None:
            return True
        return self._basis(page_id, url, *self._evidence.recorded(page_id), seen_run) != basis

    def known(self, page_id: int) -> JudgedPage | None:
        """A page as its last document was judged, where it would be judged the same again; None where it
        might not. Why its blocks are kept is not told.
        """
        made = self._store.documents.made(page_id)
        if made is None or not made.present or self.reaches(page_id, made.basis):
            return None
        _, origin, _ = self._row(page_id)
        page = self._store.flat_pages.read(page_id, self._recorded_with)
        mask = self._store.documents.mask(page_id, len(page.blocks))
        if mask is None:
            return None
        pagelets = self._partition(page)
        evidence, block_keys = self._evidence.keyed(page_id, page, len(pagelets))
        keys = block_keys["placed"].astype(KEYS).tobytes()
        kept = _as_made(mask, made)
        return JudgedPage(
            page, pagelets, evidence, kept, origin, Rendering(page, mask), made.basis or b"", keys
        )

    def document(self, page_id: int, fields: Collection[str] = ()) -> Document:
        """The Document of a page, as the last crawl made it: judged again only where something that it
        depends on has changed since, or where the fields tell why. Takes and raises what `judge` and
        `JudgedPage.document` do.
        """
        known = None if "pagelets" in fields else self.known(page_id)
        return (known or self.judge(page_id)).document(fields, self._store.duplicates.marked(page_id))

    def released(self, page_id: int) -> JudgedPage | None:
        """A page as its last document has it, whatever was fetched or decided since: it keeps the blocks that
        this kept. Why it does is not told. None where the store has not that version of the page any more.
        """
        made = self._store.documents.made(page_id)
        if made is None:
            return None
        version = None if made.present else self._store.previous.version(page_id)
        url, origin, _ = self._row(page_id)
        if version is None:
            page = self._store.flat_pages.read(page_id, self._recorded_with)
        else:
            body = self._store.bodies.unpacked(*version.packed)
            page = read(body.source(), url, self._recorded_with)
            status, fetched_at, flags = (version.values[name] for name in ("status", "fetched_at", "flags"))
            origin = Origin(self._site, status, fetched_at, tuple(flags.split()))
        mask = self._store.documents.mask(page_id, len(page.blocks))
        if mask is None:
            return None
        rendering = Rendering(page, mask)
        if content_hash(rendering.text()) != made.content_hash:
            return None
        pagelets = self._partition(page)
        if version is None:
            evidence = self._evidence.of(page_id, page, len(pagelets))
        else:
            evidence = replace(Evidence.none(len(pagelets), len(page.blocks)), affixes=self._evidence.affixes)
        evidence = replace(evidence, version=made.template_version)
        return JudgedPage(page, pagelets, evidence, _as_made(mask, made), origin, rendering)

    def named(self, url: str) -> str:
        """The name of the method that judges the page of a URL where no other is asked for."""
        return self._method if self._method_of is None else self._method_of(url)

    def _row(self, page_id: int) -> tuple[str, Origin, int]:
        row = self._store.connection.execute(
            "SELECT url, status, fetched_at, flags, coalesce(seen_run, 0) FROM pages WHERE page = ?",
            (page_id,),
        ).fetchone()
        if row is None:
            raise KeyError(page_id)
        url, status, fetched_at, flags, seen_run = row
        return url, Origin(self._site, status, fetched_at, tuple(flags.split())), seen_run

    def _basis(
        self, page_id: int, url: str, evidence: Evidence, block_keys: NDArray[np.void], seen_run: int
    ) -> bytes:
        unseen = b"unseen" if seen_run <= self._unseen else b""
        learned = self._methods.digest(self.named(url), page_id)
        return evidence.digest(self._salt, block_keys.tobytes(), unseen, *([learned] if learned else []))

    def _with_previous(
        self, page_id: int, overrides: Sequence[Override | None], blocks: int
    ) -> Sequence[Override | None]:
        mask = self._store.documents.mask(page_id, blocks)
        if mask is None:
            return overrides
        own = overrides or [None] * blocks
        return [
            REMOVED_BEFORE if override is None and not kept else override
            for override, kept in zip(own, mask, strict=True)
        ]


def _as_made(mask: list[bool], made: Made) -> Kept:
    kept_whole = bool(made.counts.get("kept_whole"))
    return Kept(mask, [float(keep) for keep in mask], kept_whole, lambda: [RELEASED] * len(mask))
