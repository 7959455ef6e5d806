"""``scrapy archive-job``: documents of archives of any size, on Spark."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast, get_args

from cluster.inputs import inputs_of
from cluster.parameters import JobParameters, SiteBy
from crawler.commandline.base import StoreCommand, number, option, write_json
from crawler.commandline.spark import SPARK_SETTINGS, as_errors_of_users, check_master, settings_of
from crawler.configuration.judgement import parameters_of
from crawler.run.outcome import EXIT_CODES
from settings.errors import ConfigurationError
from store.errors import SiteBusy
from store.lock import held

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cluster.job import Summary

_SITE_PAGES: Final = 200_000
_MOST_PARTITIONS: Final = 1_000_000
_FORMATS: Final = ("jsonl", "parquet")


class Command(StoreCommand):
    """Makes the documents of archives on Spark, the same as `scrapy crawl archive` makes of each site; for
    more archives than one machine reads in good time, and for many sites at once. Needs Java 17 and
    requirements-spark.txt.

    PATHS are WARC files, folders of them, lists of them (NAME.paths, NAME.paths.gz, as Common Crawl publishes
    them), and addresses (s3a://, hdfs://). OUT is a new folder, anywhere Spark can write: the documents are
    files in OUT/documents, which is there when all of them are. The same command over the same archives goes
    on where it was cut short.

    What `-s` and the file of `--site` set holds for all pages. Exit codes: 0 all went well, 2 an argument, an
    archive or Spark is wrong, 3 no page could be used, 4 a signal ended it, 6 another job writes to OUT.
    """

    usage = "--master MASTER [--site-by host|domain|file] [--limit N] PATHS ... OUT"
    summary = "Make the documents of archives of any size, on Spark"
    examples = ("--master 'local[4]' crawl-1.warc.gz crawl-2.warc.gz out/",)
    options = (
        option("--master M", "local[N], spark://HOST:PORT, yarn or k8s://ADDRESS"),
        option("--site-by KIND", "what makes a site: host (default), domain or file", default="host"),
        option("--site SITE", "the site file that holds for all pages"),
        option("--limit N", "read the first N archives"),
        option("--prefix URL", "what stands before the names in a list", default=""),
        option("--format KIND", "jsonl (default) or parquet", default="jsonl"),
        option("--partitions N", "deal pages into N parts, each a file"),
        option(
            "--site-pages N", f"pages of a site that a task takes ({_SITE_PAGES})", default=str(_SITE_PAGES)
        ),
        SPARK_SETTINGS,
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Runs the job."""
        check_master(opts.master)
        if len(args) < 2:
            raise ConfigurationError(f"give archives and a folder for documents: {self.name} {self.usage}")
        *paths, out = args
        parameters = self._parameters(opts)
        # Neither given: all archives, and as many parts as these ask for.
        limit = number("--limit", opts.limit, 1) if opts.limit is not None else 0
        partitions = 0
        if opts.partitions is not None:
            partitions = number("--partitions", opts.partitions, 1, _MOST_PARTITIONS)
        more = settings_of(opts)
        with _locked(out) as place, as_errors_of_users():
            inputs = inputs_of(paths, opts.prefix, limit)
            # Loads Spark, which is not there unless somebody wants it.
            from cluster.job import Job, partitions_of
            from cluster.running import on_spark

            parts = partitions or partitions_of(inputs)

            def work(spark: SparkSession, watch: Callable[[str], None]) -> Summary:
                return Job(inputs, parameters, place, parts, watch).run(spark)

            try:
                with self.progress(0, "starting Spark") as progress:
                    summary = on_spark(opts.master, parts, more, progress.at, work)
            except KeyboardInterrupt:
                self.say(f"interrupted; the same command goes on with what is not done yet, in {place}")
                self.exitcode = EXIT_CODES["interrupted"]
            else:
                self._report(summary, place, as_json=opts.json)

    def _parameters(self, opts: argparse.Namespace) -> JobParameters:
        if opts.site_by not in get_args(SiteBy):
            raise ConfigurationError(f"--site-by {opts.site_by}: give {', '.join(get_args(SiteBy))}")
        if opts.format not in _FORMATS:
            raise ConfigurationError(f"--format {opts.format}: give {' or '.join(_FORMATS)}")
        by = cast("SiteBy", opts.site_by)
        parameters = parameters_of(opts.site, self.project, by, number("--site-pages", opts.site_pages, 1))
        return replace(parameters, parquet=opts.format == "parquet")

    def _report(self, summary: Summary, place: str, *, as_json: bool) -> None:
        counts = summary.counts
        for line in summary.skipped:
            self.say(f"skipped: {line}")
        if not counts["documents"]:
            self.say("no page could be used")
            self.exitcode = EXIT_CODES["empty"]
        if as_json:
            write_json({**asdict(summary), "out": place})
            return
        ended = "complete" if counts["documents"] else "empty"
        removed = 1 - counts["chars_kept"] / counts["chars"] if counts["chars"] else 0.0
        pace = counts["pages"] / max(summary.seconds, 0.001)
        print(
            f"{counts['archives']} archives, {counts['sites']} sites: {ended}\n"
            f"  pages      {counts['pages']}, {counts['others']} other records, {counts['skipped']} skipped, "
            f"{counts['failed']} without a document\n"
            f"  time       {timedelta(seconds=round(summary.seconds))}, {pace:.1f} pages a second\n"
            f"  templates  {removed:.0%} of the text removed\n"
            f"  documents  {counts['documents']}, in {place}/documents",
            file=sys.stderr,
        )


@contextlib.contextmanager
def _locked(out: str) -> Iterator[str]:
    """The address of a folder; a local one is locked meanwhile. Raises SiteBusy and OSError."""
    if "://" in out:
        yield out
        return
    folder = Path(out).absolute()
    if not folder.parent.is_dir():
        raise ConfigurationError(f"{folder}: there is no folder {folder.parent}; make it first")
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder}: it is a file; give a new folder")
    if folder.exists() and not os.access(folder, os.W_OK):
        raise ConfigurationError(f"{folder}: it cannot be written; give another folder")
    try:
        with held(folder.with_name(f".{folder.name}")):
            yield folder.as_uri()
    except SiteBusy as error:
        raise SiteBusy(f"{folder}: another job writes to it; wait for its end") from error
