"""Whatever one page makes a step raise: that page is flagged and keeps its document, and all else goes on."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from crawler.items import HeldPage
from store.documents import Documents, ObsoletePage
from store.site import Store
from tests import jsonsink, learners
from tests.crawls import crawl
from tests.served import page, served

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

GOOD = ("/", "/a", "/b", "/c", "/d")
NAMES = (*GOOD, "/bad")
LEARNS = {"METHOD": "frequent", "METHOD_CLASSES": {"frequent": "tests.learners.FrequentMethod"}}
PUBLISHES = {"PUBLISH_TABLES": "text"}


class Error(Exception):
    """What is injected."""


class Place(NamedTuple):
    """Where a fault is injected: a function, which of its arguments names the page, and the step it is of.

    ``settings`` are those of the second night, where the function is not called without them. ``released``
    tells that the page's document of that night goes out all the same.
    """

    target: str
    page_of: Callable[..., Any]
    step: str
    settings: Mapping[str, Any] = MappingProxyType({})
    released: bool = False


def _argument(number: int) -> Callable[..., Any]:
    return lambda *arguments, **_: arguments[number]


PLACES = [
    Place("crawler.fetching.reading.read", _argument(1), "reading"),
    Place("crawler.fetching.reading.flags_of", lambda _, page, **__: page.url, "reading"),
    Place("crawler.spiders.base.PageSpider._distrust", lambda _, item: item.page_id, "callback"),
    Place("pipelines.shingling.record_of", lambda page, _: page.url, "pipeline"),
    Place("store.pages.Pages.pagelets", lambda _, fetched: fetched.page, "pipeline"),
    Place("store.bodies.Bodies.put", _argument(1), "pipeline"),
    Place("store.flat_pages._size", lambda page: page.url, "pipeline", released=True),
    Place("store.volatile_blocks.ChangingBlocks._compare", _argument(1), "comparing", released=True),
    Place("release.judging.PageJudge.subject", _argument(1), "learning", LEARNS, released=True),
    Place("store.judging.StoredJudge.judge", _argument(1), "judging"),
    Place("release.judging.ReleaseLedger.note", _argument(1), "judging"),
    Place("store.documents.Documents.put", _argument(1), "judging"),
    Place("store.duplicates.SignatureTable.put", _argument(1), "judging"),
    Place("pagelets.judging.engine.make", lambda page, *_: page.url, "judging"),
    Place(
        "store.judging.StoredJudge.document",
        _argument(1),
        "publishing",
        PUBLISHES,
        released=True,
    ),
]
UNFETCHED = [
    Place("pipelines.shingling.ShinglingPipeline._derived", _argument(1), "deriving", {"PAGELET_K": 2}),
    Place("store.judging.StoredJudge.reaches", _argument(1), "judging", {"TEMPLATE_MIN_PAGES": 2}),
]
"""Places that a page comes to which is not fetched in the night."""


def inject(monkeypatch: pytest.MonkeyPatch, place: Place, bad: frozenset[object]) -> list[object]:
    """Makes a function raise for one page, which is known by these names; returns the pages it raised for."""
    owner, _, name = place.target.rpartition(".")
    try:
        holder: Any = import_module(owner)
    except ModuleNotFoundError:
        module, _, cls = owner.rpartition(".")
        holder = getattr(import_module(module), cls)
    own, raised = getattr(holder, name), []

    def function(*arguments: Any, **options: Any) -> Any:
        if (named := place.page_of(*arguments, **options)) in bad:
            raised.append(named)
            raise Error("injected")
        return own(*arguments, **options)

    monkeypatch.setattr(holder, name, function)
    return raised


class Site:
    """Pages that link to each other; the text of ``/a`` and of the ``bad`` ones is another each night."""

    def __init__(self, bad: Sequence[str] = ("/bad",)) -> None:
        self.night = 1
        self.bad = bad
        self.names = (*GOOD, *bad)

    def text(self, path: str) -> str:
        night = self.night if path == "/a" or path in self.bad else 1
        # A number that is another on most pages would be volatile.
        said = ("", "first", "second", "third")[night]
        return f"What {path} says on the {said} night, in words that stand on no other page of the site."

    def __call__(self, path: str) -> str | None:
        return page(path, *self.names, text=self.text(path)) if path in self.names else None


def flags(folder) -> dict[str, str]:
    with closing(Store.open(folder)) as store:
        return dict(store.connection.execute("SELECT url, flags FROM pages WHERE flags != ''").fetchall())


@pytest.mark.parametrize("settings", [{}, LEARNS, PUBLISHES], ids=["plain", "learns", "publishes"])
def test_pages_that_make_steps_fail_end_no_run(tmp_path, monkeypatch, settings):
    """Each page makes one function fail, and no other page does."""
    bad = {f"/bad{number}": place for number, place in enumerate(PLACES) if place.settings == settings}
    pages = Site([*bad])
    with served({}, pages) as site:
        address, base = f"{site.base}/", site.base
        first = crawl(tmp_path, url=address, site="s", settings={"METHOD": "all-text"})
        assert sorted(first.current(base)) == sorted(pages.names)
        with closing(Store.open(first.folder)) as store:
            names = {path: frozenset((base + path, store.frontier.find(base + path))) for path in bad}
        pages.night, settings = 2, {"METHOD": "all-text", **settings}
        with monkeypatch.context() as patch:
            raised = {path: inject(patch, place, names[path]) for path, place in bad.items()}
            second = crawl(tmp_path, url=address, site="s", settings=settings)
        assert [path for path, pages_of_it in raised.items() if not pages_of_it] == []
        assert second.outcome == "complete"
        assert flags(second.folder) == {
            base + path: f"fault:{place.step}:Error" for path, place in bad.items()
        }
        for step, count in Counter(place.step for place in bad.values()).items():
            assert second.stats[f"pages/faults/{step}"] == count
        assert second.deletions == []
        found = {path: text for path, text in texts(second, base).items() if path not in GOOD or path == "/a"}
        assert found.keys() == {"/a", *(path for path, place in bad.items() if place.released)}
        assert all(pages.text(path) in text for path, text in found.items())
        assert sorted(second.current(base)) == sorted(pages.names)
        pages.night = 3
        third = crawl(tmp_path, url=address, site="s", settings=settings)
    assert (third.outcome, flags(third.folder)) == ("complete", {})
    sent = texts(third, base)
    assert all(pages.text(path) in sent[path] for path in bad)


@pytest.mark.parametrize("place", UNFETCHED, ids=lambda place: place.step)
def test_a_page_that_is_not_fetched_and_makes_a_step_fail_ends_no_run(tmp_path, monkeypatch, place):
    pages = Site()
    with served({}, pages) as site:
        first = crawl(tmp_path, url=f"{site.base}/", site="s")
        bad = f"{site.base}/bad"
        with closing(Store.open(first.folder)) as store:
            number = store.frontier.find(bad)
        with monkeypatch.context() as patch:
            raised = inject(patch, place, frozenset((number,)))
            second = crawl(tmp_path, url=f"{site.base}/", site="s", settings=place.settings, max_pages=1)
        assert raised == [number]
        assert second.outcome == "limited"
        assert (second.stats[f"pages/faults/{place.step}"], second.deletions) == (1, [])
        (flagged,) = flags(second.folder).items()
        assert flagged[0] == bad
        assert flagged[1].startswith(f"fault:{place.step}:Error")
        pages.night = 2
        third = crawl(tmp_path, url=f"{site.base}/", site="s", settings=place.settings)
    assert (third.outcome, flags(third.folder)) == ("complete", {})
    assert sorted(third.current(site.base)) == sorted(NAMES)
    assert pages.text("/bad") in texts(third, site.base)["/bad"]


def texts(crawled, base: str) -> dict[str, str]:
    return {document["url"].removeprefix(base): document["text"] for document in crawled.documents}


def test_a_method_that_cannot_learn_of_a_site_judges_by_what_it_had_learned(tmp_path, monkeypatch, caplog):
    def fail(*_: Any) -> None:
        raise Error("injected")

    pages = Site()
    with served({}, pages) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s", settings=LEARNS)
        pages.night = 2
        monkeypatch.setattr(learners.FrequentMethod, "learn", fail)
        second = crawl(tmp_path, url=f"{site.base}/", site="s", settings=LEARNS)
        assert "frequent cannot learn of the site" in caplog.text
        assert (second.outcome, second.paths(site.base)) == ("complete", ["/a", "/bad"])
        # Without anything learned each page is one that cannot be judged.
        fresh = crawl(tmp_path, url=f"{site.base}/", site="s", settings=LEARNS, fresh=1)
    assert (fresh.outcome, fresh.documents) == ("complete", [])
    assert fresh.stats["pages/faults/judging"] == len(NAMES)


class FailsOnReleased:
    """A pipeline that does not expect what is released."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, HeldPage | ObsoletePage):
            raise Error("injected")
        return item


