"""What settings may name beside the components of ours."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from crawler.configuration import components
from settings.errors import ConfigurationError

JSON_LINES = {"a.jsonl": {"format": "jsonlines"}}


@pytest.fixture(autouse=True)
def reactor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "is_reactor_installed", lambda: True)


@pytest.mark.parametrize(
    "given",
    [
        {"REFERRER_POLICY": "same-origin"},
        {"SCHEDULER_MEMORY_QUEUE": "no.Queue"},
        {"DOWNLOAD_HANDLERS": {"s3": "no.Handler", "https": None}},
        {"FEED_EXPORTERS": {"x": "no.Exporter"}, "FEED_STORAGES": {"x": "no.Storage"}},
        {"FEEDS": JSON_LINES, "FEED_STORAGES": {"file": None}},
        {"HTTPCACHE_ENABLED": False, "HTTPCACHE_POLICY": "no.Policy"},
        {"ROBOTSTXT_OBEY": False, "ROBOTSTXT_PARSER": "no.Parser"},
        {"ITEM_PIPELINES": {MemoryStatsCollector: 1, "no.Pipeline": None}},
        {"STATS_CLASS": MemoryStatsCollector},
        {"JOBDIR": ""},
    ],
    ids=str,
)
def test_what_a_crawl_does_not_load_need_not_be_there(given: dict[str, Any]):
    components.check(Settings(given))


@pytest.mark.parametrize(
    "given",
    [
        {"STATS_CLASS": None},
        {"SPIDER_MIDDLEWARES": {"no.Middleware": 1}},
        {"DOWNLOAD_HANDLERS": {"http": "no.Handler"}},
        {"FEEDS": JSON_LINES, "FEED_STORAGES": {"x": "no.Storage"}},
        {"FEEDS": {"a": {"format": "csv", "item_filter": "no.Filter"}}},
        {"FEEDS": {"a": {"format": "csv", "postprocessing": ["no.Plugin"]}}},
        {"HTTPCACHE_STORAGE": "no.Storage"},
        {"ROBOTSTXT_PARSER": "crawler.no"},
    ],
    ids=str,
)
def test_what_it_loads_is_named_where_it_cannot_be_imported(given: dict[str, Any]):
    with pytest.raises(ConfigurationError, match=f"^{list(given)[-1]}: .* cannot be imported"):
        components.check(Settings(given))


def test_a_feed_has_a_format_and_the_folder_of_a_job_is_one():
    for given, mend in (({"FEEDS": {"a": 3}}, "a: 3 is no table"), ({"JOBDIR": __file__}, "give a folder")):
        with pytest.raises(ConfigurationError, match=mend):
            components.check(Settings(given))


@pytest.mark.parametrize(
    ("options", "given", "mend"),
    [
        ({"fields": "url,text"}, {}, "must be a list"),
        ({"fields": 5}, {}, "must be a list"),
        ({"encoding": "nonsense"}, {}, "cannot encode text"),
        ({"encoding": "zip"}, {}, "cannot encode text"),
        ({"encoding": 8}, {}, "cannot encode text"),
        ({}, {"FEED_EXPORT_ENCODING": "nonsense"}, "cannot encode text"),
    ],
    ids=str,
)
def test_fields_of_a_feed_are_a_list_and_its_encoding_is_one_of_texts(options, given, mend):
    feed = {"format": "jsonlines", "encoding": "latin-1", "fields": {"url": "URL"}}
    components.check(Settings({"FEEDS": {"a": feed}}))
    with pytest.raises(ConfigurationError, match=f"^FEEDS: a: .*{mend}"):
        components.check(Settings({"FEEDS": {"a": {"format": "jsonlines", **options}}, **given}))


@pytest.mark.parametrize("name", ["ITEM_PIPELINES", "SPIDER_MIDDLEWARES"])
def test_the_order_of_a_component_is_a_number(name: str):
    components.check(Settings({name: {MemoryStatsCollector: 1.5}}))
    with pytest.raises(ConfigurationError, match=f"^{name}: .*MemoryStatsCollector: '1' is no number"):
        components.check(Settings({name: {MemoryStatsCollector: "1"}}))


def test_a_component_may_say_that_it_cannot_work_here(tmp_path, monkeypatch):
    (tmp_path / "not_here.py").write_text(
        "from scrapy.exceptions import NotConfigured\nraise NotConfigured\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    components.check(Settings({"FEEDS": JSON_LINES, "FEED_STORAGES": {"x": "not_here.Storage"}}))


def test_nothing_is_imported_before_the_reactor_is_chosen(tmp_path, monkeypatch):
    (tmp_path / "too_early.py").write_text("Pipeline = object\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(components, "is_reactor_installed", lambda: False)
    given = Settings({"ITEM_PIPELINES": {"too_early.Pipeline": 1}})
    components.check(given)
    assert "too_early" not in sys.modules
    given.set("TWISTED_REACTOR_ENABLED", False)
    components.check(given)
    assert sys.modules.pop("too_early")
