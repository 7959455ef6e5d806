"""Pages of a site in memory have the documents that a crawl of them makes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import resource
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pagelets
from pagelets.archives.archive import Archive
from pagelets.archives.html import html_pages
from pagelets.document import FIELDS
from pagelets.judging.decisions import sketch_name
from pagelets.site.spill import Sources
from store.site import Store
from tests.crawls import Crawled, crawl, without_time
from tests.learners import FrequentMethod

if TYPE_CHECKING:
    from pagelets.methods.base import SiteView

pytestmark = pytest.mark.usefixtures("quick_servers")

BASE = "http://site.example/"
FREQUENT = {"frequent": "tests.learners.FrequentMethod"}
MENU = '<ul><li><a href="/p0.html">Home</a><li><a href="/p1.html">News</a><li><a href="#end">End</a></ul>'
WORDS = "Bread is made of flour, water and salt, and of time more than of anything else that is in a kitchen"


def page(number: int, more: str = "") -> str:
    words = WORDS.split()
    text = " ".join(words[number:] + words[:number])
    links = "".join(f'<a href="p{(number + step) % 12}.html">{number}{step}</a> ' for step in (1, 2, 3))
    return (
        f"<html lang=en><title>Bread {number} | The bakery - Since 1900</title><div class=menu>{MENU}</div>"
        f"<h1>Bread {number}</h1><p>{text}. {more}</p><div>{links}</div><b>{993 + number:,} views</b>"
        "<footer>All of it is ours.</footer>"
    )


PAGES: dict[str, str | bytes] = {
    **{f"p{number}.html": page(number) for number in range(12)},
    "near.html": page(3),
    "latin.html": page(13, "Brötchen kosten 2 £.").encode("latin-1"),
    "snippet.html": page(14, "<span data-nosnippet>Not for others.</span>"),
    "sub/empty.html": b"",
    "sub/menu.html": MENU,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages") / "site"
    (made / "sub").mkdir(parents=True)
    for name, html in PAGES.items():
        (made / name).write_bytes(html if isinstance(html, bytes) else html.encode())
    return made


def documents(**arguments: Any) -> list[dict[str, Any]]:
    with pagelets.Site("site", **arguments) as site:
        for name, html in PAGES.items():
            site.add(BASE + name, html)
        return [dict(document) for document in site.documents([*FIELDS, "pagelets"])]


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "judged"},
        {"method": "templates", "detection": "global", "min_share": 0.0},
        {"method": "paper"},
        {"method": "templates", "k": 2},
    ],
)
def test_documents_are_those_of_a_crawl(folder: Path, tmp_path: Path, arguments: dict[str, Any]) -> None:
    crawled = crawl(
        tmp_path, "archive", {"EXPLAIN_ENABLED": True}, path=folder, base=BASE, site="site", **arguments
    )
    with Archive.open([folder], BASE) as archive, pagelets.Site("site", **arguments) as site:
        for found in html_pages(archive, pytest.fail):
            site.add(found.url, found.body, content_type=found.content_type)
        own = [dict(document) for document in site.documents([*FIELDS, "pagelets"])]
    assert [document["url"] for document in own] == sorted(BASE + name for name in PAGES)
    assert without_time(own) == without_time(crawled.documents)
    assert {document["title"].rstrip("0123456789") for document in own} == {"Bread ", ""}
    assert any(document["duplicate_of"] for document in own)
    assert any(document["stats"]["pagelets_template"] for document in own)
    reasons = {
        block["text"]: block["reason"]
        for document in own
        for row in document["pagelets"]
        for block in row["blocks"]
    }
    counters = {text for text in reasons if text.endswith("views")}
    assert {"993 views", "1,004 views"} < counters
    assert all((reasons[text] == "counter") == (arguments["method"] == "judged") for text in counters)


def test_what_a_site_repeats_is_found_alike_with_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    found = documents()
    monkeypatch.setattr("pagelets.detection.small.MOST_ROWS", -1)
    assert without_time(documents()) == without_time(found)


def test_the_paper_s_method_takes_no_text_of_near_duplicates_for_a_template() -> None:
    for method, kept in (("paper", True), ("templates", False)):
        with pagelets.Site(method=method, min_pages=2, min_share=0) as site:
            for number in range(3):
                links = "".join(f"<li><a href=/{number}{step}>{number}{step}</a>" for step in range(3))
                site.add(f"{BASE}{number}", f"<p>{WORDS}.</p><ul>{links}</ul>")
            assert all((WORDS in document["text"]) is kept for document in site.documents(["text"]))


def test_boxes_of_other_pages_go_as_in_a_crawl(tmp_path: Path) -> None:
    made = tmp_path / "pages"
    made.mkdir()
    for number in range(12):
        text = "".join(
            f"<p>{' '.join(f'{word}{number}' for word in WORDS.split()[part:])}." for part in range(9)
        )
        entries = "".join(
            f"<div><h4><a href=p{other}.html>The story of bread {other}</a></h4><p>Told {number} times.</div>"
            for other in ((number + step) % 12 for step in (1, 4))
        )
        title = f"The story of bread {number}"
        (made / f"p{number}.html").write_text(
            f"<html lang=en><title>{title} | The bakery</title>{MENU}<article><h1>{title}</h1>{text}"
            f"<section><h3>Read on</h3>{entries}</section></article>"
        )
    settings = {"EXPLAIN_ENABLED": True}
    crawled = crawl(tmp_path, "archive", settings, path=made, base=BASE, site="site", method="judged")
    with Archive.open([made], BASE) as archive, pagelets.Site("site") as site:
        for found in html_pages(archive, pytest.fail):
            site.add(found.url, found.body, content_type=found.content_type)
        own = [dict(document) for document in site.documents([*FIELDS, "pagelets"])]
    assert without_time(own) == without_time(crawled.documents)
    assert not any("Read on" in document["text"] for document in own)
    reasons = [block["reason"] for row in own[0]["pagelets"] for block in row["blocks"]]
    assert "names other pages" in reasons


def test_what_is_decided_and_what_differs_by_url_is_as_in_a_crawl(folder: Path, tmp_path: Path) -> None:
    def crawled(**settings: Any) -> Crawled:
        return crawl(tmp_path, "archive", settings, path=folder, base=BASE, site="site", method="templates")

    crawled()
    with Store.open(tmp_path / "site") as store:
        found = {sketch_name(one.sketch): one.pages for one in store.templates.all()}
        others = {sketch_name(sketch) for page in (1, 2, 3) for sketch in store.pages.sketches(page)} - set(
            found
        )
    rejected, pinned = min(found), [min(others), max(found), f"{5:016x}"]
    overrides = [
        {"type": "contains", "pattern": "p1", "method": "all-text", "drop": ["h1"]},
        {"type": "ends", "pattern": "p2.html", "fields": ["url", "text", "template_version"]},
    ]
    shutil.rmtree(tmp_path / "site")
    wanted = crawled(
        EXPLAIN_ENABLED=True, PINNED_TEMPLATES=pinned, REJECTED_TEMPLATES=[rejected], OVERRIDES=overrides
    ).documents
    with pagelets.Site(
        "site", method="templates", pinned=pinned, rejected=[rejected], overrides=overrides
    ) as site:
        for name, html in PAGES.items():
            site.add(BASE + name, html)
        own = {document["url"]: dict(document) for document in site.documents()}
        told = {document["url"]: document for document in site.documents(["url", "pagelets"])}
    assert list(own[f"{BASE}p2.html"]) == ["url", "text", "template_version"]
    for document in without_time(wanted):
        explained = document.pop("pagelets", None)
        assert {**own[document["url"]], "fetched_at": ""} == {**document, "fetched_at": ""}
        assert explained in (None, told[document["url"]]["pagelets"])
    reasons = {row["reason"] for one in told.values() for row in one["pagelets"]}
    assert {"pinned template", "rejected template"} <= reasons


def test_several_processes_make_the_same_documents(tmp_path: Path) -> None:
    wanted = documents(method="judged", drop=["h1"])
    for folder in (None, tmp_path / "spilled"):
        with pagelets.Site("site", method="judged", drop=["h1"], folder=folder) as site:
            for name, html in PAGES.items():
                site.add(BASE + name, html)
            found = [dict(one) for one in site.documents([*FIELDS, "pagelets"], processes=2)]
            assert without_time(found) == without_time(wanted)
            assert any(document["duplicate_of"] for document in found)
            with pytest.raises(ValueError, match="processes=0"):
                site.documents(processes=0)
            if folder:
                # Whoever takes no more of them leaves no process and no file.
                some = site.documents(["url"], processes=2)
                assert next(some)["url"] == wanted[0]["url"]
                some.close()  # type: ignore[attr-defined]
                assert list(folder.iterdir()) == []


def test_several_processes_take_the_fields_of_a_site() -> None:
    described = ["h1::text", {"xpath": "//h1"}, {"json_ld": "name"}, {"meta": "a", "regex": "b(c)"}]
    with pagelets.Site("site", extract=dict(zip("abcd", described, strict=True))) as site:
        for number in range(3):
            site.add(f"{BASE}{number}", f"<h1>Page {number}</h1><p>Words of page {number}.")
        alone, beside = (list(site.documents([*"abcd"], processes=count)) for count in (1, 2))
    assert beside == alone
    assert beside[0]["a"] == "Page 0"


def test_what_is_raised_on_a_page_is_raised_whatever_process_it_is_judged_in() -> None:
    with pagelets.Site(method="raising", methods={"raising": "tests.stuck.RaisingMethod"}) as site:
        site.add(f"{BASE}3", "<p>Words.")
        for processes in (1, 2):
            with pytest.raises(RecursionError, match="too deep"):
                list(site.documents(processes=processes))


@pytest.mark.skipif("CORPORA" not in os.environ, reason="needs the corpora")
def test_documents_of_a_real_site_are_those_of_a_crawl(tmp_path: Path) -> None:
    path = Path(os.environ["CORPORA"]) / "sites" / "jserv-zh.warc.gz"
    crawled = crawl(tmp_path, "archive", path=path, site="site", method="judged")
    with Archive.open([path]) as archive, pagelets.Site("site") as site:
        for found in html_pages(archive, pytest.fail):
            site.add(found.url, found.body, content_type=found.content_type)
        own = [dict(document) for document in site.documents()]
    assert len(own) > 50
    assert without_time(own) == without_time(crawled.documents)


def test_a_method_that_learns_of_hosts_does_so_of_the_same_pages(folder: Path, tmp_path: Path) -> None:
    said = {"METHOD_CLASSES": FREQUENT}
    crawled = crawl(tmp_path, "archive", said, path=folder, base=BASE, site="site", method="frequent")
    own = documents(method="frequent", methods=FREQUENT)
    fields = ("url", "text", "template_version")
    wanted = [[document[name] for name in fields] for document in without_time(crawled.documents)]
    assert [[document[name] for name in fields] for document in own] == wanted
    with pytest.raises(ValueError, match="'sst' learns of many pages first"):
        pagelets.extract("<p>Words.", method="sst")


def test_a_method_that_learns_sees_the_links_between_pages_and_the_pages_that_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, Any] = {}

    def learn(_: FrequentMethod, site: SiteView) -> bytes:
        seen["links"] = list(site.links())
        seen["pages"] = [subject.page.url for subject in site.pages([f"{BASE}b", f"{BASE}none"])]
        return b"[]"

    monkeypatch.setattr(FrequentMethod, "learn", learn)
    with pagelets.Site(method="frequent", methods=FREQUENT) as site:
        site.add(f"{BASE}a", "<body><a href=/b>b</a> <a href='HTTP://site.example/b'>b</a> <a href=/c>c</a>")
        site.add(f"{BASE}b", "<body><a href=/a#part>a</a> <a href=http://other.example/>other</a>")
        site.add("http://other.example/", "<body><a href=http://site.example/a>a</a>")
        assert len(list(site.documents())) == 3
    looked = [(f"{BASE}a", f"{BASE}b"), (f"{BASE}b", f"{BASE}a")]
    assert (seen["links"], seen["pages"]) == (looked, [f"{BASE}b"])


@pytest.mark.parametrize("order", [1, -1])
def test_a_link_in_another_spelling_leads_to_the_page_at_the_normal_form(
    order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    links: list[tuple[str, str]] = []

    def learn(_: FrequentMethod, site: SiteView) -> bytes:
        links.extend(site.links())
        return b"[]"

    monkeypatch.setattr(FrequentMethod, "learn", learn)
    with pagelets.Site(method="frequent", methods=FREQUENT) as site:
        for url in [f"{BASE}%7Eb", f"{BASE}~b"][::order]:
            site.add(url, "<body><p>text")
        site.add(f"{BASE}a", "<body><a href=HTTP://site.example:80/%7eb>b</a>")
        assert len(list(site.documents())) == 3
    assert links == [(f"{BASE}a", f"{BASE}~b")]


def test_selectors_are_those_of_a_crawl(folder: Path, tmp_path: Path) -> None:
    said = {"KEEP_SELECTORS": [".menu"], "DROP_SELECTORS": ["h1"]}
    crawled = crawl(tmp_path, "archive", said, path=folder, base=BASE, site="site")
    own = documents(method="templates", keep=[".menu"], drop=["h1"])
    fields = ("url", "text", "template_version")
    wanted = [[document[name] for name in fields] for document in without_time(crawled.documents)]
    assert [[document[name] for name in fields] for document in own] == wanted


def test_the_order_and_what_is_added_again_make_no_difference(tmp_path: Path) -> None:
    with pagelets.Site("site", folder=tmp_path / "spilled") as site:
        for name in ("p5.html", "p4.html"):
            site.add(BASE + name, "<p>An earlier version of it.")
        for name, html in reversed(PAGES.items()):
            site.add(BASE + name, html)
        assert len(site) == len(PAGES)
        found = [dict(document) for document in site.documents([*FIELDS, "pagelets"])]
    assert without_time(found) == without_time(documents())
    assert {document["site"] for document in found} == {"site"}
    assert list((tmp_path / "spilled").iterdir()) == []


def test_a_page_that_is_added_again_and_again_takes_the_room_of_one() -> None:
    sizes = []
    with pagelets.Site(method="all-text") as site:
        for night in range(1, 9):
            words = "".join(
                f"<p>{night * number * 7919 % 65537:x} words." for number in range(4000 - 300 * night)
            )
            site.add(BASE, f"<title>{night}</title><!-- {words} --><p>The text stays.")
            site.add(f"{BASE}other", "<p>The text of another.")
            sizes.append(len(pickle.dumps(site)))
            assert [document["title"] for document in site.documents()] == [str(night), ""]
    assert max(sizes) < 1.5 * sizes[0]


@pytest.mark.parametrize("spilled", [False, True])
def test_threads_may_add_pages_and_ask_for_documents(tmp_path: Path, spilled: bool) -> None:
    pages = [(f"{BASE}{number}", f"<p>The text of page {number}.") for number in range(100)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with (
            pagelets.Site(method="all-text", folder=tmp_path if spilled else None) as site,
            ThreadPoolExecutor(4) as threads,
        ):
            list(threads.map(lambda page: site.add(*page), pages))
            found = list(threads.map(lambda _: list(site.documents(["url", "text"])), range(4)))
    finally:
        sys.setswitchinterval(before)
    texts = {url: html.removeprefix("<p>") for url, html in pages}
    assert [{document["url"]: document["text"] for document in documents} for documents in found] == [
        texts
    ] * 4


@pytest.mark.filterwarnings("ignore::DeprecationWarning:multiprocessing")
def test_processes_that_were_forked_get_the_texts_of_their_pages(tmp_path: Path) -> None:
    texts = ["<p>One.", "<p>Another page, of which more is to be read."]
    sources = Sources(tmp_path)
    numbers = [sources.put(text) for text in texts]

    def read(number: int) -> None:
        assert all(sources[number] == texts[number] for _ in range(20_000))

    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=read, args=(number,)) for number in numbers]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    sources.close()


def test_a_page_that_finds_no_room_on_the_disk_is_not_there(tmp_path: Path) -> None:
    def page(seed: int) -> str:
        return f"<p>{seed}: {random.Random(seed).randbytes(30_000).hex()}"

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pagelets.Site(method="all-text", folder=tmp_path) as site:
        for number in range(3):
            site.add(f"{BASE}{number}", page(number))
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            for number in (0, 3):
                # Python ignores SIGXFSZ: a write beyond the limit fails as one on a full disk does.
                with pytest.raises(OSError, match="File too large"):
                    site.add(f"{BASE}{number}", f"{page(10)}{page(11)}")
            assert [document["text"][:2] for document in site.documents()] == ["0:", "1:", "2:"]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        site.add(f"{BASE}3", page(3))
        assert [document["text"] for document in site.documents()] == [page(n)[3:] for n in range(4)]


@pytest.mark.parametrize("status", [200.0, np.int64(200)])
def test_a_status_of_another_library_is_a_whole_number(status: Any) -> None:
    with pagelets.Site(method="all-text") as site:
        site.add(*PAIR, status=status)
        documents = [*site.documents(), site.document(site.judge(), *PAIR, status=status)]
    assert [type(document["status"]) for document in documents] == [int, int]


def test_a_site_in_memory_can_be_sent_to_another_process() -> None:
    with pagelets.Site.from_pages([PAIR]) as site:
        sent = pickle.loads(pickle.dumps(site))
        sent.add(f"{BASE}late", "<p>Words.")
        assert (len(site), len(list(sent.documents()))) == (1, 2)
        judge = site.judge()
        page = site.document(judge, *PAIR, fetched_at="2026")
        assert sent.document(pickle.loads(pickle.dumps(judge)), *PAIR, fetched_at="2026") == page


def test_a_site_is_named_by_its_first_page_unless_it_is_given_a_name() -> None:
    with pagelets.Site(method="templates") as site:
        site.add("https://me:secret@Example.org/a", "<p>Words.")
        assert [document["site"] for document in site.documents(["site"])] == ["example.org"]


def test_a_selector_is_as_good_as_a_list_of_one() -> None:
    def texts(**arguments: Any) -> list[str]:
        with pagelets.Site(method="templates", **arguments) as site:
            site.add(BASE, "<p class=ok>One.<p class=not>Two.")
            return [document["text"] for document in site.documents()]

    assert texts(drop=".ok") == texts(drop=[".ok"]) == ["Two."]
    assert texts(keep=".ok", drop="p") == texts(keep={".ok"}, drop=("p",)) == ["One."]
    own = {"type": "contains", "pattern": "/"}
    for drop in ("pre", ["pre"]):
        assert texts(overrides=[{**own, "drop": drop, "fields": "text"}]) == ["One.\n\nTwo."]
    with pytest.raises(TypeError, match="drop: int; give str, or a list of them"):
        pagelets.Site(overrides=[{**own, "drop": 7}])
    for name in ("keep", "drop", "pinned", "rejected"):
        for wrong in ([7], 7):
            with pytest.raises(TypeError, match=f"{name}: int; give str, or a list of them"):
                pagelets.Site(**{name: wrong})


PAIR = (f"{BASE}a", "<p>Words.")


@pytest.mark.parametrize(
    "page",
    [
        PAIR,
        list(PAIR),
        {"url": PAIR[0], "html": PAIR[1], "score": 0.5},
        {"html": PAIR[1].encode(), "url": PAIR[0], "status": None, "content_type": "text/html"},
    ],
)
def test_pages_come_as_pairs_or_mappings(page: Any) -> None:
    with pagelets.Site.from_pages(iter([page]), "own", method="templates") as site:
        found = [(one["site"], one["url"], one["text"], one["status"]) for one in site.documents()]
    assert found == [("own", PAIR[0], "Words.", 200)]


@pytest.mark.parametrize(
    ("page", "kind", "said"),
    [
        ({"url": BASE, "text": "x"}, ValueError, "page 1: it has no 'html'; it has 'url', 'text'"),
        ((BASE,), ValueError, "page 1: give a pair of an address and HTML"),
        (BASE, ValueError, "page 1: give a pair of an address and HTML"),
        ((BASE, float("nan")), TypeError, "page 1: html: float; give str or bytes"),
        (("no address", ""), ValueError, "page 1: url='no address'"),
        ({"url": BASE, "html": "", "status": 7}, ValueError, "page 1: status=7"),
        ({"url": BASE, "html": "", "fetched_at": 7}, TypeError, "page 1: fetched_at: int; give str"),
    ],
)
def test_a_page_that_is_none_is_named(page: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        pagelets.Site.from_pages([PAIR, page])


def test_a_site_without_duckdb_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagelets.site.site.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs the package duckdb: pip install 'site-pagelets\[site\]'"):
        pagelets.Site()


def test_a_site_without_pages_has_no_documents() -> None:
    with pagelets.Site() as site:
        assert list(site.documents()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "magic"}, "method='magic': there are all-text, paper"),
        ({"k": 0}, "k=0"),
        ({"taught": {".related": "x"}}, "'.related' = 'x': give a weight"),
        ({"detection": "regional"}, "'regional'"),
        ({"min_pages": 1}, "min_pages"),
        ({"min_share": 2.0}, "min_share"),
        ({"drop": ["a["]}, "'a\\['"),
        ({"pinned": ["menu"]}, "'menu' is no name of a template"),
        ({"pinned": [f"{5:016x}"], "rejected": [f"{5:016x}"]}, "both pinned and rejected"),
        ({"overrides": [{"type": "ends", "pattern": "/b", "metod": "paper"}]}, "unknown key 'metod'"),
        ({"overrides": [{"type": "ends", "pattern": "/b", "method": "magic"}]}, "method='magic'"),
        ({"overrides": [{"type": "ends", "pattern": "/b", "method": "paper"}]}, "write 'templates'"),
        ({"overrides": [{"type": "ends", "pattern": "/b", "fields": ["tilte"]}]}, "no such field: tilte"),
        ({"overrides": [{"pattern": "/b", "extract": {"price": ".price"}}]}, "type is missing or no text"),
    ],
)
def test_a_wrong_argument_is_named_at_once(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        pagelets.Site(**arguments)


@pytest.mark.parametrize("url", ["", "p1.html", "ftp://site.example/", "http://", "http://[/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pagelets.Site() as site, pytest.raises(ValueError, match="no address of a page"):
        site.add(url, "<p>Words.")


def test_a_closed_site_says_so() -> None:
    with pagelets.Site.from_pages([PAIR]) as site:
        documents = site.documents()
    with pytest.raises(ValueError, match="the site is closed; take its documents inside"):
        next(documents)
    with pytest.raises(ValueError, match="the site is closed"):
        site.add("https://site.example/late", "<p>Words.")


def test_what_is_taught_is_of_the_right_type() -> None:
    with pytest.raises(TypeError, match="taught: list; give weights by selector"):
        pagelets.Site(taught=[".related"])
    with pytest.raises(TypeError, match="taught: int; give weights by selector"):
        pagelets.Site(taught={5: 1})
    with pagelets.Site.from_pages([PAIR]) as site, pytest.raises(TypeError, match="drop: int; give str"):
        site.teach(PAIR[0], drop=[7])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"k": "3"}, "k: str; give int"),
        ({"name": 5}, "name: int; give str"),
        ({"keep": b"main"}, "keep: bytes; give str, or a list of them"),
        ({"fields": ["mine.fields.minutes"]}, "fields: list; give import paths by name"),
        ({"methods": "mine.methods.Long"}, "methods: str; give import paths by name"),
        ({"methods": {"long": 7}}, "methods: int; give import paths by name"),
        ({"extract": ".price::text"}, "extract: str; give fields by name"),
        ({"overrides": 7}, "overrides: 7; give a list of dicts"),
        ({"overrides": {"type": "ends", "pattern": "/b"}}, "overrides: .*; give a list of dicts"),
    ],
)
def test_an_argument_of_another_type_is_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        pagelets.Site(**arguments)


def test_a_field_is_as_good_as_a_list_of_one() -> None:
    with pagelets.Site.from_pages([PAIR]) as site:
        for fields in ("url", ["url"], (name for name in ["url"])):
            assert list(site.documents(fields)) == [{"url": PAIR[0]}]
            assert site.document(site.judge(), *PAIR, fields="url") == {"url": PAIR[0]}
        with pytest.raises(ValueError, match="processes='2'"):
            site.documents(processes="2")


def test_a_field_that_does_not_exist_is_refused_at_once() -> None:
    with pagelets.Site() as site, pytest.raises(ValueError, match="no such field: tilte"):
        site.documents(["tilte"])


def test_a_page_that_is_corrected_teaches_all_pages() -> None:
    related = "<div class=notice><p>The loaf of day {0} is from Ada, who lives at the old mill.</p></div>"

    def texts(**arguments: Any) -> list[str]:
        with pagelets.Site(**arguments) as site:
            for number in range(6):
                text, rest = page(number).split("</p>")
                site.add(f"{BASE}{number}", f"{text}</p>{related.format(number)}{rest}")
            if "taught" not in arguments and "method" not in arguments:
                plain = [document["text"] for document in site.documents(("text",))]
                assert all("old mill" in text for text in plain)
                site.teach(f"{BASE}0", keep=["All of it"], drop=["The loaf of day 0"])
                site.teach(f"{BASE}0", drop=["All of it is  ours."])
            elif "taught" in arguments:
                # Nothing is learned from a page without corrections.
                site.teach(f"{BASE}0")
            return [document["text"] for document in site.documents(("text",))]

    for found in (texts(), texts(taught={".notice": -9.0})):
        assert not any("old mill" in text or "All of it" in text for text in found)
        assert all("flour" in text for text in found)
    with pytest.raises(ValueError, match=r"\.a,b"):
        pagelets.Site(taught={".a,b": 1.0})
    with pagelets.Site() as site:
        site.add(BASE, page(1))
        for wrong in ({"drop": [" "]}, {"keep": ["Bread"], "drop": ["Bread"]}):
            with pytest.raises(ValueError, match="text of a block"):
                site.teach(BASE, **wrong)
        with pytest.raises(ValueError, match="no such page"):
            site.teach(f"{BASE}absent")
        plain = [document["text"] for document in site.documents()]
        site.teach(BASE, keep=["no such text"], drop=["nor that one"])
        for text in ("no such text", "nor that one"):
            with pytest.raises(ValueError, match=text):
                list(site.documents())
        assert [document["text"] for document in site.documents()] == plain, "a slip does not last"
    with pagelets.Site(method="templates") as site, pytest.raises(ValueError, match="cannot be taught"):
        site.teach(BASE)
    overrides = [{"type": "ends", "pattern": "/a", "method": "templates"}]
    with pagelets.Site(overrides=overrides) as site:
        for name in "ab":
            site.add(f"{BASE}{name}", page(1))
        site.teach(f"{BASE}b", keep=["Bread"])
        with pytest.raises(ValueError, match="'templates' cannot be taught"):
            site.teach(f"{BASE}a", keep=["Bread"])


def test_the_author_may_be_taken_by_a_selector_as_a_text() -> None:
    page = "<meta name=author content=Meta><h1>Bread</h1><p>Flour, water, salt.<p class=by>Ann Smith"
    with pagelets.Site(extract={"author": ".by::text"}) as site:
        site.add("https://example.org/", page)
        (document,) = site.documents()
    assert document["author"] == "Ann Smith"
    assert list(document).count("author") == 1
    with pytest.raises(ValueError, match=r"extract\.author: is a text of ours"):
        pagelets.Site(extract={"author": {"css": ".by::text", "many": True}})


@pytest.mark.parametrize(
    "arguments", [{}, {"detection": "global"}, {"method": "frequent", "methods": FREQUENT}]
)
def test_a_page_has_the_same_document_whenever_it_is_asked_for(arguments: dict[str, Any]) -> None:
    fields = [name for name in FIELDS if name != "duplicate_of"]
    kept: dict[str, Any] = {"fetched_at": "2026-01-01T00:00:00+00:00"}
    with pagelets.Site(**arguments) as site:
        for name, html in PAGES.items():
            site.add(BASE + name, html, **kept)
        judge = site.judge()
        for document in site.documents(fields):
            url = document["url"]
            html = PAGES[url.removeprefix(BASE)]
            assert site.document(judge, url, html, fields=fields, **kept) == document
        unknown = site.document(judge, f"{BASE}other.html", page(20), fields=["text", "site"])
        assert "Home" not in unknown["text"]
        assert (unknown["site"], len(site)) == ("site.example", len(PAGES))
        with pytest.raises(ValueError, match="no such field"):
            site.document(judge, BASE, "<p>Words.", fields=["txt"])