@pytest.mark.parametrize("order", [50, 150])
def test_a_pipeline_before_ours_that_fails_on_what_is_released_loses_nothing(tmp_path, order):
    fails = {"ITEM_PIPELINES": {FailsOnReleased: order}}
    with served({}, Site()) as site:
        first = crawl(tmp_path, url=f"{site.base}/", site="s", settings=fails)
        assert (first.outcome, first.documents) == ("undelivered", [])
        assert first.stats["documents/failed"] == len(NAMES)
        assert len(crawl(tmp_path, url=f"{site.base}/", site="s").documents) == len(NAMES)


def test_a_full_disk_is_no_fault_of_a_page(tmp_path, monkeypatch):
    def fail(documents: Documents, *_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Documents, "put", fail)
    with served({}, Site()) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s")
    assert crawled.documents == []
    assert not any(name.startswith("pages/faults") for name in crawled.stats)


def test_a_document_that_cannot_be_made_anew_for_a_sink_keeps_no_other_back(tmp_path, monkeypatch):
    with served({}, Site()) as site:
        first = crawl(tmp_path, url=f"{site.base}/", site="s")
        with closing(Store.open(first.folder)) as store:
            bad = store.frontier.find(f"{site.base}/bad")
        place = Place("search.released.ReleasedDocuments.__call__", _argument(1), "delivery")
        raised = inject(monkeypatch, place, frozenset((bad,)))
        second = crawl(tmp_path, url=f"{site.base}/", site="s", settings=jsonsink.SETTINGS)
    assert raised == [bad]
    assert second.stats["pages/faults/delivery"] == 1
    assert (second.stats["index/json/indexed"], second.outcome) == (len(NAMES) - 1, "undelivered")


def test_a_document_that_a_sink_cannot_stand_is_refused_and_the_others_arrive(tmp_path, monkeypatch):
    own = jsonsink.JsonSink.write

    def write(sink: jsonsink.JsonSink, operations: Any) -> Any:
        if any(operation.url.endswith("/bad") for operation in operations):
            raise Error("injected")
        return own(sink, operations)

    monkeypatch.setattr(jsonsink.JsonSink, "write", write)
    with served({}, Site()) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s", settings=jsonsink.SETTINGS)
    assert crawled.stats["index/json/indexed"] == len(NAMES) - 1
    assert crawled.stats["index/json/refused"] == crawled.stats["index/json/undelivered"] == 1
