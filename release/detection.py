"""Finding a site's templates: from the store's tables, into the store's tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pagelets.detection import find_templates
from pagelets.detection.blocks import find_repeated_blocks
from pagelets.site.known import repeated
from pagelets.site.naming import evidence_name
from pagelets.site.title import affixes
from store.evidence import StoredEvidence
from store.meta import DETECTION_RUN, EVIDENCE_VERSION, TITLE_AFFIXES

if TYPE_CHECKING:
    from pagelets.detection import Algorithm, Templates
    from pagelets.detection.blocks import RepeatedBlocks
    from store.site import Store


@dataclass(slots=True, frozen=True)
class Detector:
    """How templates are found: the algorithm, and the support that makes a group a template.

    ``block_share`` is the share of pages on which a block's text counts as repeated, 0 for never.
    ``judgement`` names what judges pages by what is found: another one makes other documents of the same
    templates.
    """

    algorithm: Algorithm = "local"
    min_pages: int = 3
    min_share: float = 0.1
    block_share: float = 0.5
    judgement: str = ""

    def find(self, store: Store) -> tuple[Templates, RepeatedBlocks]:
        """Detects on the tables as they stand. Uses connections of its own: may run in another thread."""
        with store.evidence() as con:
            found = find_templates(con, self.algorithm, self.min_pages, self.min_share)
            return found, find_repeated_blocks(con)

    def save(self, store: Store, found: tuple[Templates, RepeatedBlocks], run: int) -> None:
        """Stores what `find` returned as the site's templates, in one transaction."""
        templates, blocks = found
        with store.transaction():
            store.support.replace(
                blocks, partial(repeated, min_pages=self.min_pages, block_share=self.block_share)
            )
            store.templates.replace(templates, self.algorithm, self.min_pages, self.min_share, run)
            names = affixes(store.documents.titles(), self.min_pages)
            store.set_meta(TITLE_AFFIXES, sorted(names))
            self.name(store)
            store.set_meta(DETECTION_RUN, run)

    def name(self, store: Store) -> None:
        """Names the site's evidence as it is stored, with what was learned of it, inside a transaction."""
        store.set_meta(EVIDENCE_VERSION, self._version(store))
        store.templates.renew_version()

    def _version(self, store: Store) -> str:
        judged_by = (self.min_pages, self.block_share, self.judgement)
        support, changing, learned = (one.digest() for one in (store.support, store.changing, store.learned))
        return evidence_name(support, changing, learned, judged_by)

    def evidence(self, store: Store) -> StoredEvidence:
        """The site's evidence as it is stored."""
        return StoredEvidence(store, self.min_pages, self.block_share)
