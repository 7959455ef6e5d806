"""The score of a run on the pages that people have corrected."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from crawler.configuration.judgement import stored_judge
from evaluation.scoring import taught_scores
from inspection.teaching import lessons_path, read_lessons, taught_pages
from settings.errors import ConfigurationError
from settings.places import as_typed, sites_dir
from store.errors import StoreError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from crawler.run.session import CrawlSession

FALL: Final = 0.02
"""A fall of the mean F1 since the run before that is worth a warning."""
STAT: Final = "taught/f1"

logger = logging.getLogger(__name__)


def note_taught(session: CrawlSession, settings: BaseSettings) -> None:
    """Sets the stat ``taught/f1`` where pages of the site were corrected, and says so where it has fallen."""
    name = session.plan.site
    path = lessons_path(sites_dir(settings) / f"{name}.toml")
    try:
        pages = taught_pages(read_lessons(path))
        if not pages:
            return
        judge = stored_judge(session.store, settings, site=name)
        scores = [score for score in taught_scores(session.store, judge, pages).values() if score is not None]
    except (ConfigurationError, StoreError, OSError) as error:
        logger.warning("%s; how well the corrected pages are judged is not known", error)
        return
    if not scores:
        return
    now = round(sum(score.f1 for score in scores) / len(scores), 4)
    session.stats.set_value("taught/f1", now)
    before = next((run.counts[STAT] for run in session.history if STAT in run.counts), None)
    if before is not None and before - now >= FALL:
        logger.warning(
            "The %d corrected pages are judged worse than in the last run: F1 %.3f, before %.3f; see %s, and "
            "teach the site anew if it was redesigned",
            len(scores),
            now,
            before,
            as_typed(f"scrapy evaluate --taught {name}"),
        )
