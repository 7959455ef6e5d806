"""Brings the file of all documents of a site and the score on its corrected pages up to date."""

from __future__ import annotations

import logging
import sqlite3
from functools import partial
from typing import Final

from scrapy.settings import BaseSettings

from crawler.configuration.judgement import stored_judge
from crawler.run.documents_file import DocumentsFile
from crawler.run.session import CrawlSession
from crawler.run.work import Stopped
from evaluation.scoring import taught_scores
from inspection.taught_change import TaughtFiles
from inspection.teaching import read_lessons, taught_pages
from pagelets.document import Document
from settings.errors import ConfigurationError
from settings.places import as_typed, site_path
from store.database import unusable
from store.errors import StoreError
from store.faults import is_of_store
from store.judging import StoredJudge
from store.meta import FILED_FIELDS

FALL: Final = 0.02
"""A fall of the mean F1 since the run before that is worth a warning."""
STAT: Final = "taught/f1"

logger = logging.getLogger(__name__)


async def keep_file(session: CrawlSession, settings: BaseSettings) -> bool:
    """Writes the files of a run (`crawler.run.documents_file`); returns False if they cannot be written.

    Raises StoreUnusable.
    """
    file = session.documents_file
    if file is None:
        return True
    if session.store.meta(FILED_FIELDS) not in (None, file.fields):
        # Of a file that a killed process leaves nobody knows which fields it has.
        with session.store.transaction():
            session.store.forget_meta(FILED_FIELDS)
    try:
        await session.work.do(f"writing {file.path.name}", partial(_write, session, settings, file))
    except Stopped:
        _tell(file, "it was not written to its end")
    except OSError as error:
        _tell(file, f"{error.strerror or error} ({error.filename or file.changes})")
    except (StoreError, ConfigurationError) as error:
        _tell(file, str(error))
    except sqlite3.Error as error:
        raise unusable(session.folder, error) from error
    return file.written


def _tell(file: DocumentsFile, why: str) -> None:
    mend = "the file is as it was, and the next crawl writes it; -s DOCUMENTS_FILE=0 keeps none"
    logger.error("%s: %s; %s", file.path, why, mend)


def _write(session: CrawlSession, settings: BaseSettings, file: DocumentsFile) -> None:
    failed: list[tuple[int, Exception]] = []
    judge: StoredJudge | None = None
    made = 0

    def make(page: int, url: str) -> Document | None:
        nonlocal judge, made
        judge = judge or stored_judge(reader, settings, site=session.plan.site)
        made += 1
        session.work.tell(made, count)
        try:
            fields = judge.fields_of(url)
            # A page that was fetched since may wait for a later run. Reasons take a new judgement.
            released = None if "pagelets" in fields else judge.released(page)
            if released is None:
                return judge.document(page, fields)
            return released.document(fields, reader.duplicates.marked(page))
        except Exception as error:
            if is_of_store(error):
                raise
            failed.append((page, error))
            return None

    released, deleted = (session.stats.get_value(f"documents/{what}", 0) for what in ("released", "deleted"))
    with session.store.reader() as reader:
        count = reader.documents.count()
        file.write(reader, make, changed=bool(released or deleted))
    session.note_faults("delivery", failed)


def note_taught(session: CrawlSession, settings: BaseSettings) -> None:
    """Sets the stat ``taught/f1`` where pages of the site were corrected, and says so where it has fallen."""
    name = session.plan.site
    path = TaughtFiles(site_path(name, settings)).lessons
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
    session.stats.set_value(STAT, now)
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
