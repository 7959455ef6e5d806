"""``scrapy templates``: what a site repeats, and what people decide of it."""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Final

from crawler.commandline.base import StoreCommand, option, write_json
from crawler.commandline.output import printable
from crawler.commandline.spark import SPARK_SETTINGS, as_errors_of_users, check_master, settings_of
from crawler.configuration.checks import check_settings
from inspection.sisters import Planned, Sisters, decide_in, planned_decisions, published
from inspection.site_file import STATES
from inspection.templates import Choice, ListedTemplate, decide, differs, in_file, list_templates
from pagelets.detection import Algorithm
from pagelets.detection.sites import SharedTemplate
from pagelets.partitions import Partition
from release.machine import budgets
from settings.errors import ConfigurationError
from settings.files import read_source, write_source, written
from settings.places import data_dir, site_path
from store.errors import SiteBusy, StoreError
from store.multi_site import Published, unchanged
from store.occurrences import template_frequency
from store.site import Store
from store.templates import ETDM

SAMPLE_CHARS: Final = 80
_OTHERS: Final = frozenset({".csv", ".json", ".xml", ".parquet", ".gz"})
"""Endings of names of other formats that documents are exported in."""
_SITES: Final = 3
"""So many sites of a template are named in a table."""


class Command(StoreCommand):
    """Lists the templates of a site, those on most pages first: id, name, state, on how many pages and which
    share of them, the DOM path and the text of a sample; then on how many pages any of them is.

    --pin makes what it names template on every page, --reject on none; --reset leaves it to detection again,
    all of it where nothing is named. What to name: ids as listed, or names as listed here and by scrapy
    explain, which stay the same from crawl to crawl. What is decided holds for export and explain at once,
    and for the documents of the next crawl; --write puts it into the site file. While a crawl of the site
    runs, what is decided waits until that has fetched its pages; --write has to wait itself (exit code 6).
    With --json or --export the text is whole and the sample's URL is given, one JSON object a line.

    --over lists the templates that stand on pages of several sites, of which the published tables are named;
    --pin, --reject and --reset then decide, by name, in all of these sites that have it, after a question.
    """

    of_samples = True
    usage = "SITE|--over TABLES... [--pin ID...] [--reject ID...] [--reset [ID...]] [--write] [--export FILE]"
    summary = "List the templates of a site, pin and reject them"
    examples = ("example.org", "example.org --pin 16301696dbe61e3a --write")
    options = (
        option("--pin ID", "templates on every page", nargs="+", default=[]),
        option("--reject ID", "templates on no page", nargs="+", default=[]),
        option("--reset ID", "what detection decides on again (default: all)", nargs="*"),
        option("--write", "write what was decided to the site file"),
        option("--export FILE", "write the templates to FILE as JSON lines"),
        option("--over TABLES", "templates of several sites, such as 'data/*/tables'", nargs="+"),
        option("--master M", "with --over: detect on Spark, such as local[2]"),
        SPARK_SETTINGS,
        option("--yes", "with --over: do not ask"),
        option("--dry-run", "with --over: say what would be decided where; decide nothing"),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Decides on templates, or prints them or writes them to a file."""
        if opts.export and (suffix := Path(opts.export).suffix.lower()) in _OTHERS:
            raise ConfigurationError(
                f"--export {opts.export}: writes JSON lines, not {suffix}; name it .jsonl"
            )
        if opts.over:
            self._over(args, opts)
            return
        if opts.yes or opts.dry_run or opts.master or opts.conf:
            raise ConfigurationError(
                "--yes, --dry-run, --master and --conf are for --over; leave them out for one site"
            )
        site = self.one_argument(args)
        if not (opts.pin or opts.reject or opts.write or opts.reset is not None):
            with self.snapshot(site) as store:
                self._list(list_templates(store, self.partition_of(store)), opts)
                if not (opts.json or opts.export):
                    self.say(str(template_frequency(store.connection)))
            return
        try:
            with self.changing(site) as store:
                rows = self._decide(store, opts)
        except SiteBusy:
            if opts.write:
                raise
            with self.open_store(site) as store:
                rows = self._decide(store, opts, waits=True)
            self._waits(site)
        if rows:
            self._list(rows, opts)
        if not opts.write:
            self._warn(site)

    def _decide(self, store: Store, opts: argparse.Namespace, *, waits: bool = False) -> list[ListedTemplate]:
        partition = self.partition_of(store)
        about = decide(store, partition, Choice(opts.pin, opts.reject, opts.reset), waits=waits)
        if opts.write:
            self._write(store, partition)
        return list_templates(store, partition, about)

    def _write(self, store: Store, partition: Partition) -> None:
        path = site_path(store.name, self.project)
        if not path.exists():
            raise ConfigurationError(
                f"{path}: site {store.name!r} has no file to write to; scrapy sites --new URL makes one"
            )
        try:
            source = read_source(path)
            decided = in_file(store, partition, source, lambda text: printable(text, SAMPLE_CHARS))
        except ValueError as error:
            raise ConfigurationError(f"{path}: {error}") from error
        if decided.text != source:
            write_source(path, decided.text)
        with store.transaction():
            store.decisions.written(decided.states)
        states = list(decided.states.values())
        self.say(f"{path}: {', '.join(f'{states.count(state)} {state}' for state in STATES)}")

    def _warn(self, site: str) -> None:
        """Says so where the next crawl would undo what was decided, as its site file says otherwise."""
        path = site_path(site, self.project)
        if not path.exists():
            return
        try:
            with self.open_store(site) as store:
                says_otherwise = differs(store, path.read_text(encoding="utf-8-sig"))
        except ValueError as error:
            self.say(f"{path}: {error}")
        else:
            if says_otherwise:
                self.say(f"{path} says otherwise, and wins at the next crawl: {self.name} {site} --write")

    def _list(self, rows: list[ListedTemplate], opts: argparse.Namespace) -> None:
        columns = ("id", "name", "state", "pages", "share", "where", "sample")
        cells = [
            (row.id, row.name, _state(row), row.pages, row.share, row.where, _sample(row.text))
            for row in rows
        ]
        self._print(rows, columns, cells, opts)

    def _print(
        self,
        rows: Sequence[object],
        columns: Sequence[str],
        cells: Sequence[tuple[object, ...]],
        opts: argparse.Namespace,
    ) -> None:
        if opts.export:
            with written(Path(opts.export)) as file:
                for row in rows:
                    write_json(row, file)
        if opts.json or not opts.export:
            self.answer(opts, columns, cells, *rows)

    def _over(self, args: list[str], opts: argparse.Namespace) -> None:
        """The same over the published tables of several sites."""
        if args:
            raise ConfigurationError(
                f"{args[0]}: with --over no site is named beside the tables; leave it out"
            )
        if opts.write:
            raise ConfigurationError(
                "--write is for one site: scrapy templates SITE --write, for each of them"
            )
        if opts.master or opts.conf:
            check_master(opts.master)
        check_settings(self.project)
        data = data_dir(self.project)
        spill = data if data.is_dir() else Path(tempfile.gettempdir())
        memory = budgets(self.project.getint("DETECTION_MEMORY"))
        sisters = Sisters(published(opts.over), memory, spill)
        if opts.pin or opts.reject or opts.reset is not None:
            self._decide_over(sisters, opts)
            return
        algorithm = self.project["DETECTION"]
        support = self.project.getint("TEMPLATE_MIN_PAGES"), self.project.getfloat("TEMPLATE_MIN_SHARE")
        if opts.master:
            shared = self._on_spark(opts, sisters, (algorithm, *support), spill)
        else:
            shared = sisters.shared(algorithm, *support)
        rows = sisters.listed(shared, algorithm, self.partition_of)
        columns = ("name", "sites", "pages", "share", "stands on", "sample")
        cells = [
            (row.name, len(row.sites), row.pages, row.share, _sites(row.sites), _sample(row.text))
            for row in rows
        ]
        self._print(rows, columns, cells, opts)

    def _on_spark(
        self,
        opts: argparse.Namespace,
        sisters: Sisters,
        found_by: tuple[Algorithm, int, float],
        spill: Path,
    ) -> list[SharedTemplate]:
        """Returns the same as `Sisters.shared`, found by Spark. Raises ConfigurationError and StoreError."""
        more = settings_of(opts)
        with (
            as_errors_of_users(),
            unchanged(sisters.sites),
            tempfile.TemporaryDirectory(prefix=".spark-", dir=spill) as folder,
        ):
            # It is not there unless somebody wants it, and takes longer to import than most answers to give.
            from cluster.running import on_spark
            from cluster.sisters import partitions_of, shared_templates

            work = partial(shared_templates, published=sisters.sites, found_by=found_by, work=Path(folder))
            with self.progress(0, "starting Spark") as progress:
                return on_spark(opts.master, partitions_of(sisters.sites), more, progress.at, work)

    def _decide_over(self, sisters: Sisters, opts: argparse.Namespace) -> None:
        planned = planned_decisions(sisters, Choice(opts.pin, opts.reject, opts.reset))
        counts = Counter(decision.state for decision in planned)
        what = ", ".join(f"{state} {count}" for state, count in sorted(counts.items()))
        sites = len({decision.site for decision in planned})
        columns = ("name", "becomes", "site", "pages")
        cells_of = attrgetter("name", "state", "site", "pages")
        if opts.dry_run:
            self._print(planned, columns, list(map(cells_of, planned)), opts)
            return
        question = f"{sites} sites, templates: {what}. Decide so?"
        if not self.agreed(question, "nothing was decided", yes=opts.yes):
            return
        done: set[str] = set()
        try:
            for site in sisters.sites:
                of_site = [decision for decision in planned if decision.site == site.site]
                if of_site and self._decided_in(site, of_site):
                    done.add(site.site)
        finally:
            # Also if a signal ends it in between.
            if len(done) < sites:
                self.say(f"decided in {len(done)} of {sites} sites: say it again for the others")
            decided = [decision for decision in planned if decision.site in done]
            self._print(decided, columns, list(map(cells_of, decided)), opts)

    def _decided_in(self, site: Published, planned: list[Planned]) -> bool:
        """Decides in a site's store, and says where a crawl takes it later; whether that has worked."""
        try:
            waits = decide_in(site, planned, self.partition_of)
        except (ConfigurationError, StoreError, sqlite3.Error, OSError) as error:
            # The others are decided all the same: said once more, this site follows.
            self.fail(f"site {site.site}: {error}")
            return False
        if waits:
            self._waits(site.site)
        return True

    def _waits(self, site: str) -> None:
        self.say(f"a crawl of site {site!r} runs, and takes this when it has fetched its pages")


def _sites(sites: dict[str, int]) -> str:
    """Lists the sites of a template, those with the most pages first."""
    most = sorted(sites, key=lambda site: (-sites[site], site))
    rest = f", {len(most) - _SITES} more" if len(most) > _SITES else ""
    return ", ".join(f"{site} {sites[site]}" for site in most[:_SITES]) + rest


def _state(row: ListedTemplate) -> str:
    parts = (row.state, row.algorithm if row.algorithm == ETDM else None, row.waits and f"{row.waits} waits")
    return ", ".join(filter(None, parts))


def _sample(text: str | None) -> str | None:
    return None if text is None else printable(text, SAMPLE_CHARS)
