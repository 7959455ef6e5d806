"""Whatever happened to a site and to its crawls: in the end the store holds what a first crawl would find."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pipelines.stripping import StrippingPipeline
from store.runs import FINISHED
from store.site import Store
from tests import jsonsink
from tests.changing import ChangingSite
from tests.crawls import scrapy, start
from tests.filed import filed
from tests.illnesses import login_form, login_redirect, no_robots, not_there, nothing, overloaded
from tests.recrawls import Recrawls, hashes

LENIENT = {"LOSS_MIN_SHARE": 0, "MISSED_RUNS": 1}
"""Takes the site as it is, whatever it was."""

ILLNESSES = {
    "outage": overloaded(),
    "storm": overloaded(0.7),
    "few errors": overloaded(0.2),
    "login redirect": login_redirect,
    "login form": login_form,
    "soft 404": not_there,
    "empty": nothing,
    "no robots.txt": no_robots,
}
ROBOTS = ["User-agent: *\nDisallow: /", "User-agent: *\nDisallow: /a"]


class Step(NamedTuple):
    """Something that happens: what, and a number that picks the page it happens to, or how much of it."""

    what: str
    number: int = 0


CHANGES = [
    *("add", "edit", "edit home", "remove", "unlink", "noindex", "restore", "new footer", "redesign"),
    *("move", "move for now", "move and keep links", "move for now and keep links"),
]
CRAWLS = ["crawl", "crawl", "interrupted", "interrupted", "limited", "forbidden", "refused", *ILLNESSES]
FAULTS = ["sink open", "sink write", "sink half", "sink rebuild", "lose index"]
STEPS = st.one_of(
    st.builds(Step, st.sampled_from(CHANGES), st.integers(0, 11)),
    st.builds(Step, st.sampled_from(CRAWLS), st.integers(1, 12)),
    st.builds(Step, st.sampled_from(FAULTS), st.integers(1, 3)),
)


def change(site: ChangingSite, step: Step) -> None:
    """Lets a change happen to the site, where there is a page that it can happen to."""
    there = site.article_paths
    altered = [
        path
        for path, page in site.pages.items()
        if page.section and not (page.up and page.listed and not page.noindex)
    ]
    if step.what == "add":
        site.add(step.number)
    elif step.what == "edit home":
        site.edit("/")
    elif step.what == "new footer":
        site.new_footer()
    elif step.what == "redesign":
        site.redesign()
    elif step.what == "restore":
        if altered:
            site.restore(altered[step.number % len(altered)])
    elif there:
        path = there[step.number % len(there)]
        if step.what.startswith("move"):
            site.move(path, 302 if "for now" in step.what else 301, old_links="keep" in step.what)
        else:
            getattr(site, step.what)(path)


def one_crawl(site: ChangingSite, recrawls: Recrawls, step: Step) -> str | None:
    """Crawls the site as the step says; returns the outcome."""
    if step.what == "refused":
        # Nothing listens at the address for as long as the crawl lasts.
        with site.away():
            return recrawls.crawl().outcome
    if step.what in ILLNESSES:
        site.is_ill(ILLNESSES[step.what])
    elif step.what == "forbidden":
        site.robots = ROBOTS[step.number % 2]
    stop_after = step.number if step.what == "interrupted" else 0
    limit = {"max_pages": step.number} if step.what == "limited" else {}
    outcome = recrawls.crawl(stop_after=stop_after, **limit).outcome
    site.recover()
    return outcome


def break_sink(folder: Path, step: Step) -> None:
    """Lets something go wrong with the index that the crawls feed."""
    if step.what == "lose index":
        (folder / "json.json").unlink(missing_ok=True)
    else:
        jsonsink.order(folder, **{step.what.removeprefix("sink "): step.number})


def check_end(recrawls: Recrawls, outcome: str | None) -> None:
    """The store, the index that followed the feeds and that of the sink are what a first crawl makes of the
    site.
    """
    jsonsink.order(recrawls.sink)
    if outcome not in FINISHED:
        # What this one continues may have seen pages that have changed since.
        assert recrawls.crawl(settings=LENIENT).outcome == "complete"
    missed = True
    while missed:
        last = recrawls.crawl(settings=LENIENT)
        assert last.outcome == "complete"
        # What only pages lead to that redirect for the time being, or are forbidden, is given up after them.
        missed = "missed" in last.deleted.values()
    stored, fresh = recrawls.documents(), recrawls.fresh()
    assert sorted(stored) == sorted(fresh)
    assert stored == fresh
    assert recrawls.exported() == stored
    assert recrawls.index == hashes(fresh)
    assert hashes(filed(recrawls.store)) == hashes(fresh)
    assert jsonsink.hashes(recrawls.sink) == hashes(fresh)


def check_history(seed: int, articles: int, validators: str, sitemap: bool, steps: list[Step]) -> None:
    site = ChangingSite(articles=articles, seed=seed, validators=validators, sitemap=sitemap)
    with TemporaryDirectory() as folder, site.served():
        recrawls = Recrawls(site, Path(folder))
        outcome: str | None = "complete"
        for step in steps:
            if step.what in FAULTS:
                break_sink(recrawls.sink, step)
            elif step.what in CHANGES:
                change(site, step)
            else:
                outcome = one_crawl(site, recrawls, step)
        check_end(recrawls, outcome)


HISTORIES = {
    "seed": st.integers(1, 100),
    "articles": st.integers(1, 8),
    "validators": st.sampled_from(["etag", "modified", "both", "none"]),
    "sitemap": st.booleans(),
    "steps": st.lists(STEPS, min_size=1, max_size=12),
}


@settings(
    max_examples=settings.default.max_examples // 8,
    deadline=None,
    # To shrink a failure takes minutes: a history is as many crawls as steps.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(**HISTORIES)
def test_any_history_ends_as_a_first_crawl(seed, articles, validators, sitemap, steps):
    check_history(seed, articles, validators, sitemap, steps)


@pytest.mark.parametrize(
    "steps",
    [
        # A failure was taken for the status of the stored page, which no 304 could mend.
        [Step("crawl"), Step("few errors"), Step("crawl")],
        [Step("crawl"), Step("outage"), Step("crawl")],
        # What a round had found of links outlasted the round that was undone.
        [Step("crawl"), Step("login form"), Step("crawl")],
        [Step("crawl"), Step("empty"), Step("interrupted", 4), Step("crawl")],
        # A page that was given up redirects still: what it leads to is linked.
        [Step("soft 404"), Step("move for now and keep links"), Step("interrupted", 10), Step("crawl")],
        [Step("crawl"), Step("unlink", 3), Step("noindex", 2), Step("crawl")],
        [Step("crawl"), Step("move for now", 1), Step("unlink", 0), Step("limited", 3)],
        # What a limited run had found of a page was undone with another round.
        [
            *(Step("interrupted", 2), Step("soft 404"), Step("noindex", 3), Step("limited", 7)),
            Step("login redirect"),
        ],
        # What the site repeats is counted without a page that goes and has no document.
        [Step("login form"), Step("noindex", 1), Step("unlink", 5), Step("crawl")],
        # What only a page leads to that is given up goes after it, though nothing else changes.
        [Step("crawl"), Step("unlink", 4), Step("move for now and keep links", 5)],
        [Step("crawl"), Step("redesign"), Step("limited", 4), Step("interrupted", 4), Step("edit", 2)],
        [Step("crawl"), Step("lose index"), Step("edit", 1), Step("sink rebuild", 1), Step("crawl")],
        [Step("sink half", 2), Step("crawl"), Step("remove", 2), Step("sink open", 3), Step("crawl")],
        [Step("crawl"), Step("forbidden", 1), Step("forbidden", 1), Step("restore"), Step("refused")],
    ],
    ids=str,
)
def test_histories_that_went_wrong_once(steps):
    check_history(seed=5, articles=5, validators="etag", sitemap=False, steps=steps)


@pytest.mark.parametrize(("requests", "second_run"), [(9, False), (4, True), (15, True)])
def test_a_killed_crawl_is_made_up_for(tmp_path, requests, second_run):
    site = ChangingSite(articles=10, sections=2, seed=requests)
    with site.served() as server:
        recrawls = Recrawls(site, tmp_path)
        if second_run:
            recrawls.crawl()
            for path in site.article_paths[:3]:
                site.edit(path)
            site.remove(site.article_paths[4])
            site.add()
        server.forget()
        feed = tmp_path / "killed.jsonl"
        arguments = ["-a", f"url={site.base}/", "-O", f"{feed}:operations", *jsonsink.OPTIONS]
        process = start(tmp_path / "data", *arguments)
        server.delay = lambda path: 0.01
        while sum(server.asked.values()) < requests and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        server.delay = lambda path: 0.0
        recrawls.follow(feed)
        check_end(recrawls, None)


def test_a_crawl_that_is_killed_while_documents_go_out_sends_them_again(tmp_path):
    site = ChangingSite(articles=20, sections=2)
    with site.served():
        recrawls = Recrawls(site, tmp_path)
        feed = tmp_path / "killed.jsonl"
        arguments = ["-a", f"url={site.base}/", "-O", f"{feed}:operations", *jsonsink.OPTIONS]
        kill = partial(killed_with_documents, recrawls.store)
        assert scrapy(tmp_path / "data", *arguments, prepare=kill).returncode == -signal.SIGKILL
        recrawls.follow(feed)
        check_end(recrawls, None)


def killed_with_documents(folder: Path) -> None:
    """Has the process end as soon as its store has some documents."""
    process = StrippingPipeline.process_item

    def process_item(pipeline: StrippingPipeline, item: object) -> object:
        with closing(Store.open(folder)) as store:
            if store.connection.execute("SELECT count(*) FROM documents").fetchone()[0] >= 5:
                os.kill(os.getpid(), signal.SIGKILL)
        return process(pipeline, item)

    StrippingPipeline.process_item = process_item  # type: ignore[method-assign]
