from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawler.run.session import session_of
from crawler.run.state import RecordedStats
from tests.crawls import crawl
from tests.served import page, served

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler


def test_what_is_registered_by_name_or_by_prefix_is_recorded() -> None:
    recorded = RecordedStats()
    stats = {"b/two": 2, "b/one": 1, "a": 3, "ab": 4, "c/one": 5}
    assert recorded.of(stats) == {}
    recorded.register("a", "b/")
    assert list(recorded.of(stats).items()) == [("a", 3), ("b/one", 1), ("b/two", 2)]


class Counting:
    """A user's extension with stats of its own, one of which is for the run file."""

    def __init__(self, crawler: Crawler) -> None:
        session_of(crawler).recorded.register("mine/")
        crawler.stats.inc_value("mine/count")
        crawler.stats.inc_value("theirs/count")

    from_crawler = classmethod(lambda cls, crawler: cls(crawler))


def test_stats_of_a_focused_crawl_and_of_a_users_component_reach_the_run_file(tmp_path: Path) -> None:
    own = {"EXTENSIONS": {"tests.crawler.run.test_recorded.Counting": 1}}
    pages = {"/": page("falcons", "/1", "/2"), "/1": page("falcons fly"), "/2": page("moths")}
    with served(pages) as site:
        found = crawl(
            tmp_path, url=f"{site.base}/", site="s", query="falcons", template_links="last", settings=own
        )
    counts = json.loads((tmp_path / "s" / "runs" / "1.json").read_text())["counts"]
    names = {"template_links/looks", "template_links/last", "topic/relevant_pages", "robotstxt/request_count"}
    assert {name: counts.get(name) for name in names} == {name: found.stats[name] for name in names}
    assert counts["run/outcome"] == "complete"
    assert counts["mine/count"] == 1
    assert "theirs/count" not in counts
