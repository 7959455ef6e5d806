"""From a stored page to its Document: what the release of a crawl and the commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagelets.document import FIELDS, Judged, Origin, content_hash, counts, judge, make
from pagelets.page import Page, build, parse
from pagelets.partition import Pagelet, partition
from pagelets.render import Rendering

if TYPE_CHECKING:
    from collections.abc import Collection

    from pagelets.document import Document
    from pagelets.evidence import Evidence
    from store.evidence import SiteEvidence
    from store.site import Store


@dataclass(slots=True, frozen=True)
class JudgedPage:
    """A page of the store, parsed again and judged."""

    page: Page
    pagelets: list[Pagelet]
    evidence: Evidence
    judged: Judged
    origin: Origin
    rendering: Rendering

    @property
    def content_hash(self) -> str:
        """The fingerprint of its text."""
        return content_hash(self.rendering.text())

    def counts(self) -> dict[str, int]:
        """How much of the page is kept, and whether it is only because nothing would have been."""
        kept_whole = int(self.judged.kept_whole)
        return {**counts(self.page, self.pagelets, self.evidence, self.judged), "kept_whole": kept_whole}

    def document(self, fields: Collection[str] = ()) -> Document:
        """Its Document, with all fields but ``pagelets`` unless some are asked for."""
        return make(
            self.page,
            self.pagelets,
            self.evidence,
            self.judged,
            self.origin,
            fields or FIELDS,
            self.rendering,
        )


class Judge:
    """Judges stored pages of a site by a method, with the site's evidence.

    Takes the store, its evidence, the method's name, the k of the partition, and the site's name.
    """

    def __init__(self, store: Store, evidence: SiteEvidence, method: str, k: int, site: str) -> None:
        self._store = store
        self._evidence = evidence
        self._method = method
        self._k = k
        self._site = site

    def judge(self, page_id: int) -> JudgedPage:
        """Reads a page back and judges it. Raises KeyError where the store has no body of it."""
        row = self._store.connection.execute(
            "SELECT url, status, fetched_at, flags FROM pages WHERE page = ?", (page_id,)
        ).fetchone()
        if row is None:
            raise KeyError(page_id)
        url, status, fetched_at, flags = row
        page = build(parse(self._store.bodies.get(page_id).text()), url)
        pagelets = partition(page, self._k)
        evidence = self._evidence.of(page_id, page, len(pagelets))
        judged = judge(page, pagelets, evidence, self._method)
        origin = Origin(self._site, status, fetched_at, tuple(flags.split()))
        return JudgedPage(page, pagelets, evidence, judged, origin, Rendering(page, judged.mask))
