"""Spidermon's monitors of a run: what a night may show that its outcome does not.

They get what Spidermon gives every monitor, and ``data.ended``, the `store.runs.Run` that has ended, and
``data.earlier``, the runs of the site before it, the latest first.
"""

from __future__ import annotations

import logging
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

from spidermon import Monitor, MonitorSuite, monitors
from spidermon.contrib.scrapy.runners import SpiderMonitorResult, SpiderMonitorRunner

from crawler.monitoring.notices import good, message, sink_counts

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.settings import BaseSettings

    from store.runs import Run


class RunMonitor(Monitor):  # type: ignore[misc]
    """A monitor of a run; a check that has nothing to go by is skipped."""

    longMessage = False
    data: Any

    @property
    def ended(self) -> Run:
        """The run."""
        run: Run = self.data.ended
        return run

    @property
    def earlier(self) -> list[Run]:
        """The runs before it that ended as they should, the latest first."""
        return good(self.data.earlier)

    @property
    def settings(self) -> BaseSettings:
        """The settings of the crawl."""
        settings: BaseSettings = self.data.crawler.settings
        return settings

    def count(self, stat: str) -> float:
        """A number of the run, 0 where it has not counted it."""
        number: float = self.ended.counts.get(stat, 0)
        return number


@monitors.name("Outcome")
class OutcomeMonitor(RunMonitor):
    """The run did what a run is for."""

    def test_outcome(self) -> None:
        """Fails on empty, interrupted and suspicious."""
        outcome = self.ended.outcome or "interrupted"
        if outcome in ("empty", "interrupted", "suspicious"):
            self.fail(f"{outcome}: {message(self.data.spider.job.plan.site, outcome)}")


@monitors.name("Delivery")
class DeliveryMonitor(RunMonitor):
    """All documents have arrived."""

    def test_delivery(self) -> None:
        """Fails where the run is undelivered, or a search index lacks or has refused a document."""
        lacking = [
            f"{sink}: {found.get('undelivered', 0)} undelivered, {found.get('refused', 0)} refused"
            for sink, found in sorted(sink_counts(self.ended.counts).items())
            if found.get("undelivered") or found.get("refused")
        ]
        if lacking or self.ended.outcome == "undelivered":
            self.fail("; ".join(lacking) or message(self.data.spider.job.plan.site, "undelivered"))


@monitors.name("Documents")
class DocumentsMonitor(RunMonitor):
    """The site has about as many documents as it had."""

    def test_documents(self) -> None:
        """Fails below ``MONITOR_DOCUMENTS_MIN_SHARE`` of the median of the runs before."""
        usual = [run.counts["documents/current"] for run in self.earlier if "documents/current" in run.counts]
        if not usual or "documents/current" not in self.ended.counts:
            self.skipTest("no run to compare with")
        share = self.settings.getfloat("MONITOR_DOCUMENTS_MIN_SHARE")
        current, middle = self.count("documents/current"), median(usual)
        self.assertGreaterEqual(
            current,
            share * middle,
            f"{current:g} documents, usually {middle:g}: less than {share:.0%} of them",
        )


@monitors.name("Pages")
class FailedPagesMonitor(RunMonitor):
    """Pages could be fetched."""

    def test_failed_pages(self) -> None:
        """Fails above ``MONITOR_FAILED_MAX_SHARE`` of the pages that were asked for."""
        failed = self.count("pages/failed")
        pages = failed + self.count("pages/held") + self.count("pages/not_modified")
        if not pages:
            self.skipTest("no page was asked for")
        most = self.settings.getfloat("MONITOR_FAILED_MAX_SHARE")
        self.assertLessEqual(
            failed / pages, most, f"{failed:g} of {pages:g} pages failed: more than {most:.0%} of them"
        )


@monitors.name("Templates")
class TemplatesMonitor(RunMonitor):
    """The site repeats what it did."""

    def test_removed_ratio(self) -> None:
        """Fails more than ``MONITOR_REMOVED_MAX_CHANGE`` from the median of the runs before.

        Runs that released few documents say nothing of the site.
        """
        usual = [run.counts[self._RATIO] for run in self.earlier if self._tells(run)]
        if not self._tells(self.ended) or len(usual) < self.settings.getint("MONITOR_MIN_RUNS"):
            self.skipTest("too few documents, or runs to compare with")
        most = self.settings.getfloat("MONITOR_REMOVED_MAX_CHANGE")
        ratio, middle = self.count(self._RATIO), median(usual)
        self.assertLessEqual(
            abs(ratio - middle), most, f"{ratio:.0%} of the text was removed, usually {middle:.0%}"
        )

    def test_redesign(self) -> None:
        """Fails where most pages have lost most of their templates at once."""
        pages = self.count("templates/redesigned_pages")
        self.assertFalse(pages, f"{pages:g} pages have lost most of their templates: a redesign")

    def _tells(self, run: Run) -> bool:
        least = self.settings.getint("MONITOR_REMOVED_MIN_DOCUMENTS")
        return self._RATIO in run.counts and run.counts.get("documents/released", 0) >= least

    _RATIO: ClassVar = "templates/removed_chars_ratio"


@monitors.name("Nightly")
class NightlySuite(MonitorSuite):  # type: ignore[misc]
    """All monitors of a run."""

    monitors: ClassVar[list[type[RunMonitor]]] = [
        OutcomeMonitor,
        DeliveryMonitor,
        DocumentsMonitor,
        FailedPagesMonitor,
        TemplatesMonitor,
    ]


class Runner(SpiderMonitorRunner):  # type: ignore[misc]
    """Runs the monitors of a suite, then its actions; what they come to is in the spider's log."""

    spider: Spider

    def create_result(self) -> SpiderMonitorResult:
        """Where the monitors tell what they have found."""
        return _Result(self.spider)


class _Result(SpiderMonitorResult):  # type: ignore[misc]
    """Spidermon's own logs by a method of spiders that Scrapy has deprecated."""

    def log(self, msg: object, level: int = logging.DEBUG) -> None:
        self.spider.logger.log(level, "[Spidermon] %s", msg)

    def write_errors(self) -> None:
        """A monitor that fails is no mistake of the code: what it says is enough, without a traceback."""
        for status in self.step.error_statuses:
            for found in self.step.items_for_status(status):
                self.log_error(f"{found.item.name}: {getattr(found, 'reason', None) or found.error}")
