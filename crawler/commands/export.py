"""``scrapy export``: the current documents of a store."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from crawler.commandline.base import option
from crawler.commandline.pages import PageCommand
from crawler.configuration.checks import converted, registry_of, text_encoding
from crawler.configuration.judgement import document_fields, with_site_file
from crawler.feeds.exporters import exporting, format_of
from inspection.pages import judged_pages
from settings.errors import ConfigurationError
from settings.files import written
from store.site import Store


class Command(PageCommand):
    """Writes all current documents of a site's store, or that of one URL, in the order of their URLs, as the
    feed of a crawl that nothing disturbed has them: as JSON lines, or in the format that FILE's name says
    (.jsonl, .json, .csv, .xml, .parquet; .gz behind it packs). Without what a pipeline has dropped.

    The pages are judged with the templates and the method of the site's last crawl; the settings METHOD,
    DOCUMENT_FIELDS and EXPLAIN_ENABLED say otherwise. Works while a crawl runs: each document is as the store
    has it at that moment.
    """

    usage = "SITE|URL [-O FILE] [--fields NAME,NAME] [--site SITE]"
    summary = "Write all current documents of a site's store"
    examples = ("example.org -O documents.csv --fields url,title,text",)
    options = (
        option(
            "-O --overwrite-output FILE",
            "write to FILE, in place of what it holds when all is written "
            "(default: -:jsonl, the standard output)",
            dest="output",
        ),
        option("--fields NAMES", "the fields to write, parted by commas"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Exports the documents."""
        subject, name = self.one_argument(args), opts.output or "-"
        format_of(name)
        page = self.find_current(subject, opts.site) if "://" in subject else None
        with self.open_store(page.site if page else subject) as store:
            pages = [page.known.page] if page else list(store.documents.current(dropped=False))
            if dropped := 0 if page else store.documents.count() - len(pages):
                self.say(f"{dropped} documents are left out that a pipeline of the last crawls has dropped")
            with nullcontext(sys.stdout.buffer) if name.split(":")[0] == "-" else written(Path(name)) as file:
                self._export(store, pages, name, file, opts.fields)

    def _export(
        self, store: Store, pages: Sequence[int], name: str, file: BinaryIO, asked: str | None
    ) -> None:
        fields_of = document_fields(store.name, self.project, asked)
        asked_for = {field for page in pages for field in fields_of(store.frontier.url(page))}
        registry = registry_of(with_site_file(store.name, self.project))
        setting = "FEED_EXPORT_ENCODING"
        encoding = converted(setting, self.project[setting] or "utf-8", text_encoding)
        with (
            exporting(name, file, registry.ordered(asked_for), encoding, registry) as exporter,
            self.progress(len(pages), "documents") as progress,
        ):
            for page, judge in judged_pages(store, pages, self.judge_of):
                progress.one_more()
                try:
                    fields = fields_of(store.frontier.url(page))
                    exporter.export_item(judge.document(page, fields))
                except (OSError, sqlite3.Error):
                    raise
                except UnicodeEncodeError as error:
                    lacks = f"lacks {error.object[error.start]!r}, give utf-8"
                    raise ConfigurationError(f"{setting}={encoding}: {lacks}") from error
                except Exception as error:
                    # As in a crawl, one page that cannot be judged costs no other its document.
                    self.say(f"{store.frontier.url(page)} is left out: {type(error).__name__}: {error}")
                    self.exitcode = 1
