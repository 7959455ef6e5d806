"""``scrapy publish``: a store's tables as Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from crawler.commandline.base import StoreCommand, write_json
from crawler.commandline.tables import show
from crawler.run.publishing import publish

if TYPE_CHECKING:
    import argparse


class Command(StoreCommand):
    """Writes the tables of a site's store as Parquet files, those but `ranks` as every finished crawl does,
    and prints their paths.

    Each file takes the place of the one before only when it is whole. With the setting PUBLISH_TEXT
    documents have their texts. Works while a crawl runs.
    """

    usage = "SITE"
    summary = "Write a site's tables as Parquet files"

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Publishes the tables and prints where they are."""
        with self.open_store(self.one_argument(args)) as store:
            paths = publish(store, store.name, self.project)
        rows = [(path.stem, pq.read_metadata(path).num_rows, path) for path in paths]
        if opts.json:
            write_json([{"table": table, "rows": count, "path": str(path)} for table, count, path in rows])
        else:
            show(("table", "rows", "path"), rows)
