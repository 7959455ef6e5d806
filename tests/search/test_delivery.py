"""What a site's documents are, its index holds in the end: whatever went wrong on the way."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.delivery import Delivery
from search.sink import Place
from tests.jsonsink import JsonSink, order, texts
from tests.store.sites import Pagelet, begin, in_memory, record, rows

NAMES = "abcdefg"


class Site:
    """A store of made-up documents, and the index that is fed from it. A document's text is a number."""

    def __init__(self, folder: Path, units: str = "documents", batch: int = 2) -> None:
        self.folder = folder
        self.units = units
        self.batch = batch
        self.store = in_memory()
        self.run = begin(self.store)
        self.texts: dict[str, str] = {}
        for name in NAMES:
            record(self.store, name, [Pagelet(f"text of {name}")], self.run)
        self.pages = {url: page for page, url in rows(self.store, "SELECT page, url FROM pages")}
        self.urls = dict(zip(NAMES, sorted(self.pages), strict=True))

    def delivery(self, *, new_store: bool = True) -> Delivery:
        sink = JsonSink(Place("site.example", self.folder, {"units": self.units}))
        sink.most_documents = self.batch
        return Delivery("json", sink, self.store, new_store=new_store)

    def document(self, url: str) -> dict:
        words = self.texts[url].split()
        sections = [{"heading": ["h"], "text": word} for word in words]
        digest = hashlib.md5(self.texts[url].encode()).hexdigest()
        return {
            "url": url,
            "title": "t",
            "text": self.texts[url],
            "sections": sections,
            "passages": words,
            "content_hash": digest,
        }

    def put(self, name: str, text: str) -> str:
        url = self.urls[name]
        self.texts[url] = text
        with self.store.transaction():
            self.store.documents.put(
                self.pages[url], self.run, self.document(url)["content_hash"], "v", [], {}
            )
        return url

    def delete(self, name: str) -> str:
        url = self.urls[name]
        self.texts.pop(url, None)
        with self.store.transaction():
            self.store.documents.delete(self.pages[url], self.run, "http 404")
        return url

    def document_of(self, page: int, fields):
        return self.document(next(url for url, one in self.pages.items() if one == page))

    def run_crawl(self, changes, *, catch_up=True, kill=None) -> Delivery:
        """Sends changes as a crawl does, a name and its text or None each; returns the delivery."""

        async def crawl() -> None:
            for number, (name, text) in enumerate(changes):
                if number == kill:
                    return
                if text is None:
                    url = self.delete(name)
                    await delivery.take(url, None, "http 404")
                else:
                    url = self.put(name, text)
                    await delivery.take(url, self.document(url))
            await delivery.flush()
            if catch_up:
                await delivery.catch_up(self.document_of)
            await delivery.close()

        delivery = self.delivery(new_store=not self.store.documents.any())
        asyncio.run(crawl())
        return delivery

    def wanted(self) -> dict[str, list[str]]:
        parts = {
            "documents": lambda text: [text],
            "sections": lambda text: text.split() or [""],
            "pagelets": lambda text: [text, *text.split()],
        }[self.units]
        return {url: parts(text) for url, text in self.texts.items()}

    def held(self) -> dict[str, list[str]]:
        return texts(self.folder)


