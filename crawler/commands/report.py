"""``scrapy report``: a site in one file to send."""

from __future__ import annotations

import argparse
from pathlib import Path

from crawler.commandline.base import StoreCommand, inspector_imported, option, write_json
from inspection.overview import site_report
from settings.errors import ConfigurationError
from settings.files import written


class Command(StoreCommand):
    """Writes a report on a site as one HTML file: the shares of text that pages keep, the pages that keep
    least and most, classes, templates and runs. It runs no script and loads nothing.
    """

    of_samples = True
    usage = "SITE -o FILE"
    summary = "Write a report on a site as one HTML file"
    examples = ("example.org -o report.html",)
    options = (option("-o --output FILE", "the file to write; it is replaced"),)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Writes the report."""
        site = self.one_argument(args)
        if opts.output is None and not opts.json:
            raise ConfigurationError(f"give a file: {self.name} {self.usage}")
        with inspector_imported():
            # An extra: without it all other commands work.
            from inspector.answers import report_file
        with self.snapshot(site) as store:
            report = site_report(store, self.partition_of(store))
        if opts.output is not None:
            with written(Path(opts.output)) as file:
                file.write(report_file(report))
        if opts.json:
            write_json(report)
        elif opts.output != "-":
            print(opts.output)
