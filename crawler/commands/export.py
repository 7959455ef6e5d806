"""``scrapy export``: the current documents of a store."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from scrapy.exporters import JsonLinesItemExporter

from crawler.commandbase import StoreCommand, written
from crawler.judgement import document_fields, stored_judge

if TYPE_CHECKING:
    import argparse
    from io import BytesIO

    from store.site import Store


class Command(StoreCommand):
    """Writes all current documents of a site's store as JSON lines, in the order of their URLs, as the feed
    of a crawl that nothing disturbed has them.

    The pages are judged with the templates and the method of the site's last crawl; the settings METHOD,
    DOCUMENT_FIELDS and EXPLAIN_ENABLED say otherwise. Works while a crawl runs.
    """

    def syntax(self) -> str:
        """What the command takes."""
        return "SITE [-O FILE] [--fields NAME,NAME]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Write all current documents of a site's store"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds where to write, and what."""
        super().add_options(parser)
        parser.add_argument(
            "-O",
            "--overwrite-output",
            metavar="FILE",
            dest="output",
            help="write to FILE, in place of what it holds when all is written (default: standard output)",
        )
        parser.add_argument("--fields", metavar="NAMES", help="the fields to write, parted by commas")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Exports the documents."""
        with self.snapshot(self.one_argument(args)) as store:
            if opts.output in (None, "-"):
                self._export(store, sys.stdout.buffer, opts.fields)
            else:
                with written(Path(opts.output)) as file:
                    self._export(store, file, opts.fields)

    def _export(self, store: Store, file: BinaryIO, asked: str | None) -> None:
        judge = stored_judge(store, self.project)
        fields_of = document_fields(store.name, self.project, asked)
        exporter = JsonLinesItemExporter(
            cast("BytesIO", file), encoding=self.project["FEED_EXPORT_ENCODING"] or "utf-8"
        )
        for page in store.documents.current():
            try:
                fields = fields_of(store.frontier.url(page))
                exporter.export_item(judge.document(page, fields))
            except (OSError, sqlite3.Error):
                raise
            except Exception as error:
                # As in a crawl, one page that cannot be judged costs no other its document.
                self.say(f"{store.frontier.url(page)} is left out: {type(error).__name__}: {error}")
                self.exitcode = 1
