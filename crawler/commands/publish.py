"""``scrapy publish``: a store's tables as Parquet."""

from __future__ import annotations

import argparse
from functools import partial

import pyarrow.parquet as pq

from crawler.commandline.base import StoreCommand, option
from crawler.run.publishing import publish
from inspection.ranking import matching
from store.structure import RankingQuery


class Command(StoreCommand):
    """Writes the tables of a site's store as Parquet files, and prints their paths. Crawls publish no tables
    unless the setting PUBLISH_TABLES is on, and leave out those of ranks and classes.

    Each file takes the place of the one before only when it is whole. With PUBLISH_TABLES=text
    documents have their texts and the fields that are not ours. With --query pages are ranked for it. Works
    while a crawl runs.
    """

    usage = "SITE [--query WORDS]"
    summary = "Write a site's tables as Parquet files"
    examples = ("example.org",)
    options = (option("--query WORDS", "rank the pages that have these words"),)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Publishes the tables and prints where they are."""
        with self.open_store(self.one_argument(args)) as store:
            query = None
            if opts.query is not None:
                read = self.judge_of(store).subject
                query = RankingQuery(opts.query, partial(matching, read=read, query=opts.query))
            paths = publish(store, store.name, self.project, query=query)
        rows = [(path.stem, pq.read_metadata(path).num_rows, path) for path in paths]
        listed = [{"table": table, "rows": count, "path": str(path)} for table, count, path in rows]
        self.answer(opts, ("table", "rows", "path"), rows, listed)
