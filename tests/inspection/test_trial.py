"""What trying says is what a crawl then does; the store stays as it is."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.configuration.judgement import asked_of, stored_judge, trial_of
from inspection import scratch
from inspection.pages import FoundPage
from inspection.trial import try_page, try_site
from pagelets.judging.decisions import sketch_name
from store.site import Store
from tests.crawls import QUICK, Crawled, crawl
from tests.served import Site, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inspection.trial import PageTrial, SiteTrial

COUNT = 7
NAME = "tried"
NOTE = "A note that half of the pages have at their end"


def html(number: int) -> str:
    menu = "".join(f"<li><a href='/{other or ''}'>Section {other}</a></li>" for other in range(COUNT))
    note = f"<p class=note>{NOTE} <a href='/1'>a</a> <a href='/2'>b</a></p>" if number % 2 else ""
    return (
        f"<title>Page {number}</title><body><nav><ul>{menu}</ul></nav><main><h1>Page {number}</h1>"
        f"<p>What is said of number {number} here is said nowhere else, at some length.</p>{note}</main>"
    )


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with served({f"/{number or ''}": html(number) for number in range(COUNT)}) as running:
        yield running


@pytest.fixture(scope="module")
def base(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawl(tmp_path_factory.mktemp("base"), url=f"{site.base}/", site=NAME, min_pages=3)


@pytest.fixture
def data(base: Crawled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the crawl has left; scratch copies are made in a folder beside it."""
    shutil.copytree(base.folder.parent, tmp_path / "data")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path / "data"


def trial(
    data: Path, *arguments: str, url: str | None = None, tell: Any = None, pages: int | None = None
) -> Any:
    settings = Settings()
    settings.setmodule("settings.base", priority="project")
    settings.update({**QUICK, "DATA_DIR": str(data)}, priority="project")
    tell = tell or (lambda what, done, total: None)
    with Store.open(data / NAME) as store:
        asked, judge_in = (
            trial_of(store, settings, asked_of(arguments, settings)),
            partial(stored_judge, settings=settings),
        )
        if url is None:
            return try_site(store, judge_in, asked, tell, pages)
        page = store.frontier.find(url)
        assert page is not None
        found = FoundPage(NAME, store.frontier.get(page), True)
        return try_page(store, judge_in, asked, found, tell, pages)


def dumped(data: Path) -> list[str]:
    with closing(Store.open(data / NAME)) as store:
        return list(store.connection.iterdump())


def chars(document: dict[str, Any]) -> int:
    return document["stats"]["chars_kept"]


@pytest.mark.parametrize(
    ("argument", "changed"),
    [
        ("k=3", 0),
        ("k=1", 3),
        ("k=2", 3),
        ("partition=k-links", 0),
        ("partition=dom", 3),
        ("min_pages=8", COUNT),
        ("method=all-text", COUNT),
        ("drop=h1", COUNT),
    ],
)
def test_a_crawl_changes_what_was_said(base, data, site, argument, changed):
    said: SiteTrial = trial(data, argument)
    name, _, value = argument.partition("=")
    own = {"settings": {"DROP_SELECTORS": value}} if name == "drop" else {name: value}
    crawled = crawl(data, url=f"{site.base}/", site=NAME, **{"min_pages": 3, **own})
    before = {document["url"]: document for document in base.documents}
    assert (said.changed, said.documents, said.failed) == (len(crawled.documents), COUNT, [])
    assert said.changed == changed
    assert sorted(page.url for page in said.pages) == crawled.urls
    more = sum(chars(document) - chars(before[document["url"]]) for document in crawled.documents)
    assert said.come - said.gone == more


def test_of_a_site_the_templates_are_told_that_come_and_go(data):
    fewer: SiteTrial = trial(data, "min_pages=8")
    assert [one.pages for one in fewer.templates_gone] == [COUNT]
    assert fewer.templates_come == []
    more: SiteTrial = trial(data, "k=2")
    assert any(NOTE in (one.text or "") and one.pages == 3 for one in more.templates_come)


