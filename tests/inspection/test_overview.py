"""A site in one row."""

from __future__ import annotations

from inspection.overview import Summaries
from store.site import Store
from tests import jsonsink
from tests.crawls import crawl
from tests.served import page, served


def test_an_index_that_the_site_has_left_counts_no_more(tmp_path):
    summaries = Summaries(lambda name: Store.open(tmp_path / name), dict)

    def undelivered() -> int:
        (row,) = summaries.all(["s"])
        return row.undelivered

    with served({"/": page("home", "/a"), "/a": page("a", "/")}) as site:
        jsonsink.order(tmp_path / "_index" / "s", poisoned=[f"{site.base}/a"])
        crawl(tmp_path, url=f"{site.base}/", site="s", settings=jsonsink.SETTINGS)
        assert undelivered() == 1
        crawl(tmp_path, url=f"{site.base}/", site="s")
        assert undelivered() == 0
