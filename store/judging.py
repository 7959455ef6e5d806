"""From a stored page to its Document: what the release of a crawl and the commands share."""

from __future__ import annotations

import operator
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagelets.document import BlockSelection, Document, Origin, content_hash
from pagelets.judging.engine import Judge, JudgedPage
from pagelets.judging.other_titles import are_titles
from pagelets.methods.base import Method, Reason, Subject
from pagelets.overrides import Selectors, volatile
from pagelets.page import NOTHING_EXTRACTED, Extracted, Page
from pagelets.reading import read
from pagelets.render import Rendering
from store.documents import KEYS, Made, Memory
from store.facts import facts_of, recorded
from store.learning import StoredModels
from store.meta import DERIVATION, UNSEEN_SINCE
from store.titles import TitleAnchors

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.facts import RecordedPage
    from pagelets.judging.page_facts import PageFacts
    from pagelets.registry import Registry
    from store.site import Store


def memory_of(judged: JudgedPage) -> Memory:
    """Returns what the next crawl remembers of a judged page."""
    mask = list(judged.selection.mask)
    for position in volatile(judged.page, judged.evidence, rounds=1):
        mask[position] = False
    text_hash, fields_hash = judged.content_hash, judged.page.extracted.fields_hash
    if mask != judged.selection.mask and any(mask):
        text_hash = content_hash(Rendering(judged.page, mask).text())
    return Memory(judged.basis, judged.keys, text_hash, fields_hash)


AT_MOST: Final = b"at most"
"""Begins the basis of a page that has not been seen, and keeps less for that than it is judged to."""
RELEASED: Final = Reason("as it went out")
"""The reason of each block of a page that is given out once more, unjudged."""


class ReadPage(NamedTuple):
    """A page as methods see it, and the site's record of it."""

    subject: Subject
    record: RecordedPage