def test_of_a_page_the_blocks_are_told_that_come_and_go_and_why(data, site):
    found: PageTrial = trial(data, "method=all-text", "drop=h1", url=f"{site.base}/1")
    come = [block for block in found.blocks if block.comes]
    assert {block.text for block in come} == {f"Section {other}" for other in range(COUNT)}
    assert {(block.reason, block.tried_reason) for block in come} == {("template", "content")}
    (gone,) = [block for block in found.blocks if not block.comes]
    assert (gone.text, gone.reason, gone.tried_reason) == ("Page 1", "content", "dropped by selector")
    assert found.tried_chars - found.chars == sum(len(b.text) * (1 if b.comes else -1) for b in found.blocks)


def test_some_pages_stand_for_a_larger_site(data, site):
    few: SiteTrial = trial(data, "drop=h1", pages=4)
    assert (few.looked_at, few.documents, few.changed, len(few.pages)) == (4, COUNT, COUNT, 4)
    assert few.gone == round(sum(page.gone for page in few.pages) * COUNT / 4)
    page: PageTrial = trial(data, "drop=h1", url=f"{site.base}/1", pages=4)
    assert (page.looked_at, page.documents) == (4, COUNT)
    assert [block.text for block in page.blocks] == ["Page 1"]
    # Before the trial as well they are the site: nothing changes that the trial does not change.
    assert trial(data, "method=templates", pages=4).changed == 0
    assert trial(data, "drop=h1", pages=COUNT) == trial(data, "drop=h1")


@pytest.mark.parametrize(
    ("arguments", "approximated"),
    [
        (["method=all-text"], []),
        (["method=paper"], ["templates that"]),
        (["min_pages=8"], []),
        (["min_share=0.05"], ["templates that"]),
        (["k=1"], ["templates that"]),
        (["partition=dom"], ["templates that"]),
        (["detection=global"], ["templates are"]),
        (["drop=h1", "bylines=drop"], ["how many"]),
        (['extract={"head": "h1"}'], []),
        (["k=3"], []),
    ],
)
def test_a_page_alone_is_judged_as_on_a_copy_but_for_what_is_told(
    data, site, monkeypatch, arguments, approximated
):
    pages = [f"{site.base}/{number}" for number in (1, 2)]
    copied = [trial(data, *arguments, url=url) for url in pages]
    monkeypatch.setattr(scratch, "copy_part", None)
    monkeypatch.setattr(scratch, "_copy", None)
    alone = [trial(data, *arguments, url=url, pages=1) for url in pages]
    for one, other in zip(alone, copied, strict=True):
        assert [line.split()[:2] for line in one.approximated] == [line.split() for line in approximated]
        assert [(block.text, block.comes) for block in one.blocks] == [
            (block.text, block.comes) for block in other.blocks
        ]
        assert (one.chars, one.tried_chars, one.fields) == (other.chars, other.tried_chars, other.fields)


def test_what_people_decided_holds_for_a_page_alone(data, site):
    with Store.open(data / NAME) as store:
        (template,) = [one for one in store.templates.all() if one.judged_pages == COUNT]
        store.decisions.apply([], [sketch_name(template.sketch)])
    page: PageTrial = trial(data, "min_pages=2", "method=templates", url=f"{site.base}/2", pages=1)
    assert not [block.text for block in page.blocks if not block.comes]


def test_the_store_stays_as_it_is_and_no_copy_is_left(data, tmp_path):
    before = dumped(data)
    trial(data, "k=1", "method=all-text")
    assert dumped(data) == before

    def stop(what: str, done: int, total: int) -> None:
        if what == "documents":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trial(data, "k=1", tell=stop)
    assert dumped(data) == before
    assert list((tmp_path / "scratch").iterdir()) == []
