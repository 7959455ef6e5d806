"""Runs Spidermon's monitors when a run has ended."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from crawler.exceptions import ConfigurationError
from crawler.signals import run_finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

    from crawler.pagespider import PageSpider
    from store.runs import Run

logger = logging.getLogger(__name__)

_MEND: Final = "the package {} is missing: pip install -r requirements-monitoring.txt"


class Monitoring:
    """Runs suites of monitors, and the actions of those that fail, once the outcome of a run is known; not
    for samples. Spidermon's own extension runs its suites before: its monitors know no outcome.

    Settings: ``SPIDERMON_ENABLED`` (default false), ``MONITOR_SUITES``
    (`crawler.monitoring.monitors.NightlySuite`) and ``MONITOR_FAILED_ACTIONS`` (actions of Spidermon's to run
    where a monitor has failed, beside those of the suites), lists of import paths. Where one cannot be
    had the log says so, and no monitor runs.
    """

    def __init__(self, crawler: Crawler, suites: Sequence[Any]) -> None:
        self._crawler = crawler
        self._suites = suites
        crawler.signals.connect(self.run_finished, signal=run_finished)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Makes the suites."""
        settings = crawler.settings
        if not settings.getbool("SPIDERMON_ENABLED"):
            raise NotConfigured
        try:
            return cls(crawler, _suites(crawler))
        except ConfigurationError as error:
            # That nobody watches a crawl is no reason not to crawl.
            logger.error("%s; no monitor runs", error)  # noqa: TRY400
            raise NotConfigured from error

    async def run_finished(self, spider: PageSpider, run: Run, history: Sequence[Run]) -> None:
        """Runs the monitors. In a thread: actions, such as mails, take their time."""
        if not spider.job.plan.sample:
            await asyncio.to_thread(self._run, spider, run, list(history))

    def _run(self, spider: PageSpider, run: Run, history: list[Run]) -> None:
        from crawler.monitoring.monitors import Runner

        for suite in self._suites:
            Runner(spider).run(
                suite,
                stats=dict(self._crawler.stats.get_stats()),
                stats_history=[one.counts for one in history],
                crawler=self._crawler,
                spider=spider,
                # What notifiers call the spider.
                sc_spider_name=spider.job.plan.site,
                job=None,
                ended=run,
                earlier=history,
            )


def _suites(crawler: Crawler) -> list[Any]:
    """Raises ConfigurationError where a suite or an action cannot be had."""
    if importlib.util.find_spec("spidermon") is None:
        raise ConfigurationError(f"SPIDERMON_ENABLED: {_MEND.format('spidermon')}")
    settings = crawler.settings
    actions = [_loaded("MONITOR_FAILED_ACTIONS", path) for path in settings.getlist("MONITOR_FAILED_ACTIONS")]
    suites = [_loaded("MONITOR_SUITES", path) for path in settings.getlist("MONITOR_SUITES")]
    return [_made(suite, actions, crawler) for suite in suites]


def _loaded(setting: str, path: Any) -> Any:
    try:
        return load_object(path)
    except ModuleNotFoundError as error:
        if str(path).startswith(("spidermon.", "crawler.")):
            raise ConfigurationError(f"{setting}: {_MEND.format(error.name)}") from error
        raise ConfigurationError(f"{setting}: {path}: {error}; give the path of a class") from error
    except (ImportError, NameError, ValueError, TypeError) as error:
        raise ConfigurationError(f"{setting}: {path}: {error}; give the path of a class") from error


def _made(suite: Any, actions: list[Any], crawler: Crawler) -> Any:
    from spidermon import MonitorSuite
    from spidermon.core.actions import Action
    from spidermon.exceptions import NotConfigured as Unconfigured

    for setting, one, wanted in (
        ("MONITOR_SUITES", suite, MonitorSuite),
        *(("MONITOR_FAILED_ACTIONS", action, Action) for action in actions),
    ):
        if not (isinstance(one, type) and issubclass(one, wanted)):
            raise ConfigurationError(f"{setting}: {one!r} is no {wanted.__name__} of Spidermon's; give one")
    try:
        return suite(crawler=crawler, monitors_failed_actions=actions)
    except Unconfigured as error:
        raise ConfigurationError(f"MONITOR_FAILED_ACTIONS: {' '.join(str(error).split())}") from error
