"""Scrapy's ``crawl``, with errors of one line and an exit code for each outcome."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import traceback
from typing import Any, Final

from scrapy.commands import crawl
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.conf import arglist_to_dict

from crawler.commandline.helptext import ARGUMENTS, EXAMPLES, SPIDERS, columns, examples, section
from crawler.commandline.internals import HelpFormatter, check_log, end, end_at_once
from crawler.commands import GC_THRESHOLDS
from crawler.configuration.checks import schema_of
from crawler.configuration.components import check_early
from crawler.configuration.plan import named_in_file, settings_of
from crawler.run.outcome import EXIT_CODES
from crawler.run.redaction import SEEN, hide, seen, taken
from crawler.run.session import session_of
from crawler.spiders.base import PageSpider
from settings.errors import ConfigurationError, UnknownName
from settings.places import as_typed, is_scrapy
from settings.secrets import secret_texts
from store.errors import SiteBusy, StoreError

logger = logging.getLogger(__name__)


_COLLECTED_AFTER: Final = 50_000
"""Objects. With Python's 700 each page sets off several collections, which find next to nothing."""


class Command(crawl.Command):
    """Crawls a site, finds its templates, releases its documents (docs/configuration.md). Exit codes:
    0 complete or limited, 2 wrong usage, 3 empty, 4 interrupted, 5 suspicious, 6 busy, 7 undelivered.
    """

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Crawl a site, find its templates, release its documents"

    def long_desc(self) -> str:
        """Returns the text of --help, with spiders, arguments and examples."""
        parts = [
            " ".join((type(self).__doc__ or "").split()),
            examples("scrapy crawl", EXAMPLES),
            section("Spiders", columns(SPIDERS)),
            section("Arguments (-a NAME=VALUE)", columns(ARGUMENTS)),
        ]
        return "\n\n".join(parts)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Adds ``--accept`` and ``-v`` to Scrapy's own options."""
        parser.formatter_class = HelpFormatter
        super().add_options(parser)
        accept = "take the site as it is, however much of it is gone since the last run (as -a accept=1)"
        parser.add_argument("--accept", action="store_true", help=accept)
        parser.add_argument("-v", "--verbose", action="store_true", help="log all that is done, as -L INFO")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Checks spider, arguments, settings and site file, before anything else is made."""
        try:
            self._process(args, opts)
        except ConfigurationError as error:
            # Before Scrapy logs what it starts: the one line that matters is the only one.
            self._fail("usage", error)
            sys.exit(self.exitcode)

    def _process(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        self.settings.update(taken(os.environ), priority="cmdline")
        for option, given in (("-a", opts.spargs), ("-s", opts.set)):
            for argument in given:
                if "=" not in argument:
                    raise ConfigurationError(f"{option} {argument}: give NAME=VALUE")
        for name, value in arglist_to_dict(opts.set).items():
            try:
                self.settings.set(name, value, priority="cmdline")
            except (TypeError, ValueError) as error:
                why = f'{name}: is no table; write it as JSON, such as {{"NAME": VALUE}}'
                raise ConfigurationError(why) from error
        super().process_options(args, opts)
        if opts.overwrite_output:
            # There is nothing to overwrite, which Scrapy would warn of.
            self.settings.getdict("FEEDS").get("stdout:", {}).pop("overwrite", None)
        for name in seen(opts.set, self.settings):
            print(f"scrapy crawl: {SEEN.format(name)}", file=sys.stderr)
        if opts.accept:
            opts.spargs["accept"] = ",".join(["1", *filter(None, [opts.spargs.get("accept")])])
        if opts.verbose:
            self.settings.set("LOG_LEVEL", opts.loglevel or "INFO", priority="cmdline")
        self._check(args, opts, self.settings)

    def _check(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> None:
        if len(args) != 1:
            raise ConfigurationError(
                "give one spider: scrapy crawl site|archive|similar|template -a NAME=VALUE ..."
            )
        try:
            loader = get_spider_loader(settings)
        except ImportError as error:
            raise ConfigurationError(f"SPIDER_MODULES: {error}; mend the path, or the module") from error
        if args[0] not in loader.list():
            raise UnknownName("spider", args[0], loader.list())
        spidercls = loader.load(args[0])
        if issubclass(spidercls, PageSpider):
            plan = spidercls.plan_of(opts.spargs, settings)
            planned = settings_of(plan, settings)
            check_log(planned)
            with named_in_file(plan.site, planned):
                check_early(planned)
            hide(secret_texts(planned, os.environ, schema_of(planned)))
        else:
            check_early(settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawls, and takes the exit code from the outcome that the store holds."""
        assert self.crawler_process is not None
        crawler = self.crawler_process.create_crawler(args[0])
        errors: list[BaseException] = []
        task: Any = self.crawler_process.crawl(crawler, **opts.spargs)
        task.add_done_callback(lambda done: errors.append(done.exception()) if done.exception() else None)
        # The modules are left out of garbage collection, which is run more rarely.
        gc.freeze()
        gc.set_threshold(_COLLECTED_AFTER, *GC_THRESHOLDS[1:])
        try:
            self.crawler_process.start()
        finally:
            # Libraries look for their own leaks at exit, and report what is still frozen.
            gc.unfreeze()
        if errors:
            self._setup_failed(errors[0])
        else:
            self._take_outcome(crawler)
        if not task.done():
            # After a second Ctrl-C Python would wait for what still runs in threads. The store is safe
            # against that, as it is against a kill.
            end_at_once(self.exitcode)
        if is_scrapy() and not opts.profile:
            end(self.exitcode)

    def _setup_failed(self, error: BaseException) -> None:
        if isinstance(error, SiteBusy):
            self._fail("busy", error)
        elif isinstance(error, ConfigurationError | StoreError):
            self._fail("usage", error)
        else:
            traceback.print_exception(error)
            self.exitcode = 1

    def _take_outcome(self, crawler: Crawler) -> None:
        if isinstance(crawler.spider, PageSpider):
            outcome = session_of(crawler).state.outcome or "interrupted"
            self.exitcode = EXIT_CODES[outcome]
            # Where a crawl runs unseen, the log may be all that is left of it.
            logger.info("Outcome: %s, exit code %d", outcome, self.exitcode)
        elif self.crawler_process is not None and self.crawler_process.bootstrap_failed:
            self.exitcode = 1

    def _fail(self, outcome: str, error: BaseException) -> None:
        for line in str(error).splitlines():
            print(f"scrapy crawl: {as_typed(line)}", file=sys.stderr)
        self.exitcode = EXIT_CODES[outcome]
