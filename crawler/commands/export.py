"""``scrapy export``: the current documents of a store."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from crawler.commandline.base import StoreCommand, written
from crawler.commandline.told import Told
from crawler.configuration.judgement import document_fields, evidence_state, stored_judge
from crawler.feeds.exporters import exporting, format_of
from settings.values import all_fields

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from scrapy.exporters import BaseItemExporter

    from store.judging import Judge
    from store.site import Store

SNAPSHOT: Final = 1.0
"""Seconds that the store is read at one moment."""


class Command(StoreCommand):
    """Writes all current documents of a site's store, in the order of their URLs, as the feed of a crawl that
    nothing disturbed has them: as JSON lines, or in the format that FILE's name says (.jsonl, .json, .csv,
    .xml, .parquet; .gz behind it packs).

    The pages are judged with the templates and the method of the site's last crawl; the settings METHOD,
    DOCUMENT_FIELDS and EXPLAIN_ENABLED say otherwise. Works while a crawl runs: each document is as the store
    has it at that moment.
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
        site, name = self.one_argument(args), opts.output or "-"
        format_of(name)
        with self.open_store(site) as store:
            if name == "-":
                self._export(store, name, sys.stdout.buffer, opts.fields)
            else:
                with written(Path(name)) as file:
                    self._export(store, name, file, opts.fields)

    def _export(self, store: Store, name: str, file: BinaryIO, asked: str | None) -> None:
        fields_of = document_fields(store.name, self.project, asked)
        encoding = self.project["FEED_EXPORT_ENCODING"] or "utf-8"
        with exporting(name, file, _columns(store, fields_of), encoding) as exporter:
            self._write(store, exporter, fields_of)

    def _write(
        self, store: Store, exporter: BaseItemExporter, fields_of: Callable[[str], Sequence[str]]
    ) -> None:
        with Told(store.documents.count(), "documents", self.say) as told:
            for page, judge in self._pages(store):
                told.one_more()
                try:
                    fields = fields_of(store.frontier.url(page))
                    exporter.export_item(judge.document(page, fields))
                except (OSError, sqlite3.Error):
                    raise
                except Exception as error:
                    # As in a crawl, one page that cannot be judged costs no other its document.
                    self.say(f"{store.frontier.url(page)} is left out: {type(error).__name__}: {error}")
                    self.exitcode = 1

    def _pages(self, store: Store) -> Iterator[tuple[int, Judge]]:
        """The pages that have a document, each with a judge that knows the site as it is by then.

        A snapshot lasts about a second: while it does, what a crawl writes only adds to the log of SQLite.
        """
        pages = deque(store.documents.current())
        judge, known = None, ""
        while pages:
            with store.snapshot():
                if judge is None or evidence_state(store) != known:
                    judge, known = stored_judge(store, self.project), evidence_state(store)
                started = time.monotonic()
                while pages and (page := pages.popleft()):
                    if store.documents.is_current(page):
                        yield page, judge
                    if time.monotonic() - started >= SNAPSHOT:
                        break


def _columns(store: Store, fields_of: Callable[[str], Sequence[str]]) -> list[str]:
    """The fields that any of the documents has, in a Document's order."""
    asked = {field for page in store.documents.current() for field in fields_of(store.frontier.url(page))}
    return [name for name in all_fields() if name in asked]
