"""The alert rules of the docs speak of metrics that there are, and fire when they should."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from crawler.monitoring.metrics_file import metrics
from tests.runs import ended

DOCS = Path(__file__).parent.parent / "docs"
RULES = DOCS / "pagelets-alerts.yml"
ALERTS = re.findall(r"- alert: (\w+)", RULES.read_text(encoding="utf-8"))
METRICS = {
    family.name
    for family in text_string_to_metric_families(
        generate_latest(
            metrics(
                "a", ended(9, templates__removed_chars_ratio=0.1, templates__count=1, index__b__down=0), []
            )
        ).decode()
    )
}
NIGHTS = """
rule_files: [{rules}]
evaluation_interval: 1h
tests:
  - interval: 1h
    input_series:
      - {{ series: 'pagelets_run_timestamp_seconds{{site="a"}}', values: '0x80' }}
      - {{ series: 'pagelets_run_outcome{{site="a", outcome="empty"}}', values: '0x9 1x70' }}
      - {{ series: 'pagelets_run_outcome{{site="a", outcome="complete"}}', values: '1x9 0x70' }}
      - {{ series: 'pagelets_index_undelivered{{site="a", sink="tantivy"}}', values: '0x9 4x70' }}
      - {{ series: 'pagelets_documents{{site="a", state="current"}}', values: '100x50 80x30' }}
      - {{ series: 'pagelets_documents{{site="a", state="released"}}', values: '40x80' }}
      - {{ series: 'pagelets_removed_ratio{{site="a"}}', values: '0.4x50 0.9x30' }}
      - {{ series: 'pagelets_pages{{site="a", state="fetched"}}', values: '90x80' }}
      - {{ series: 'pagelets_pages{{site="a", state="unchanged"}}', values: '0x80' }}
      - {{ series: 'pagelets_pages{{site="a", state="failed"}}', values: '1x50 20x30' }}
    promql_expr_test: []
    alert_rule_test:
{cases}
"""
FIRE = {
    # Alert: the labels that it fires with, at the 60th hour; none before the 5th.
    "PageletsCrawlOverdue": "",
    "PageletsRunFailed": "outcome: empty",
    "PageletsIndexBehind": "sink: tantivy",
    "PageletsFewDocuments": "state: current",
    "PageletsFailedPages": "",
    "PageletsRemovedRatio": "",
}


def promtool(*arguments: str) -> str:
    """Runs Prometheus' own check; its output where it finds nothing wrong."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool, which comes with Prometheus, is not installed")
    done = subprocess.run([program, *arguments], text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rules_speak_of_metrics_that_there_are() -> None:
    named = set(re.findall(r"\bpagelets_\w+", RULES.read_text(encoding="utf-8")))
    assert named
    assert named <= METRICS


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_is_documented(name: str) -> None:
    assert f"`{name}`" in (DOCS / "monitoring.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ALERTS)
def test_every_alert_is_in_the_runbook(name: str) -> None:
    assert f"`{name}`" in (DOCS / "runbook.md").read_text(encoding="utf-8")


def test_prometheus_takes_the_rules() -> None:
    assert f"{len(ALERTS)} rules found" in promtool("check", "rules", str(RULES))


def test_the_alerts_fire_on_bad_nights_and_not_before(tmp_path: Path) -> None:
    cases = "\n".join(
        f"      - {{ alertname: {name}, eval_time: {hour}h, exp_alerts: [{expected}] }}"
        for name, labels in FIRE.items()
        for hour, expected in ((5, ""), (60, f"{{ exp_labels: {{ site: a, {labels} }} }}"))
    )
    found = promtool("test", "rules", str(_written(tmp_path, cases)))
    assert "SUCCESS" in found


def _written(folder: Path, cases: str) -> Path:
    """The test file, with rules that have no texts: what they say is not what is tested."""
    rules = re.sub(r"\n +annotations:\n +summary: .*|\n +labels: .*", "", RULES.read_text(encoding="utf-8"))
    (folder / "rules.yml").write_text(rules, encoding="utf-8")
    path = folder / "test.yml"
    path.write_text(NIGHTS.format(rules=folder / "rules.yml", cases=cases), encoding="utf-8")
    return path
