from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from crawler.monitoring.metrics_file import metrics, write
from tests.crawls import crawl
from tests.runs import ended
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from pathlib import Path

    from prometheus_client import CollectorRegistry

Samples = dict[tuple[str, ...], float]


def samples(text: str) -> Samples:
    """The values of a text by name and labels, without the label of the site."""
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.type == "gauge"
        assert family.documentation
        for sample in family.samples:
            labels = [value for label, value in sorted(sample.labels.items()) if label != "site"]
            found[sample.name.removeprefix("pagelets_"), *labels] = sample.value
    return found


def read(registry: CollectorRegistry) -> Samples:
    return samples(generate_latest(registry).decode())


def test_a_run_in_figures() -> None:
    run = ended(
        9,
        "undelivered",
        pages__held=12,
        pages__not_modified=30,
        documents__current=40,
        documents__released=9,
        templates__removed_chars_ratio=0.41,
        index__tantivy__indexed=9,
        index__tantivy__undelivered=0,
        index__open__search__undelivered=9,
        index__open__search__refused=2,
    )
    found = read(metrics("handbook", run, [ended(8, "limited"), ended(7), ended(6)]))
    assert found["run_outcome", "undelivered"] == 1
    assert sum(value for name, value in found.items() if name[0] == "run_outcome") == 1
    assert found["run_duration_seconds",] == 40
    assert found["run_timestamp_seconds",] - found["last_success_timestamp_seconds",] == 86400
    assert found["run_timestamp_seconds",] - found["last_complete_timestamp_seconds",] == 2 * 86400
    assert {name[1]: value for name, value in found.items() if name[0] == "pages"} == {
        "fetched": 12,
        "unchanged": 30,
        "failed": 0,
    }
    assert found["documents", "current"] == 40
    assert found["documents", "deleted"] == 0
    assert found["removed_ratio",] == 0.41
    assert found["index_undelivered", "tantivy"] == 0
    assert found["index_undelivered", "open/search"] == 9
    assert found["index_refused", "open/search"] == 2


def test_what_a_run_has_not_found_out_is_no_figure() -> None:
    found = read(metrics("handbook", ended(1, None), []))
    assert found["run_outcome", "interrupted"] == 1
    assert found["last_complete_timestamp_seconds",] == 0
    assert ("removed_ratio",) not in found
    assert ("documents", "current") not in found
    assert not [name for name in found if name[0].startswith("index_")]


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_name_of_a_site_is_read_back(site: str) -> None:
    families = text_string_to_metric_families(generate_latest(metrics(site, ended(), [])).decode())
    # The parser ends lines at \n alone, and takes a carriage return for white space.
    assert {sample.labels["site"] for family in families for sample in family.samples} == {site}


def test_a_file_is_there_as_a_whole_for_all_to_read(tmp_path: Path) -> None:
    path = tmp_path / "pagelets_handbook.prom"
    path.write_text("the one before")
    path.chmod(0o600)
    write(path, metrics("handbook", ended(), []))
    assert path.stat().st_mode & 0o777 == 0o644
    assert samples(path.read_text())["run_outcome", "complete"] == 1
    assert [*tmp_path.iterdir()] == [path]


def test_the_age_of_the_last_complete_run_outlives_a_bad_night(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    own = {"METRICS_DIR": str(folder)}
    with served({"/": page("a", "/b"), "/b": page("b")}) as site:
        name = site.base.removeprefix("http://")
        assert crawl(tmp_path, settings=own, url=f"{site.base}/").outcome == "complete"
        (file,) = folder.iterdir()
        assert file.name == f"pagelets_{name}.prom"
        first = samples(file.read_text())
        assert first["pages", "fetched"] == 2
        assert first["documents", "current"] == first["documents", "released"] == 2
        assert abs(time.time() - first["last_complete_timestamp_seconds",]) < 60
        site.pages = {path: Answer("down", 503) for path in site.pages}
        assert crawl(tmp_path, settings=own, url=f"{site.base}/").outcome == "empty"
        second = samples(file.read_text())
        # A new store, which does not take the place of the other.
        crawl(tmp_path, settings=own, url=f"{site.base}/", fresh=1)
    assert second["run_outcome", "empty"] == 1
    assert second["documents", "current"] == 2
    for later in (second, samples(file.read_text())):
        assert later["last_complete_timestamp_seconds",] == first["last_complete_timestamp_seconds",]


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_folder_that_cannot_be_written_changes_no_outcome(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    with served({"/": page("a")}) as site:
        done = crawl(tmp_path / "data", settings={"METRICS_DIR": str(tmp_path / name)}, url=f"{site.base}/")
    assert done.outcome == "complete"
    (record,) = (record for record in caplog.records if "METRICS_DIR" in record.message)
    assert record.levelname == "WARNING"
    assert str(tmp_path / name) in record.message


def test_a_sample_says_nothing_of_the_site(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    with served({"/": page("a")}) as site:
        crawl(tmp_path / "data", settings={"METRICS_DIR": str(folder)}, url=f"{site.base}/", sample=1)
    assert [*folder.iterdir()] == []
