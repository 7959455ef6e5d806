"""Writes the figures of each run for Prometheus."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured

from crawler.run.session import session_of
from crawler.run.signals import run_finished
from settings.places import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.crawler import Crawler

    from crawler.configuration.plan import Plan
    from store.runs import Run

logger = logging.getLogger(__name__)


class Metrics:
    """Writes ``METRICS_DIR/pagelets_SITE.prom`` at the end of each run, but for samples.

    Where it cannot be written the log says so, and the run ends as it has ended.

    Setting: ``METRICS_DIR`` (default none): the folder that the node exporter reads, relative to the project.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switches itself off without a folder."""
        folder = str(crawler.settings.get("METRICS_DIR") or "")
        if not folder:
            raise NotConfigured
        metrics = cls(session_of(crawler).plan, PROJECT / folder)
        crawler.signals.connect(metrics.run_finished, signal=run_finished)
        return metrics

    def run_finished(self, run: Run, history: Sequence[Run]) -> None:
        """Writes the file."""
        # The library takes longer to import than a small crawl to start.
        from crawler.monitoring.metrics import metrics, write

        plan = self._plan
        if plan.sample:
            return
        path = self._folder / f"pagelets_{plan.site}.prom"
        try:
            write(path, metrics(plan.site, run, history))
        except OSError as error:
            logger.warning(
                "%s: %s; the metrics of this run were not written: see METRICS_DIR", path, error.strerror
            )
