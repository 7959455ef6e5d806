"""The one way from a page, how pages are judged, and what their site knows, to a Document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelets.document import FIELDS, BlockSelection, Document, Origin, content_hash, counts, judge, make
from pagelets.judging.by_url import KINDS, UrlOverrides
from pagelets.judging.learning import Methods
from pagelets.judging.page_facts import PageFacts
from pagelets.judging.taught import Taught
from pagelets.kinds import kind_overrides
from pagelets.methods.base import Subject
from pagelets.overrides import AUTO, REMOVED_BEFORE, overrides_of, volatile
from pagelets.registry import OURS, Registry
from pagelets.render import Rendering

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pagelets.judging.config import JudgeConfig
    from pagelets.judging.facts import RecordedPage, SiteFacts
    from pagelets.page import Override, Page
    from pagelets.partition import Pagelet


@dataclass(slots=True, frozen=True, eq=False)
class JudgedPage:
    """A page that was judged: what it keeps of its blocks, and where it comes from.

    ``basis`` names all that it was judged by, and ``keys`` its blocks, where a store remembers that. The
    registry knows the fields that its Document may have.
    """

    page: Page
    pagelets: Sequence[Pagelet]
    evidence: PageFacts
    selection: BlockSelection
    origin: Origin
    rendering: Rendering
    basis: bytes = b""
    keys: bytes = b""
    registry: Registry = OURS

    @property
    def content_hash(self) -> str:
        """The fingerprint of its text."""
        return content_hash(self.rendering.text())

    @property
    def is_without_volatile(self) -> bool:
        """True if a volatile block was removed from it."""
        return not all(self.selection.mask[position] for position in volatile(self.page, self.evidence))

    def counts(self) -> dict[str, int]:
        """Returns how much of the page is kept, as in the field ``stats``, and ``kept_whole``."""
        kept_whole = int(self.selection.kept_whole)
        return {**counts(self.page, self.pagelets, self.evidence, self.selection), "kept_whole": kept_whole}

    def document(self, fields: Collection[str] = (), duplicate_of: str | None = None) -> Document:
        """Returns its Document, by default with all fields but those on request.

        ``duplicate_of`` is the address of an earlier page with nearly the same text.
        """
        fields = fields or FIELDS
        judged = self.page, self.pagelets, self.evidence, self.selection
        added = self.registry.fields_for(fields)
        return make(*judged, self.origin, fields, self.rendering, duplicate_of, added)


class Judge:
    """Judges pages that the caller has read.

    ``config`` are the rules, ``facts`` the knowledge of the site (None for a page alone), and ``methods``
    makes the methods. Raises PatternError for a wrong override, WrongTaught for a wrong taught weight.
    """

    def __init__(self, config: JudgeConfig, facts: SiteFacts | None = None) -> None:
        self.config = config
        self.facts = facts
        self.methods = Methods({} if facts is None else facts.models, config.registry)
        self._values_of = UrlOverrides(config.overrides).of
        self.taught = Taught(config.taught)

    def __reduce__(self) -> tuple[type[Judge], tuple[JudgeConfig, SiteFacts | None]]:
        # What has been read of the rest, another process reads again.
        return Judge, (self.config, self.facts)

    def named(self, url: str) -> str:
        """Returns the name of the method that judges the page of a URL."""
        return str(self._values_of(url).get("method", self.config.method))

    def _choices(self, url: str) -> dict[str, str]:
        """Returns what becomes of each kind of blocks on the page of a URL."""
        values = {**self.config.kinds, **self._values_of(url)}
        return {name: values.get(name, AUTO) for name in KINDS}

    def fields_of(self, url: str) -> Collection[str]:
        """Returns the fields of the Document of a URL; empty for all but those on request."""
        fields: Collection[str] = self._values_of(url).get("fields", self.config.fields)
        more = self.config.more_fields
        return {*fields, *more} if fields and more else fields

    def subject(
        self, page: Page, known: RecordedPage | None = None, html: Callable[[], str] | None = None
    ) -> Subject:
        """Returns a page as methods see it.

        Args:
            page: the page.
            known: the site's record of it, None for a page alone.
            html: returns its HTML; None if only the page is there.

        Raises:
            ValueError: the record has another number of pagelets or blocks.

        """
        pagelets = self.config.partition(page)
        if known is None or self.facts is None:
            return Subject(page, pagelets, PageFacts.none(len(pagelets), len(page.blocks)), html, self.taught)
        evidence = self.facts.aligned(known, page, len(pagelets))
        return Subject(page, pagelets, evidence, html, self.taught, known.keys)

    def judge(
        self,
        subject: Subject,
        host: int,
        origin: Origin,
        *,
        method: str | None = None,
        at_most: Sequence[bool] | None = None,
    ) -> JudgedPage:
        """Judges a page.

        Args:
            subject: the page.
            host: the number of its host, of which methods may have learned.
            origin: where it comes from.
            method: the name of another method than the config's.
            at_most: the blocks that it kept before; others are removed.

        Raises:
            MethodError: the method lacks what it needs.

        """
        page, pagelets, evidence = subject.page, subject.pagelets, subject.evidence
        assert evidence is not None
        overrides: Sequence[Override | None] = overrides_of(
            page,
            pagelets,
            evidence,
            nosnippet=self.config.nosnippet,
            weakest=kind_overrides(subject, self._choices(page.url)),
        )
        if at_most is not None:
            overrides = [
                REMOVED_BEFORE if override is None and not kept else override
                for override, kept in zip(overrides or [None] * len(at_most), at_most, strict=True)
            ]
        name = self.named(page.url) if method is None else method
        selection = judge(subject, self.methods.of(name, host), overrides)
        rendering = Rendering(page, selection.mask)
        return JudgedPage(
            page, pagelets, evidence, selection, origin, rendering, registry=self.config.registry
        )
