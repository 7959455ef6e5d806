"""Publishing a store's tables, with the documents' texts where a setting asks for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from scrapy.settings import BaseSettings

from crawler.configuration.judgement import stored_judge
from release.columns import as_column, schema_of
from store.faults import is_of_store
from store.publish import ANALYSED, TABLES, DocumentFields
from store.site import Store
from store.structure import RankingQuery

logger = logging.getLogger(__name__)

OF_CRAWLS: Final = tuple(name for name in TABLES if name not in ANALYSED)
"""The tables that a crawl publishes at its end."""


def publish(
    store: Store,
    site: str,
    settings: BaseSettings,
    names: tuple[str, ...] = tuple(TABLES),
    query: RankingQuery | None = None,
    failed: Callable[[int, Exception], None] | None = None,
) -> list[Path]:
    """Writes tables of a store as Parquet; returns their paths.

    With ``PUBLISH_TABLES=text`` the table of documents has their texts, and the fields that are not
    ours. Raises StoreError, ConfigurationError, OSError.

    Args:
        store: the store, by a connection that nothing else uses meanwhile.
        site: the name of the site.
        settings: the project's, or those of a crawl.
        names: the tables; all unless they are given.
        query: what pages are ranked for.
        failed: called with a page whose document cannot be had, and the error; such a page is logged without.
    """
    if settings["PUBLISH_TABLES"] != "text":
        return store.publish(names=names, query=query)
    judge = stored_judge(store, settings, site=site)

    names_of = ("text", *(column.name for column in judge.config.columns))
    schema = schema_of(names_of, judge.config.registry)

    def fields(page: int) -> list[Any] | None:
        try:
            document: Mapping[str, Any] = judge.document(page, names_of)
            return [as_column(document[field.name], field.type) for field in schema]
        except Exception as error:
            if is_of_store(error):
                raise
            if failed is None:
                logger.exception("%s is published without its text and fields", store.frontier.url(page))
            else:
                failed(page, error)
            return None

    return store.publish(DocumentFields(schema, fields), names, query)
