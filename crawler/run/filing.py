"""Brings the file of all documents of a site up to date at the end of a run."""

from __future__ import annotations

import logging
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Final

from crawler.configuration.judgement import stored_judge
from crawler.run.work import Stopped
from settings.errors import ConfigurationError
from store.database import unusable
from store.errors import StoreError
from store.faults import is_of_store
from store.meta import FILED_FIELDS

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from crawler.run.documents_file import DocumentsFile
    from crawler.run.session import CrawlSession
    from pagelets.document import Document
    from store.judging import StoredJudge

STEP: Final = "delivery"
"""The name of this step, of pages that fail in it."""

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
    logger.error(
        "%s: %s; the file is as it was, and the next crawl writes it; -s DOCUMENTS_FILE=0 keeps none",
        file.path,
        why,
    )


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
            return judge.document(page, judge.fields_of(url))
        except Exception as error:
            if is_of_store(error):
                raise
            failed.append((page, error))
            return None

    released, deleted = (session.stats.get_value(f"documents/{what}", 0) for what in ("released", "deleted"))
    with session.store.reader() as reader:
        count = reader.documents.count()
        file.write(reader, make, changed=bool(released or deleted))
    with session.store.transaction():
        for page, error in failed:
            session.store.faults.note(page, STEP, error)
