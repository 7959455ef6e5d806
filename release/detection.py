"""Finding a site's templates: from the store's tables, into the store's tables."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pagelets.detection import Templates, find_templates
from pagelets.detection.blocks import RepeatedBlocks, find_repeated_blocks
from pagelets.detection.small import SmallSite, small_site
from pagelets.judging.facts import repeated
from pagelets.judging.naming import evidence_name
from pagelets.judging.other_titles import title_keys
from pagelets.judging.parameters import Detection
from pagelets.judging.title import site_names
from release.machine import budgets
from store.errors import NotEnoughMemory
from store.evidence import Relations
from store.meta import DETECTION_RUN, EVIDENCE_VERSION, TITLE_AFFIXES, TITLE_BESIDE, TITLE_KEYS
from store.site import Store

if TYPE_CHECKING:
    import duckdb


logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class Detector:
    """Finds a site's templates, as a ``detection`` says.

    ``judge_fingerprint`` names what judges pages by what is found: another one makes other documents of the
    same templates. ``memory`` are the MB that it may take, 0 for what the machine has to give
    (`release.machine`).
    """

    detection: Detection = field(default_factory=Detection)
    judge_fingerprint: str = ""
    memory: int = field(default=0, repr=False, compare=False)

    def find(self, store: Store) -> tuple[Templates, RepeatedBlocks]:
        """Detects on the tables as they stand. Uses connections of its own: may run in another thread.

        Raises NotEnoughMemory, StoreUnusable where the disk is full, StoreHalfDerived and OSError.
        """
        templates: Templates | None = None
        tries = budgets(self.memory)
        with store.detection_input(near_duplicates=self.detection.near_duplicates) as given:
            if (small := self._small(given)) is not None:
                return small.templates(*self.detection.support), small.repeated_blocks()
            for memory in tries:
                try:
                    with store.evidence(given, memory=memory) as con:
                        if templates is None:
                            templates = self._templates(con)
                        return templates, find_repeated_blocks(con)
                except MemoryError as error:
                    logger.info(
                        "Detecting templates takes more than %d MB of memory: %s", memory, _line(error)
                    )
        raise NotEnoughMemory(
            f"{store.folder}: detecting templates takes more than {tries[-1]} MB of memory; give it more "
            f"(-s DETECTION_MEMORY={2 * tries[-1]}) where the machine has that; the pages are held until then"
        )

    def preview(self, store: Store) -> Templates:
        """Finds the templates in the current tables of a crawl that goes on. May run in another thread.
        Raises as `find`, and MemoryError.
        """
        with store.detection_input(near_duplicates=self.detection.near_duplicates) as given:
            if (small := self._small(given)) is not None:
                return small.templates(*self.detection.support)
            with store.evidence(given, memory=budgets(self.memory)[-1]) as con:
                return self._templates(con)

    def save(self, store: Store, detected: tuple[Templates, RepeatedBlocks], run: int) -> None:
        """Stores templates as the site's, in one transaction: those ``detected`` by `find` in a ``run`` go
        into the ``store``.
        """
        (templates, blocks), detection = detected, self.detection
        with store.transaction():
            store.support.replace(blocks, partial(repeated, detection=detection))
            store.templates.replace(templates, detection.algorithm, *detection.support, run)
            names, beside = site_names(store.documents.titles(), detection.min_pages)
            store.set_meta(TITLE_AFFIXES, sorted(names))
            store.set_meta(TITLE_BESIDE, sorted(beside))
            store.set_meta(TITLE_KEYS, title_keys(store.documents.titles(), names).astype("<i8").tobytes())
            self.name(store)
            store.set_meta(DETECTION_RUN, run)

    def name(self, store: Store) -> None:
        """Names the site's evidence as it is stored, with what was learned of it, inside a transaction."""
        support, changing, learned = (
            part.digest() for part in (store.support, store.changing, store.learned)
        )
        name = evidence_name(support, changing, learned, self.detection, self.judge_fingerprint)
        store.set_meta(EVIDENCE_VERSION, name)
        store.templates.renew_version()

    def _small(self, given: Relations) -> SmallSite | None:
        """Returns a site whose templates are found without DuckDB, None for another."""
        return None if isinstance(given, Path) else small_site(given, self.detection.algorithm)

    def _templates(self, con: duckdb.DuckDBPyConnection) -> Templates:
        return find_templates(con, self.detection.algorithm, *self.detection.support)


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
