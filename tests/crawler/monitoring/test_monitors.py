from __future__ import annotations

import logging
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from tests.runs import ended

if TYPE_CHECKING:
    from spidermon import MonitorSuite

    from store.runs import Run

pytest.importorskip("spidermon", reason="Spidermon is not installed")

from crawler.monitoring.monitors import NightlySuite, Runner

USUAL = {"documents__current": 100, "documents__released": 40, "templates__removed_chars_ratio": 0.4}
NIGHTS = [ended(number, **USUAL) for number in range(8, 0, -1)]


def failed(
    run: Run, history: list[Run] = NIGHTS, suite: type[MonitorSuite] = NightlySuite, **settings: Any
) -> dict[str, str]:
    """What the monitors that fail say, by their names."""
    project = Settings()
    project.setmodule("settings.base", priority="project")
    project.update(settings, priority="cmdline")
    crawler = SimpleNamespace(settings=project)
    job = SimpleNamespace(plan=SimpleNamespace(site="handbook"))
    spider = SimpleNamespace(name="site", job=job, logger=logging.getLogger("site"))
    result = Runner(spider).run(
        suite(crawler=crawler), stats={}, crawler=crawler, spider=spider, ended=run, earlier=history
    )
    assert len(result.monitor_results) >= 6
    assert not [one for one in result.monitor_results if one.status == "ERROR"]
    return {one.item.monitor_name: one.reason for one in result.monitors_failed_results}


def test_a_night_as_usual() -> None:
    assert failed(ended(9, pages__held=100, pages__failed=5, index__tantivy__undelivered=0, **USUAL)) == {}


def test_the_first_night_has_nothing_to_be_compared_with() -> None:
    assert failed(ended(1, pages__held=10, documents__current=1, documents__released=1), []) == {}
    assert failed(ended(1, "limited"), []) == {}


@pytest.mark.parametrize("outcome", ["empty", "suspicious", "interrupted", None])
def test_a_bad_outcome(outcome: str | None) -> None:
    said = failed(ended(9, outcome, **USUAL))
    assert list(said) == ["Outcome"]
    assert said["Outcome"].startswith(outcome or "interrupted")


def test_what_has_not_arrived() -> None:
    run = ended(9, "undelivered", index__tantivy__undelivered=0, index__open__undelivered=7, **USUAL)
    assert failed(run) == {"Delivery": "open: 7 undelivered, 0 refused"}
    assert failed(ended(9, index__tantivy__refused=2)) == {"Delivery": "tantivy: 0 undelivered, 2 refused"}
    assert "they are kept" in failed(ended(9, "undelivered"))["Delivery"]


def test_few_documents() -> None:
    few = ended(9, documents__current=89)
    assert failed(few) == {"Documents": "89 documents, usually 100: less than 90% of them"}
    assert failed(few, MONITOR_DOCUMENTS_MIN_SHARE=0.8) == {}
    bad_nights = [ended(number, "suspicious", documents__current=1000) for number in range(8, 0, -1)]
    assert failed(ended(9, documents__current=90), bad_nights) == {}


def test_failed_pages() -> None:
    some = ended(9, pages__held=80, pages__not_modified=10, pages__failed=10)
    assert failed(some) == {"Pages": "10 of 100 pages failed: more than 5% of them"}
    assert failed(some, MONITOR_FAILED_MAX_SHARE=0.1) == {}


@pytest.mark.parametrize("ratio", [0.1, 0.7])
def test_another_share_of_the_text_is_removed(ratio: float) -> None:
    run = ended(9, documents__released=20, templates__removed_chars_ratio=ratio)
    assert failed(run) == {"Templates": f"{ratio:.0%} of the text was removed, usually 40%"}
    assert failed(run, NIGHTS[:4]) == {}
    assert failed(run, NIGHTS[:4], MONITOR_MIN_RUNS=4) != {}
    few = ended(9, documents__released=19, templates__removed_chars_ratio=ratio)
    assert failed(few) == {}
    small_nights = [ended(4, **{**USUAL, "documents__released": 1})] * 9
    assert failed(run, small_nights) == {}


def test_a_redesign() -> None:
    run = ended(9, templates__redesigned_pages=60)
    assert failed(run) == {"Templates": "60 pages have lost most of their templates: a redesign"}


def test_the_monitor_of_ones_own_in_the_docs() -> None:
    text = Path(__file__).parents[3].joinpath("docs", "monitoring.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(from crawler\.monitoring.*?)^```$", text, re.DOTALL | re.MULTILINE)
    made: dict[str, Any] = {}
    exec(example, made)
    assert failed(ended(9), suite=made["OurSuite"]) == {}
    long = replace(ended(9), finished_at="2026-11-09T09:00:00+00:00")
    assert list(failed(long, suite=made["OurSuite"])) == ["DurationMonitor"]
