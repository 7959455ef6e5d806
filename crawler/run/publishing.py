"""Publishing a store's tables, with the documents' texts where a setting asks for them."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from crawler.configuration.judgement import stored_judge
from release.columns import LONE
from store.publish import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.settings import BaseSettings

    from store.site import Store
    from store.structure import Query

logger = logging.getLogger(__name__)


def publish(
    store: Store,
    site: str,
    settings: BaseSettings,
    names: tuple[str, ...] = tuple(TABLES),
    query: Query | None = None,
) -> list[Path]:
    """Writes tables of a store as Parquet, all unless some are named; returns their paths.

    With the setting ``PUBLISH_TEXT`` the table of documents has their texts; pages are ranked for the query
    where there is one. Raises StoreError, ConfigurationError, OSError.
    """
    if not settings.getbool("PUBLISH_TEXT"):
        return store.publish(names=names, query=query)
    judge = stored_judge(store, settings, site=site)

    def text(page: int) -> str | None:
        try:
            return LONE.sub("\ufffd", judge.document(page, ("text",))["text"])
        except (OSError, sqlite3.Error):
            raise
        except Exception:
            # As in a crawl, one page that cannot be judged costs no other its document.
            logger.exception("%s is published without its text", store.frontier.url(page))
            return None

    return store.publish(text, names, query)