class StoredJudge:
    """Judges stored pages of a site.

    A page that the last round has not seen keeps at most what it kept before: of a template that the other
    pages have given up, nothing says that it is content here.

    Args:
        store: the store.
        config: the rules of judging.
        recorded_with: the selectors that the store's pagelets were made with, if they are not the config's:
            a page has the blocks that are recorded.
        remembers_until: blocks in doubt keep the verdict that they have in documents of runs up to this one.
        made: by pages, what methods have made of them already, as ``Subject.made`` has it: by the same rules
            and the same facts, but for what is learned.

    """

    def __init__(
        self,
        store: Store,
        config: JudgeConfig,
        *,
        recorded_with: Selectors | None = None,
        remembers_until: int = -1,
        made: Mapping[int, dict[str, Any]] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._made = made
        self.config = config
        self._facts = facts_of(store, config.detection, config.registry)
        self._judge = Judge(config, self._facts)
        self._anchors = TitleAnchors(store.connection, self._facts.titles)
        self._recorded_with = config.selectors if recorded_with is None else recorded_with
        unseen = store.meta(UNSEEN_SINCE)
        self._unseen = -1 if unseen is None else unseen
        self._remembers_until = remembers_until
        derivation: str | None = store.meta(DERIVATION)
        self._salt = f"{config.fingerprint} {derivation}".encode()

    def subject(self, page_id: int) -> Subject:
        """Reads a page back as a method sees it. Raises KeyError where the store has no body of it."""
        return self.read(page_id).subject

    def method(self, name: str, page_id: int) -> Method:
        """Returns the method of a name, for the host of a page. Raises NotLearned."""
        return self._judge.methods.of(name, self._store.pages.host(page_id))

    def named(self, url: str) -> str:
        """The name of the method that judges the page of a URL where no other is asked for."""
        return self._judge.named(url)

    def fields_of(self, url: str) -> Collection[str]:
        """The fields that the Document of a URL has."""
        return self._judge.fields_of(url)

    def check(self, name: str) -> None:
        """Raises NotLearned where a method has to learn of the site before it can judge its pages."""
        StoredModels(self._store, self.config.registry).check(name)

    def read(self, page_id: int) -> ReadPage:
        """Reads a page back. Raises KeyError where the store has no body of it."""
        return self._with_facts(page_id, self._page(page_id, self.config.selectors))

    def as_read(self, read_page: ReadPage) -> ReadPage:
        """Returns a page that another judge of the same store has read, which reads pages and finds templates
        as this one does.
        """
        return ReadPage(read_page.subject.with_taught(self._judge.taught), read_page.record)

    def judge(
        self, page_id: int, method: str | None = None, *, read_page: ReadPage | None = None
    ) -> JudgedPage:
        """Reads a page back and judges it.

        Args:
            page_id: the page.
            method: the name of another method than the one in force.
            read_page: the page, if it has been read already.

        Raises:
            KeyError: the store has no body of the page.
            NotLearned: the method has yet to learn of the site.

        """
        url, origin, seen_run = self._row(page_id)
        subject, known = read_page or self.read(page_id)
        evidence = _known(subject)
        basis, keys = self._basis(page_id, known, url, evidence, seen_run), known.keys["placed"].astype(KEYS)
        if self._remembers_until >= 0:
            previous = self._store.documents.verdicts(page_id, keys, self._remembers_until)
            subject.evidence = replace(evidence, previous=previous)
        judged = self._judge.judge(subject, known.host, origin, method=method)
        if seen_run <= self._unseen:
            at_most = self._store.documents.mask(page_id, len(subject.page.blocks))
            if at_most is not None and any(map(operator.gt, judged.selection.mask, at_most)):
                judged = self._judge.judge(subject, known.host, origin, method=method, at_most=at_most)
                basis = AT_MOST + basis
        return replace(judged, basis=basis, keys=keys.tobytes())

    def reaches(self, page_id: int, basis: bytes | None) -> bool:
        """Returns True if anything that a page is judged by differs from what ``basis`` names. The page is
        not read.
        """
        self._row(page_id)
        return basis is None or self.basis(page_id) != basis.removeprefix(AT_MOST)

    def basis(self, page_id: int) -> bytes:
        """Returns the name of all that a page is judged by. The page is not read."""
        url, _, seen_run = self._row(page_id)
        known = recorded(self._store, page_id)
        return self._basis(page_id, known, url, self._facts.for_page(known), seen_run)

    def known(self, page_id: int) -> JudgedPage | None:
        """A page as its last document was judged, where it would be judged the same again; None where it
        might not. Why its blocks are kept is not told.
        """
        made = self._store.documents.made(page_id)
        if made is None or not made.present or self.reaches(page_id, made.basis):
            return None
        page = self._page(page_id)
        mask = self._store.documents.mask(page_id, len(page.blocks))
        if mask is None:
            return None
        subject, known = self._with_facts(page_id, page)
        judged = _as_made(
            subject, Rendering(page, mask), mask, made, self._row(page_id)[1], self.config.registry
        )
        return replace(judged, basis=made.basis or b"", keys=known.keys["placed"].astype(KEYS).tobytes())

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
            page = self._page(page_id)
        else:
            body = self._store.bodies.unpacked(*version.packed)
            page = read(body.source(), url, self._recorded_with, extraction=self.config.extraction)
            status, fetched_at, flags = (version.values[name] for name in ("status", "fetched_at", "flags"))
            origin = Origin(self.config.site, status, fetched_at, tuple(flags.split()))
        mask = self._store.documents.mask(page_id, len(page.blocks))
        if mask is None:
            return None
        rendering = Rendering(page, mask)
        if content_hash(rendering.text()) != made.content_hash:
            return None
        if version is None:
            subject, _ = self._with_facts(page_id, page)
        else:
            subject = self._judge.subject(page)
        subject.evidence = replace(
            _known(subject),
            version=made.template_version,
            affixes=self._facts.affixes,
            beside=self._facts.beside,
        )
        return _as_made(subject, rendering, mask, made, origin, self.config.registry)

    def _row(self, page_id: int) -> tuple[str, Origin, int]:
        row = self._store.connection.execute(
            "SELECT url, status, fetched_at, flags, coalesce(seen_run, 0) FROM pages WHERE page = ?",
            (page_id,),
        ).fetchone()
        if row is None:
            raise KeyError(page_id)
        url, status, fetched_at, flags, seen_run = row
        return url, Origin(self.config.site, status, fetched_at, tuple(flags.split())), seen_run

    def _page(self, page_id: int, deciding: Selectors | None = None) -> Page:
        """A page with the values of the site's fields: as they are stored, or taken anew from its body."""
        extraction, store = self.config.extraction, self._store
        page = store.flat_pages.read(page_id, self._recorded_with, deciding)
        extracted: Extracted | None = NOTHING_EXTRACTED
        if extraction:
            extracted = store.page_fields.get(page_id, extraction.fingerprint)
        if extracted is None:
            extracted = read(store.bodies.get(page_id).source(), page.url, extraction=extraction).extracted
        page.extracted = extracted
        return page

    def _with_facts(self, page_id: int, page: Page) -> ReadPage:
        known = recorded(self._store, page_id)
        subject = self._judge.subject(page, known, lambda: self._store.bodies.get(page_id).text())
        subject.made.update(self._made.get(page_id, {}))
        return ReadPage(subject, known)

    def _basis(
        self, page_id: int, known: RecordedPage, url: str, evidence: PageFacts, seen_run: int
    ) -> bytes:
        unseen = b"unseen" if seen_run <= self._unseen else b""
        # What a page says of other titles as a method sees it takes reading the page; these decide it.
        said = are_titles(known.keys["block"], self._facts.titles).tobytes(), self._anchors.of(page_id)
        more = [self._judge.methods.digest(self._judge.named(url), known.host, known.keys), *said]
        if extraction := self.config.extraction:
            more.append(self._store.page_fields.fields_hash(page_id, extraction.fingerprint).encode())
        return evidence.digest(self._salt, known.keys.tobytes(), unseen, *filter(None, more))


def _known(subject: Subject) -> PageFacts:
    assert subject.evidence is not None
    return subject.evidence


def _as_made(
    subject: Subject, rendering: Rendering, mask: list[bool], made: Made, origin: Origin, registry: Registry
) -> JudgedPage:
    kept_whole = bool(made.counts.get("kept_whole"))
    reasons = [RELEASED] * len(mask)
    selection = BlockSelection(mask, [float(keep) for keep in mask], kept_whole, lambda: reasons)
    return JudgedPage(
        subject.page, subject.pagelets, _known(subject), selection, origin, rendering, registry=registry
    )
