from __future__ import annotations

import pytest

from inspection.runs import compare_runs, list_runs
from settings.errors import ConfigurationError
from store.changes import KEPT
from store.site import Store
from tests.crawls import crawl
from tests.served import page, served


def test_the_documents_between_two_runs_are_those_that_feeds_had(tmp_path):
    pages = {"/": page("home", "/a", "/b"), "/a": page("a", "/"), "/b": page("b", "/")}
    with served(pages) as site:
        first = crawl(tmp_path, url=f"{site.base}/", max_pages=9)
        site.pages |= {"/": page("home", "/a", "/b", "/c"), "/a": page("a", "/", text="Another text of a.")}
        site.pages["/c"] = page("c", "/")
        crawl(tmp_path, url=f"{site.base}/")
        del site.pages["/b"], site.pages["/c"]
        site.pages["/"] = page("home", "/a")
        third = crawl(tmp_path, url=f"{site.base}/", accept=1)

        def paths(urls):
            return {url.removeprefix(site.base) for url in urls}

        assert third.deleted.keys() == {f"{site.base}/b", f"{site.base}/c"}
        with Store.open(first.folder) as store:
            one, two = compare_runs(store, 1, 2), compare_runs(store, 3, 2)
            assert (paths(one.came), paths(one.went)) == ({"/c"}, set())
            assert "/a" in paths(one.changed)
            assert one.parameters["max_pages"] == (9, 0)
            assert (two.first, paths(two.came), paths(two.went)) == (2, set(), {"/b", "/c"})
            # What came and went in between is of neither.
            assert paths(compare_runs(store, 1, 3).went) == {"/b"}
            assert paths(compare_runs(store, 1, 3).came) == set()
            assert [run.run for run in list_runs(store, 2)] == [3, 2]
            assert two.counts == list_runs(store)[0].changes


def test_a_store_without_a_crawl_has_no_runs(tmp_path):
    with Store.open(tmp_path / "site", create=True) as store:
        assert list_runs(store) == list_runs(store, 3) == []


def test_a_run_that_is_unknown_or_too_old_is_refused(tmp_path):
    with Store.open(tmp_path / "s", create=True) as store:
        with pytest.raises(ConfigurationError, match=r"unknown run 7 .* there are none"):
            compare_runs(store, 7, 8)
        for _ in range(KEPT + 2):
            store.runs.finish(store.runs.begin({}, {}), "complete", {})
        with pytest.raises(ConfigurationError, match="run 1 is too old"):
            compare_runs(store, 1, 90)
        assert compare_runs(store, 2, 90).came == []
