"""A release needs no crawler: what a crawl has left in its store becomes the same documents."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace

import numpy as np
import pytest

from pagelets.judging.config import JudgeConfig
from release import workers
from release.documents import Release, ReleaseParameters
from store.documents import KEYS
from store.errors import StoreUnusable
from store.meta import JUDGED_WITH
from store.site import Store
from tests.crawls import crawl, without_time
from tests.served import page, served
from tests.store.sites import Pagelet, record

NAMES = [f"/{number}" for number in range(8)]
FIELDS = ("url", "title", "text", "duplicate_of", "fetched_at")
PAGES = {name: page(f"what is told on {name} alone") for name in NAMES}
SIMILAR = " ".join(f"word{chr(97 + number % 26)}{number // 26}" for number in range(200))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    site = {
        "/": page("home", *NAMES, "/x", "/y"),
        **PAGES,
        "/x": page("x", text=SIMILAR),
        "/y": page("x", text=f"{SIMILAR} more"),
    }
    with served(site) as server:
        return crawl(
            tmp_path_factory.mktemp("data"),
            url=f"{server.base}/",
            site="s",
            fields=",".join(FIELDS),
            settings={"DUPLICATES": {"similarity": 0.9}},
        )


@pytest.fixture
def store(crawled, tmp_path):
    """The store of the crawl, as if nothing had been made of its pages."""
    shutil.copytree(crawled.folder, tmp_path / "s")
    with Store.open(tmp_path / "s") as store:
        with store.transaction():
            for table in ("documents", "signatures", "signature_bands"):
                store.connection.execute(f"DELETE FROM {table}")
        yield store


def parameters(processes=1):
    return ReleaseParameters(JudgeConfig(method="templates", site="s", fields=FIELDS), processes=processes)


def release(store, **given):
    """The documents of a release, in its order; each is made when the one before was taken."""
    one = Release(store, store.runs.last(), 0, parameters(**given))
    if not one.is_due():
        return
    one.evidence()

    async def compared(step, function):
        return function()

    async def items():
        async for stage in one.stages(one.pages_to_judge()[0], compared, lambda _: False):
            async for item in stage:
                yield item

    found = items()
    with asyncio.Runner() as runner:
        while (item := runner.run(anext(found, None))) is not None:
            made = one.document(*item)
            if made is not None and made[2] is not None:
                yield made[2]


def released(store, **given):
    return list(release(store, **given))


@pytest.mark.parametrize("processes", [1, 2])
def test_a_store_becomes_the_documents_of_its_crawl(crawled, store, processes, monkeypatch):
    monkeypatch.setattr(workers, "PAGES_A_PROCESS", 1)
    expected = without_time(crawled.documents)
    assert any(document["duplicate_of"] for document in expected)
    found = released(store, processes=processes)
    assert without_time(found) == expected
    # They were taken, and nothing has changed since.
    with store.transaction():
        store.documents.deliver(store.runs.last().run)
    assert released(store, processes=processes) == []


def test_limits_that_earlier_programs_named_make_nothing_due(store):
    assert released(store)
    with store.transaction():
        store.documents.deliver(store.runs.last().run)
        told = store.meta(JUDGED_WITH)
        store.set_meta(JUDGED_WITH, told.replace("judgement=", "memory='256MB', threads=2, judgement="))
    one = Release(store, store.runs.last(), 0, parameters())
    assert not one.is_due()
    store.set_meta(JUDGED_WITH, told.replace("min_pages=3", "min_pages=4"))
    assert one.is_due()


def test_verdicts_of_other_rules_count_for_no_run_that_goes_on(store):
    list(release(store))
    page = next(store.documents.current())

    def verdicts():
        return store.documents.verdicts(page, np.zeros(1, KEYS), 1).tolist()

    def judges_by(method):
        config = replace(parameters().config, method=method)
        one = Release(store, store.runs.last(), 1, ReleaseParameters(config))
        one.evidence()
        one.pages_to_judge()

    judges_by("templates")
    assert verdicts() == [-1]
    # The second goes on where the first was killed, and would remember.
    for _ in range(2):
        judges_by("all-text")
        assert verdicts() == []


def test_what_a_round_may_put_back_is_there_until_then(store):
    list(release(store))
    page = store.frontier.find(next(url for url in store.bodies.urls() if url.endswith("/x")))
    held = store.pages.sketches(page)
    with store.transaction():
        store.documents.deliver(store.runs.last().run)
    record(store, store.frontier.url(page), [Pagelet("another text")], run=2)
    list(release(store))
    with store.transaction():
        store.previous.restore(1)
    assert store.pages.sketches(page) == held


def test_a_page_that_cannot_be_judged_costs_no_other_its_document(store, caplog):
    one = next(store.documents.current())
    store.connection.execute("UPDATE bodies SET body = x'00' WHERE page = ?", (one,))
    store.flat_pages.clear()
    found = released(store)
    assert len(found) == store.documents.count() - 1
    assert f"{store.frontier.url(one)}: judging failed, on this page alone" in caplog.text
    assert (
        store.connection.execute("SELECT flags FROM pages WHERE page = ?", (one,))
        .fetchone()[0]
        .startswith("fault:judging:")
    )


def test_a_store_that_takes_no_more_ends_the_release(store, monkeypatch):
    documents = release(store)
    next(documents)
    store.connection.execute("PRAGMA query_only = 1")
    with pytest.raises(StoreUnusable):
        next(documents)
    store.connection.execute("PRAGMA query_only = 0")