@pytest.fixture(params=["documents", "sections", "pagelets"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    return Site(tmp_path, request.param)


ALL = [(name, f"{name} one two") for name in NAMES]


def test_all_documents_arrive_in_batches(site: Site) -> None:
    delivery = site.run_crawl(ALL)
    assert site.held() == site.wanted()
    assert (delivery.counts.indexed, delivery.counts.batches) == (7, 4)
    assert (delivery.waiting(), delivery.down) == (0, None)


def test_a_document_takes_the_place_of_what_it_was(site: Site) -> None:
    site.run_crawl(ALL)
    delivery = site.run_crawl([("a", "shorter"), ("b", "b one two and more of it"), ("c", None)])
    assert site.held() == site.wanted()
    assert (delivery.counts.indexed, delivery.counts.deleted) == (2, 1)


def test_a_sink_that_is_down_gets_no_more_deletions(site: Site, caplog) -> None:
    site.run_crawl(ALL)
    for name in NAMES:
        site.delete(name)
    order(site.folder, write=9)
    assert site.run_crawl([]).waiting() == len(NAMES)
    assert caplog.text.count("the index is down for write") == 1


def test_what_a_sink_that_is_down_has_missed_it_gets_in_the_next_run(site: Site) -> None:
    site.run_crawl(ALL)
    order(site.folder, open=9)
    delivery = site.run_crawl([("a", "new"), ("b", None)])
    assert delivery.waiting() == 2
    assert delivery.down == "the index is down for open"
    order(site.folder)
    assert site.run_crawl([]).waiting() == 0
    assert site.held() == site.wanted()


def test_a_sink_that_breaks_off_is_tried_again_at_the_end(site: Site) -> None:
    order(site.folder, half=1)
    delivery = site.run_crawl(ALL)
    assert delivery.waiting() == 0
    assert site.held() == site.wanted()


def test_what_a_sink_refuses_is_a_dead_letter_until_it_takes_it(site: Site) -> None:
    order(site.folder, poisoned=[site.urls["b"]])
    delivery = site.run_crawl(ALL)
    assert delivery.waiting() == delivery.counts.refused == 1
    letters = site.store.deliveries.dead_letters("json")
    assert [(letter.url, letter.reason, letter.attempts) for letter in letters] == [
        # Once as it came, once more at the end.
        (site.urls["b"], "it is poisoned", 2)
    ]
    assert set(site.held()) == set(site.texts) - {site.urls["b"]}
    order(site.folder)
    delivery = site.run_crawl([])
    assert delivery.waiting() == delivery.counts.refused == 0
    assert site.held() == site.wanted()
    assert site.store.deliveries.dead_letters("json") == []


def test_a_discarded_letter_is_not_sent_again_until_the_document_changes(site: Site) -> None:
    order(site.folder, poisoned=[site.urls["b"]])
    site.run_crawl(ALL)
    with site.store.transaction():
        assert site.store.deliveries.discard("json") == 1
    order(site.folder)
    assert site.run_crawl([]).waiting() == 0
    assert site.urls["b"] not in site.held()
    site.run_crawl([("b", "better")])
    assert site.held() == site.wanted()


def test_what_a_sink_has_no_time_for_is_no_dead_letter(site: Site) -> None:
    order(site.folder, busy=[site.urls["b"]])
    assert site.run_crawl(ALL, catch_up=False).waiting() == 1
    assert site.store.deliveries.dead_letters("json") == []
    assert site.run_crawl([]).waiting() == 0
    assert site.held() == site.wanted()


def test_an_index_that_is_lost_is_filled_from_the_store(site: Site) -> None:
    site.run_crawl(ALL)
    (site.folder / "json.json").unlink()
    delivery = site.run_crawl([("a", "changed")])
    assert delivery.counts.indexed == 7
    assert site.held() == site.wanted()


def test_an_index_that_holds_what_the_store_knows_nothing_of_is_made_anew(site: Site) -> None:
    site.run_crawl(ALL)
    other = Site(site.folder, site.units)
    other.run_crawl([("a", "of another store")])
    assert other.held() == {other.urls["a"]: other.wanted()[other.urls["a"]]}


def test_other_units_make_the_index_anew(site: Site) -> None:
    site.run_crawl(ALL)
    site.units = "documents" if site.units == "sections" else "sections"
    site.run_crawl([])
    assert site.held() == site.wanted()


def test_a_rebuild_that_breaks_off_leaves_the_old_index(site: Site) -> None:
    site.run_crawl(ALL)
    before = site.held()
    site.put("a", "changed")
    order(site.folder, write=1)
    delivery = site.delivery()
    asyncio.run(delivery.rebuild(site.document_of))
    assert delivery.down == "the index is down for write"
    assert site.held() == before
    assert delivery.waiting() == 1
    asyncio.run(delivery.rebuild(site.document_of))
    assert (site.held(), delivery.waiting()) == (site.wanted(), 0)


def test_what_no_page_tells_any_more_waits(site: Site) -> None:
    order(site.folder, open=9)
    site.run_crawl(ALL)
    order(site.folder)
    delivery = site.delivery(new_store=False)
    asyncio.run(
        delivery.catch_up(
            lambda page, fields: (
                None if page == site.pages[site.urls["a"]] else site.document_of(page, fields)
            )
        )
    )
    assert delivery.waiting() == 1
    assert set(site.held()) == set(site.texts) - {site.urls["a"]}


def test_what_a_pipeline_drops_goes_to_no_index(site: Site) -> None:
    site.run_crawl(ALL)
    with site.store.transaction():
        site.store.documents.keep_back(site.pages[site.urls["a"]])
    delivery = site.run_crawl([])
    assert delivery.counts.deleted == 1
    assert set(site.held()) == set(site.texts) - {site.urls["a"]}


def test_an_exception_of_a_sink_is_one_that_is_down(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    delivery = site.delivery()
    delivery.sink.write = lambda operations: 1 / 0
    site.put("a", "x")
    asyncio.run(delivery.take(site.urls["a"], site.document(site.urls["a"])))
    asyncio.run(delivery.flush())
    assert delivery.down == "ZeroDivisionError: division by zero"
    assert delivery.waiting() == 1
    assert "Traceback" in caplog.text


CHANGE = st.tuples(
    st.sampled_from(NAMES), st.none() | st.lists(st.sampled_from("xyz"), max_size=3).map(" ".join)
)
FAULTS = st.fixed_dictionaries(
    {},
    optional={
        "open": st.integers(1, 2),
        "write": st.integers(1, 3),
        "half": st.integers(1, 2),
        "rebuild": st.just(1),
        "busy": st.lists(st.sampled_from(NAMES), max_size=3),
        "poisoned": st.lists(st.sampled_from(NAMES), max_size=2),
        "lost": st.just(True),
        "killed": st.integers(0, 5),
        "stopped": st.just(True),
    },
)


@settings(max_examples=settings.default.max_examples // 2, deadline=None)
@given(
    history=st.lists(st.tuples(st.lists(CHANGE, max_size=6), FAULTS), max_size=5),
    units=st.sampled_from(["documents", "sections", "pagelets"]),
    batch=st.integers(1, 4),
)
def test_whatever_happens_the_index_holds_the_documents_after_a_run_without_faults(
    history, units, batch
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        site = Site(folder, units, batch)
        for changes, faults in history:
            if faults.pop("lost", False):
                (folder / "json.json").unlink(missing_ok=True)
            killed, stopped = faults.pop("killed", None), faults.pop("stopped", False)
            for kind in ("busy", "poisoned"):
                faults[kind] = [site.urls[name] for name in faults.get(kind, [])]
            order(folder, **faults)
            site.run_crawl(changes, catch_up=not stopped, kill=killed)
        order(folder)
        last = site.run_crawl([])
        assert last.waiting() == 0
        assert site.held() == site.wanted()
        assert {letter.url for letter in site.store.deliveries.dead_letters("json")} == set()
    finally:
        shutil.rmtree(folder)
