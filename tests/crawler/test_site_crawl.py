"""A site is crawled: what is requested, what becomes of each URL, and what comes out."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import sqlite3
from itertools import count
from types import SimpleNamespace

import pytest

from demo.site import pages as demo_pages
from settings.errors import ConfigurationError
from store.meta import ONE_ESCAPE
from store.site import Store, remove_store
from tests.crawls import crawl, lines, scrapy, states, without_time
from tests.served import HTML, Answer, moved, page, served

MENU = (
    "<nav><ul><li><a href='/'>Home</a></li><li><a href='/a'>A</a></li><li><a href='/b'>B</a></li></ul></nav>"
)

SMALL = {
    "/": page("home", "/a", "/b"),
    "/a": page("a", "/c"),
    "/b": page("b", "/"),
    "/c": page("c", "/d"),
    "/d": page("d", "/"),
}


@pytest.fixture(scope="module")
def demo_server():
    with served({}) as site:
        site.pages = {
            path: Answer(page.body, page.status, page.content_type, page.headers)
            for path, page in demo_pages(site.base).items()
        }
        # As the demo's own server, whatever is asked with the path.
        site.otherwise = lambda path: site.pages.get(path.partition("?")[0])
        yield site


@pytest.fixture(scope="module")
def demo(demo_server, tmp_path_factory):
    base = demo_server.base
    return base, crawl(tmp_path_factory.mktemp("demo"), url=f"{base}/", site="demo")


# --- The demo site ---


def test_start_urls_that_give_no_page_are_named(tmp_path, caplog):
    with served({**SMALL, "/moved": moved("/gone")}) as site:
        starts = ",".join(f"{site.base}{path}" for path in ("/", "/typo", "/moved", "/d"))
        for _ in range(2):
            caplog.clear()
            assert crawl(tmp_path, url=starts, site="s").outcome == "complete"
            lost = f"{site.base}/typo gone (http 404); {site.base}/gone gone (http 404)"
            assert f"Start URLs without a page: {lost}\n" in caplog.text
        caplog.clear()
        # What a link leads to is no start URL.
        site.pages["/d"] = page("d", "/nothing")
        assert (
            crawl(tmp_path, url=f"{site.base}/", site="s", settings={"LOSS_MIN_SHARE": 0}).outcome
            == "complete"
        )
        assert "Start URLs" not in caplog.text


def test_every_page_becomes_one_document(demo):
    base, crawled = demo
    html = {path for path, answer in demo_pages(base).items() if answer.is_html}
    paths = crawled.paths(base)
    assert crawled.outcome == "complete"
    assert crawled.errors == []
    assert len(paths) == len(set(paths))
    # Some links of the home page bear a parameter of the site's own: other URLs, other documents.
    assert {path.removesuffix("?ref=home") for path in paths} == html - {"/cart/", "/search/"}
    assert [path for path in paths if path.endswith("?ref=home")]


def test_what_is_no_page_is_settled(demo):
    base, crawled = demo
    settled = {url: state for url, state in crawled.states(base).items() if state != "delivered"}
    assert settled == {
        # It asks not to be indexed.
        "/search/": "held",
        "/blog/": "redirected",
        "/shop/tools/folding-bone/": "redirected",
        "/cart/": "refused nofollow",
        "/downloads/imposition-sheet.pdf": "refused type",
        "/downloads/paper-weights-2019.html": "gone http 404",
        "https://guild.example.org/": "refused scope",
        "https://pinboard.example/add": "refused scope",
        "https://social.example/share": "refused scope",
    }


def test_a_second_run_asks_for_every_page_and_releases_what_has_changed(tmp_path):
    with served(SMALL) as site:
        first = crawl(tmp_path, url=f"{site.base}/")
        site.asked.clear()
        site.pages["/a"] = page("a", "/c", text="What the page says now is another thing.")
        second = crawl(tmp_path, url=f"{site.base}/")
    assert {path: site.asked[path] for path in SMALL} == dict.fromkeys(SMALL, 1)
    assert second.outcome == "complete"
    assert second.paths(site.base) == ["/a"]
    assert second.current(site.base) == first.paths(site.base)


def test_a_fresh_run_releases_every_page(tmp_path):
    with served(SMALL) as site:
        first = crawl(tmp_path, url=f"{site.base}/")
        second = crawl(tmp_path, url=f"{site.base}/", fresh=1)
    assert without_time(second.documents) == without_time(first.documents)


def test_fresh_runs_of_a_site_whose_folder_is_a_symbolic_link(tmp_path):
    disk = tmp_path / "disk"
    (disk / "here").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "s").symlink_to(disk / "here")
    with served(SMALL) as site:
        for how in ({}, {"fresh": 1}, {"fresh": 1}, {}):
            assert crawl(tmp_path / "data", url=f"{site.base}/", site="s", **how).outcome == "complete"
            assert [path.name for path in disk.iterdir()] == ["here"]
    remove_store(tmp_path / "data" / "s")
    assert not (tmp_path / "data" / "s").is_symlink()
    assert list(disk.iterdir()) == []


def test_a_page_that_is_gone_loses_its_document(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/")
        del site.pages["/d"]
        second = crawl(tmp_path, url=f"{site.base}/")
    assert second.states(site.base)["/d"] == "gone http 404"
    assert second.deleted == {f"{site.base}/d": "http 404"}
    assert second.current(site.base) == ["/", "/a", "/b", "/c"]


# --- Robots, nofollow, types ---


def test_robots_refuse(tmp_path):
    robots = Answer("User-agent: *\nDisallow: /a", kind="text/plain")
    with served({**SMALL, "/robots.txt": robots}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
    assert crawled.outcome == "complete"
    assert crawled.states(site.base)["/a"] == "refused robots"
    assert crawled.paths(site.base) == ["/", "/b"]


def test_robots_that_forbid_everything_make_an_empty_run(tmp_path):
    with served({**SMALL, "/robots.txt": Answer("User-agent: *\nDisallow: /", kind="text/plain")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
        assert site.asked["/"] == 0
    assert (crawled.outcome, crawled.documents) == ("empty", [])


def test_an_empty_run_keeps_the_documents_of_earlier_runs(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/")
        site.pages["/robots.txt"] = Answer("User-agent: *\nDisallow: /", kind="text/plain")
        shut = crawl(tmp_path, url=f"{site.base}/")
        assert (shut.outcome, shut.deleted) == ("empty", {})
        assert shut.current(site.base) == sorted(SMALL)
        del site.pages["/robots.txt"]
        again = crawl(tmp_path, url=f"{site.base}/")
        assert (again.outcome, again.documents, again.current(site.base)) == ("complete", [], sorted(SMALL))


def test_a_page_named_like_robots_is_not_taken_for_refused_by_robots(tmp_path):
    with served({"/": page("home", "/robots-and-redirects")}) as site:
        site.pages["/robots-and-redirects"] = Answer(raw=b"")
        crawled = crawl(tmp_path, url=f"{site.base}/")
    assert crawled.states(site.base)["/robots-and-redirects"].startswith("failed")


def test_what_becomes_of_each_kind_of_url(tmp_path):
    kinds = ["application/pdf", "image/png", "text/plain", "application/json", "text/css"]
    refused = {f"/{kind}": Answer(b"x" * 100_000, kind=kind) for kind in kinds}
    refused["/bytes"] = Answer(b"\x00\x01\x02" * 100, kind=None)
    refused["/named.html"] = Answer(b"%PDF-1.7 \x00\xff", kind="application/pdf")
    pages = {
        "/xhtml": Answer(page("x"), kind="application/xhtml+xml"),
        "/untyped": Answer(page("u"), kind=None),
        # A nofollow link is followed where another page links plainly.
        "/plain": page("p", "/open"),
        "/session": moved("/session?sid=1234"),
    }
    # Whatever their type.
    errors = {
        "/gone": (Answer("{}", 404, "application/json"), "gone http 404"),
        "/broken": (Answer("{}", 500, "application/json"), "failed http 500"),
        "/moved": (Answer("{}", 302, "application/json", {"Location": "/new"}), "redirected temporary"),
        "/410": (Answer("gone", 410), "gone http 410"),
        "/forbidden": (Answer("no", 403), "failed http 403"),
    }
    redirects = {
        "/old": moved("/new"),
        "/older": moved("/old", 302),
        "/out": moved("https://elsewhere.example/"),
    }
    loops = [
        {"/x": moved("/x")},
        {"/2/x": moved("/2/y"), "/2/y": moved("/2/x")},
        {"/3/x": moved("/3/y"), "/3/y": moved("/3/z"), "/3/z": moved("/3/y")},
    ]
    paths = [*refused, *pages, *errors, *redirects, "/new", "/x", "/2/x", "/3/x"]
    answers = {
        "/": page("home", *paths, "/shut nofollow", "/open nofollow"),
        **refused,
        **pages,
        **{path: answer for path, (answer, _) in errors.items()},
        **redirects,
        **{path: answer for loop in loops for path, answer in loop.items()},
        **{path: page(path) for path in ("/new", "/shut", "/open", "/session?sid=1234")},
    }
    with served(answers) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
        assert (site.asked["/shut"], site.asked["/new"]) == (0, 1)
    assert crawled.outcome == "complete"
    assert crawled.paths(site.base) == ["/", "/new", "/open", *sorted(pages)]
    states = crawled.states(site.base)
    assert {path: states[path] for path in refused} == dict.fromkeys(refused, "refused type")
    assert {path: states[path] for path in errors} == {path: state for path, (_, state) in errors.items()}
    assert states["/shut"] == "refused nofollow"
    assert states["/out"] == "redirected"
    for loop in loops:
        assert "failed redirect loop" in [states[path] for path in loop if path in states]


def test_a_page_can_ask_that_none_of_its_links_is_followed(tmp_path):
    around = "<nav><a href=/a>A</a> <a href=/x>X</a> <a href=/y>Y</a></nav>"
    shut = page("home", "/a", head="<meta name=robots content='noindex, NoFollow'>", around=around)
    with served({"/": shut, "/a": page("a"), "/x": page("x")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
        assert crawled.states(site.base)["/a"] == "refused nofollow"
        # The same menu on a page that says nothing of the kind is followed.
        site.pages["/"] = page("home", "/a", around=around)
        assert crawl(tmp_path, url=f"{site.base}/").paths(site.base) == ["/", "/a", "/x"]


def test_a_page_that_fails_once_is_asked_again(tmp_path):
    answers = iter([Answer("busy", 503), Answer("{}", 503, "application/json")])
    pages = {"/": page("home", "/a"), "/a": lambda path: next(answers, page("a"))}
    with served(pages) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"RETRY_ENABLED": True})
        assert site.asked["/a"] == 3
    assert crawled.paths(site.base) == ["/", "/a"]


def test_a_page_that_keeps_failing_is_settled_once(tmp_path):
    with served({"/": page("home", "/a"), "/a": Answer("busy", 503)}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"RETRY_ENABLED": True})
    assert crawled.states(site.base)["/a"] == "failed http 503"
    assert crawled.stats["pages/failed"] == 1


# --- Redirects ---


def test_a_redirect_without_end_ends(tmp_path):
    numbers = count()
    with served({"/": page("home", "/x")}, lambda path: moved(f"/x/{next(numbers)}")) as site:
        crawled = crawl(
            tmp_path,
            url=f"{site.base}/",
            settings={"TRAP_MAX_QUERIES": 5, "SITEMAPS_ENABLED": 0},
            max_pages=3,
        )
    assert crawled.paths(site.base) == ["/"]


def test_a_start_url_that_has_moved_takes_the_scope_with_it(tmp_path):
    inner = {"/robots.txt": None, "/": page("home", "/a"), "/a": page("a"), "/orphan": page("orphan")}
    with served(inner) as new, served({}) as between, served({"/": moved(f"{between.base}/")}) as old:
        between.pages["/"] = moved(f"{new.base}/start", 302)
        new.pages["/start"] = page("start", "/", "/a")
        sitemap = f"<urlset><url><loc>{new.base}/orphan</loc></url></urlset>"
        new.pages["/sitemap.xml"] = Answer(sitemap, kind="application/xml")
        first = crawl(tmp_path, url=f"{old.base}/")
        second = crawl(tmp_path, url=f"{old.base}/")
    assert first.paths(new.base) == ["/", "/a", "/orphan", "/start"]
    assert second.current(new.base) == first.paths(new.base)


def test_a_start_url_in_a_folder_that_has_moved_keeps_to_its_new_folder(tmp_path):
    with served(
        {"/shop": page("shop"), "/en/docs/": page("docs", "/shop", "x"), "/en/docs/x": page("x")}
    ) as site:
        site.pages["/docs/"] = moved("/en/docs/")
        crawled = crawl(tmp_path, url=f"{site.base}/docs/")
    assert crawled.paths(site.base) == ["/en/docs/", "/en/docs/x"]


def test_only_a_start_url_takes_the_scope_with_it(tmp_path):
    with served({"/": page("other", "/a"), "/a": page("a")}) as other:
        with served({"/": page("home", "/out"), "/out": moved(f"{other.base}/")}) as site:
            crawled = crawl(tmp_path, url=f"{site.base}/")
        assert not other.asked
    assert crawled.urls == [f"{site.base}/"]


# --- Scope, limits, depth ---


def test_a_start_url_bounds_the_crawl_to_its_folder(tmp_path):
    pages = {
        "/docs/": page("docs", "/docs/a", "/", "/docsearch", "/docs/../up"),
        "/docs/a": page("a", "."),
        "/": page("home"),
    }
    with served(pages) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/docs/")
    assert crawled.paths(site.base) == ["/docs/", "/docs/a"]
    assert crawled.states(site.base)["/up"] == "refused scope"


def test_several_start_urls_and_hosts(tmp_path):
    with (
        served(SMALL) as one,
        served({"/en/": page("en", f"{one.base}/a", "/fr/"), "/fr/": page("fr")}) as two,
    ):
        crawled = crawl(tmp_path, url=f"{one.base}/c, {two.base}/en/", site="both")
    assert crawled.urls == sorted([*(one.base + path for path in SMALL), f"{two.base}/en/"])


def test_a_wider_scope_readmits_what_was_refused(tmp_path):
    pages = {"/docs/": page("docs", "/"), "/": page("home", "/docs/", "/a"), "/a": page("a")}
    with served(pages) as site:
        assert crawl(tmp_path, url=f"{site.base}/docs/", site="s").paths(site.base) == ["/docs/"]
        wider = crawl(tmp_path, url=f"{site.base}/", site="s")
        assert wider.paths(site.base) == ["/", "/a"]
        assert wider.current(site.base) == ["/", "/a", "/docs/"]
        site.asked.clear()
        crawl(tmp_path, url=f"{site.base}/docs/", site="s")
        assert (site.asked["/a"], site.asked["/docs/"]) == (0, 1)


@pytest.mark.parametrize("down", [False, True])
def test_what_a_narrower_scope_leaves_out_is_missed_and_stays_out(tmp_path, down):
    pages = {"/": page("home", "/docs/"), "/docs/": page("docs", "/", "/a"), "/a": page("a", "/docs/")}
    with served(pages) as site:
        settings = {"MISSED_RUNS": 2, "LOSS_MIN_SHARE": 0.1}
        crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
        if down:
            site.pages["/a"] = Answer("ill", 500)
            crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
            site.pages["/a"] = pages["/a"]
        narrow = [crawl(tmp_path, url=f"{site.base}/docs/", site="s", settings=settings) for _ in range(2)]
        assert [crawled.deleted for crawled in narrow] == [
            {},
            {f"{site.base}/": "missed", f"{site.base}/a": "missed"},
        ]
        site.asked.clear()
        later = [crawl(tmp_path, url=f"{site.base}/docs/", site="s", settings=settings) for _ in range(2)]
        assert [crawled.current(site.base) for crawled in later] == [["/docs/"]] * 2
        assert (site.asked["/"], site.asked["/a"]) == (0, 0)
        wider = crawl(tmp_path, url=f"{site.base}/", site="s", settings=settings)
        assert wider.current(site.base) == ["/", "/a", "/docs/"]


ASKING = {
    "/": page("home", "/list?sort=up", "/hidden nofollow", "/noindex", "/copy", "/closed"),
    "/list": page("list"),
    "/list?sort=up": page("list", text="It is sorted."),
    "/hidden": page("hidden"),
    "/noindex": page("noindex", head="<meta name=robots content=noindex>"),
    "/copy": page("copy", head="<link rel=canonical href=/original>"),
    "/original": page("original"),
    "/closed": Answer(page("closed", "/behind"), headers={"X-Robots-Tag": "nofollow"}),
    "/behind": page("behind"),
}


@pytest.mark.parametrize(
    "changed",
    [
        {"IGNORED_PARAMETERS": ["sort"]},
        {"NOFOLLOW_ENABLED": False},
        {"NOINDEX_ENABLED": False},
        {"CANONICAL_ENABLED": True},
        {"PAGELET_K": 2},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_pages_that_have_not_changed_are_read_by_the_settings_of_today(tmp_path, changed):
    with served(ASKING) as site:
        for path, found in ASKING.items():
            answer = found if isinstance(found, Answer) else Answer(found)
            answer.headers["ETag"] = f'"{path}"'
            site.pages[path] = answer
        folders, ways = (tmp_path / "plain", tmp_path / "changed"), ({}, changed)

        def crawled(folder, way):
            return crawl(folder, url=f"{site.base}/", settings={"MISSED_RUNS": 1, **way})

        fresh = [crawled(*each).current(site.base) for each in zip(folders, ways, strict=True)]
        # Each store is crawled by the other's settings: there, and back.
        for folder, now, wanted in zip(reversed(folders), ways, fresh, strict=True):
            for _ in range(2):
                again = crawled(folder, now)
            assert (again.outcome, again.current(site.base)) == ("complete", wanted)
            site.forget()
            crawled(folder, now)
            assert site.confirmed["/"] == 1


@pytest.mark.parametrize("most", [1, 2, 4])
def test_max_pages_is_exact(tmp_path, most):
    with served(SMALL) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", max_pages=most)
    assert len(crawled.documents) == most
    assert crawled.outcome == "limited"


def test_max_pages_counts_pages_not_requests(tmp_path):
    links = [f"/missing{n}" for n in range(20)]
    with served({"/": page("home", *links, "/a"), "/a": page("a", "/b"), "/b": page("b")}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", max_pages=3)
    assert crawled.paths(site.base) == ["/", "/a", "/b"]
    assert crawled.outcome == "complete"


def test_page_count_and_timeout_limits_release_what_there_is(tmp_path):
    with served(SMALL, lambda path: page(path, f"{path}x") if set(path) <= set("/endlsx") else None) as site:
        site.pages["/"] = page("home", "/endless")
        site.delay = lambda path: 0.02
        by_count = crawl(tmp_path / "1", url=f"{site.base}/", settings={"CLOSESPIDER_PAGECOUNT": 5})
        by_time = crawl(tmp_path / "2", url=f"{site.base}/", settings={"CLOSESPIDER_TIMEOUT": 0.5})
        no_item = crawl(tmp_path / "3", url=f"{site.base}/", settings={"CLOSESPIDER_TIMEOUT_NO_ITEM": 1})
    for crawled in (by_count, by_time, no_item):
        assert crawled.outcome == "limited"
        assert crawled.documents
        assert len(crawled.urls) == len(set(crawled.urls)) == crawled.stats["pages/held"]
        assert set(crawled.states().values()) <= {"delivered", "known", "gone http 404"}


def test_item_count_limit(tmp_path):
    with served(SMALL) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"CLOSESPIDER_ITEMCOUNT": 2})
    assert crawled.outcome == "limited"
    assert len(crawled.urls) == len(set(crawled.urls)) >= 2


def test_a_depth_limit_is_kept_and_a_higher_one_goes_on_from_there(tmp_path):
    with served(SMALL) as site:
        first = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 1})
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 3})
        lower = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 1})
    assert first.paths(site.base) == ["/", "/a", "/b"]
    assert crawled.current(site.base) == sorted(SMALL)
    assert {path: site.asked[path] for path in SMALL} == {"/": 3, "/a": 3, "/b": 3, "/c": 1, "/d": 1}
    assert lower.states(site.base)["/d"] == "delivered depth"


def test_cookies_need_no_list_from_the_network(tmp_path):
    cookie = {"Set-Cookie": "visit=1; Domain=127.0.0.1"}
    with served({"/": Answer(page("home", "/a"), headers=cookie), "/a": page("a")}) as site:
        done = scrapy(tmp_path, "-a", f"url={site.base}/", "-s", "COOKIES_ENABLED=1")
        heard = {path: headers["Cookie"] for path, headers in site.heard}
    assert (done.returncode, done.stderr) == (0, "")
    assert heard["/a"] == "visit=1"


def test_a_check_for_cookies_is_passed_where_they_are_sent(tmp_path):
    pages = {"/": page("home", "/a"), "/a": page("a")}

    def behind(path):
        sent = next(headers["Cookie"] for asked, headers in reversed(site.heard) if asked == path)
        return pages[path] if sent else moved(f"/check?to={path}", 302)

    def check(path):
        return Answer(status=302, headers={"Location": path.partition("to=")[2], "Set-Cookie": cookie})

    cookie = "seen=1; Path=/"
    with served(dict.fromkeys(pages, behind), check) as site:
        url, sending = f"{site.base}/", {"COOKIES_ENABLED": True}
        passed = [crawl(tmp_path, settings=sending, url=url) for _ in range(2)]
        assert [crawled.current(site.base) for crawled in passed] == [["/", "/a"]] * 2
        cookie = "other=1; Path=/nowhere"
        site.forget()
        assert crawl(tmp_path, settings=sending, url=url).outcome == "empty"
    assert site.asked["/"] < 25


@pytest.mark.parametrize("asked_for", [0, 0.8])
def test_depth_is_the_shortest_way(tmp_path, asked_for):
    # The long way to /c is quick and the short one slow: /d is within reach by the short one only, which may
    # be found while /c is asked for.
    pages = {
        "/": page("home", "/slow", "/1"),
        "/1": page("1", "/2"),
        "/2": page("2", "/c"),
        "/slow": page("slow", "/c"),
        "/c": page("c", "/d"),
        "/d": page("d"),
    }
    with served(pages) as site:
        site.delay = lambda path: {"/slow": 0.3, "/c": asked_for}.get(path, 0)
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 3})
    assert crawled.paths(site.base) == sorted(pages)


def test_spellings_of_a_url_are_one_page(tmp_path):
    pages = {
        "/": page("home", "/a", "/a#top", "/a?utm_source=x", "./a", "/b/../a", "/a;jsessionid=AB12", "/ä")
    }
    pages |= {"/a": page("a", "/%C3%A4", "/%c3%a4"), "/%C3%A4": page("umlaut"), "/%c3%a4": page("umlaut")}
    with served(pages) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
        assert (site.asked["/a"], site.asked["/%C3%A4"]) == (1, 1)
        assert crawled.paths(site.base) == ["/", "/%C3%A4", "/a"]
        # A store of an earlier version knows the others, and may have sent them.
        with Store.open(crawled.folder) as store, store.transaction():
            store.set_meta(ONE_ESCAPE, 0)
        site.pages["/a"] = page("a", "/%C3%A4", "/%c3%a4", text="now")
        again = crawl(tmp_path, url=f"{site.base}/")
    assert again.paths(site.base) == ["/%c3%a4", "/a"]


# --- Traps ---


def test_a_calendar_without_end_ends(tmp_path):
    def month(path):
        number = int(re.fullmatch(r"/cal\?m=(\d+)", path)[1])
        return page(path, f"/cal?m={number + 1}", f"/cal?m={number + 2}")

    with served(
        {"/": page("home", "/cal?m=0")}, lambda path: month(path) if "/cal" in path else None
    ) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"TRAP_MAX_QUERIES": 20})
    assert crawled.outcome == "complete"
    assert len(crawled.documents) <= 21


def test_a_trap_has_its_limit_over_all_nights(tmp_path):
    """Pages that lead to others each night, beside those that they have always led to."""
    night = SimpleNamespace(today=0)

    def calendar(path):
        links = [f"{path}-{number}" for number in range(night.today)]
        return page(f"{path} {night.today}", *links)

    settings = {"TRAP_MAX_QUERIES": 6, "SITEMAPS_ENABLED": 0}
    with served(
        {"/": page("home", "/cal?m=0")}, lambda path: calendar(path) if "/cal?" in path else None
    ) as site:
        for night.today in range(1, 5):
            site.forget()
            crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
            assert crawled.outcome == "complete"
            assert len(crawled.current()) == len([path for path in site.asked if "robots" not in path]) == 7


def test_a_folder_that_holds_itself_ends(tmp_path):
    with served(
        {"/": page("home", "a/")}, lambda path: page(path, "a/") if path.endswith("a/") else None
    ) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
    assert crawled.paths(site.base) == ["/", "/a/", "/a/a/", "/a/a/a/"]


def test_session_ids_in_links_make_no_new_pages(tmp_path):
    numbers = count(1000)

    def answer(path):
        if not path.startswith(("/p", "/?")):
            return None
        return page(path.partition("?")[0], f"/p?sid={next(numbers)}", f"/p2?PHPSESSID={next(numbers)}&n=1")

    with served({"/": page("home", "/p")}, answer) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
    assert crawled.paths(site.base) == ["/", "/p", "/p2?n=1"]


def test_query_parameters_without_end_end(tmp_path):
    def answer(path):
        return page(path, f"{path}&x={path.count('x')}") if path.startswith("/q?") else None

    with served({"/": page("home", "/q?a=1")}, answer) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
    assert crawled.outcome == "complete"
    assert len(crawled.documents) == 11


def test_a_path_without_end_ends_by_depth(tmp_path):
    numbers = count(1)

    def answer(path):
        return page(path, f"/way/{next(numbers)}") if path.startswith("/way") else None

    with served({"/": page("home", "/way")}, answer) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 10})
    assert crawled.outcome == "complete"
    assert len(crawled.documents) == 11


# --- Sitemaps ---


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc> {url} </loc></url>' for url in urls)}</urlset>"


def test_pages_that_only_a_sitemap_knows(tmp_path):
    with served({"/": page("home"), "/o": page("orphan"), "/p": page("packed")}) as site:
        index = "".join(
            f"<sitemap><loc>{site.base}{path}</loc></sitemap>"
            for path in (
                "/one.xml",
                "/two.xml.gz",
                "/index.xml",
                "/missing.xml",
                "/broken.xml.gz",
                "/broken.xml",
            )
        )
        packed = gzip.compress(urlset(f"{site.base}/p").encode())
        site.pages |= {
            "/robots.txt": Answer("Disallow:\nSitemap: /index.xml", kind="text/plain"),
            "/index.xml": Answer(f"<sitemapindex>{index}</sitemapindex>", kind="application/xml"),
            "/one.xml": Answer(
                urlset(f"{site.base}/o", "/p2", "https://other.example/"), kind="application/xml"
            ),
            "/two.xml.gz": Answer(packed, kind="application/gzip"),
            "/broken.xml.gz": Answer(packed[:12], kind="application/gzip"),
            "/broken.xml": Answer(b"\x00\xff<<<", kind="application/xml"),
            "/p2": page("p2"),
        }
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"DEPTH_LIMIT": 1})
        assert site.asked["/index.xml"] == 1
    assert crawled.outcome == "complete"
    assert crawled.errors == []
    assert crawled.paths(site.base) == ["/", "/o", "/p", "/p2"]


def test_sitemaps_can_be_switched_off(tmp_path):
    with served({"/": page("home"), "/o": page("orphan")}) as site:
        site.pages["/sitemap.xml"] = Answer(urlset(f"{site.base}/o"), kind="application/xml")
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"SITEMAPS_ENABLED": False})
    assert crawled.paths(site.base) == ["/"]


def test_sitemaps_in_a_site_that_answers_every_path_with_a_page(tmp_path):
    with served({}, lambda path: page("one for all")) as site:
        assert crawl(tmp_path, url=f"{site.base}/").paths(site.base) == ["/"]


# --- Arguments ---


def test_fields(tmp_path):
    with served(SMALL) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", fields="url,text")
    assert {frozenset(document) for document in crawled.documents} == {frozenset({"url", "text"})}


def test_methods_and_support(tmp_path):
    menu = (
        "<nav><ul>"
        + "".join(f"<li><a href='/{name}'>Menu {name}</a></li>" for name in "abcd")
        + "</ul></nav>"
    )
    pages = {
        "/": page("home", "/a", "/b", around=menu),
        "/a": page("a", around=menu),
        "/b": page("b", around=menu),
    }
    with served(pages) as site:

        def texts(**arguments):
            return [d["text"] for d in crawl(tmp_path, url=f"{site.base}/", **arguments).documents]

        assert all("Menu a" in text for text in texts(method="all-text"))
        assert not any("Menu a" in text for text in texts(method="templates"))
        assert not any("Menu a" in text for text in texts(method="paper"))
        assert all("Menu a" in text for text in texts(min_pages=4))
        assert not any("Menu a" in text for text in texts(detection="global"))


def test_another_k_partitions_the_stored_pages_again(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", settings={"EXPLAIN_ENABLED": True})
        crawled = crawl(tmp_path, url=f"{site.base}/", k=1, max_pages=2, settings={"EXPLAIN_ENABLED": True})
        again = crawl(tmp_path / "other", url=f"{site.base}/", k=1, settings={"EXPLAIN_ENABLED": True})
    assert crawled.errors == []
    pagelets = {document["url"]: document["stats"]["pagelets"] for document in again.documents}
    assert {d["url"]: d["stats"]["pagelets"] for d in crawled.documents}.items() <= pagelets.items()


@pytest.mark.parametrize("arguments", [{"max_page": 3}, {"k": "three"}, {"min_share": 2}, {"method": "pape"}])
def test_wrong_arguments(tmp_path, arguments):
    with pytest.raises(ConfigurationError):
        crawl(tmp_path, url="http://127.0.0.1:9/", **arguments)
    assert not list(tmp_path.iterdir())


def test_fresh_replaces_the_store(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        del site.pages["/d"]
        site.pages["/c"] = page("c")
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1)
    assert "/d" not in states(tmp_path / "s", site.base)
    assert crawled.paths(site.base) == ["/", "/a", "/b", "/c"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "s.lock"]


def test_a_fresh_run_that_finds_nothing_leaves_the_store(tmp_path):
    with served(SMALL) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        site.pages.clear()
        assert crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1).outcome == "empty"
    assert states(tmp_path / "s", site.base) == dict.fromkeys(SMALL, "delivered")


def test_a_fresh_run_takes_the_place_of_a_damaged_store(tmp_path):
    indexed = {"SINKS": ["tantivy"]}
    with served(SMALL) as site:
        crawl(tmp_path / "begun", url=f"{site.base}/", site="s", settings=indexed)
        for table in ("meta", "runs", "pages", "documents", "sinks", "deliveries"):
            data = tmp_path / table
            shutil.copytree(tmp_path / "begun", data)
            with sqlite3.connect(data / "s" / "store.sqlite") as connection:
                sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
                ((root,),) = connection.execute(sql, (table,))
                ((size,),) = connection.execute("PRAGMA page_size")
            connection.close()
            with (data / "s" / "store.sqlite").open("r+b") as file:
                file.seek((root - 1) * size)
                file.write(b"\xff" * size)
            broken = scrapy(data, "-a", f"url={site.base}/", "-a", "site=s", "-s", "SINKS=tantivy")
            assert broken.returncode in (2, 4), table
            assert "put back a copy of it, or crawl the site anew (-a fresh=1)" in broken.stderr, table
            fresh = crawl(data, url=f"{site.base}/", site="s", fresh=1, settings=indexed)
            assert (fresh.outcome, fresh.paths(site.base)) == ("complete", sorted(SMALL)), table
            assert states(data / "s", site.base) == dict.fromkeys(SMALL, "delivered"), table


def test_a_fresh_run_in_an_outage_leaves_the_store(tmp_path):
    pages = {"/": page("home", "/a", "/b/"), "/a": page("a"), **{f"/b/{n}": page(f"b{n}") for n in range(8)}}
    pages["/b/"] = page("b", *(path for path in pages if path.startswith("/b/")))
    with served(pages) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        site.pages |= {path: Answer("", 503) for path in pages if path.startswith("/b/") and path != "/b/"}
        lost = crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1)
        assert (lost.outcome, lost.documents, lost.deletions) == ("suspicious", [], [])
        assert states(tmp_path / "s", site.base) == dict.fromkeys(pages, "delivered")
        # It does not lack pages that are out of its scope.
        without_b = {"SCOPE_RULES": [{"policy": "deny", "type": "begins", "pattern": "/b/"}]}
        part = crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1, settings=without_b)
        assert (part.outcome, part.paths(site.base)) == ("complete", ["/", "/a"])
        site.pages["/a"] = Answer("", 503)
        taken = crawl(tmp_path, url=f"{site.base}/", site="s", fresh=1, accept=1)
    assert (taken.outcome, taken.paths(site.base)) == ("complete", ["/", "/b/"])


def test_what_a_rule_has_denied_has_no_document_afterwards_where_the_page_asks_for_none(tmp_path):
    hidden = Answer(page("a", head='<meta name="robots" content="noindex">'), headers={"ETag": '"1"'})
    deny = {"SCOPE_RULES": [{"policy": "deny", "type": "begins", "pattern": "/a"}], "LOSS_MIN_SHARE": 0}
    pages = {"/": page("home", "/a", "/b", "/away"), "/a": hidden, "/b": page("b")}
    with served({**pages, "/away": Answer("", 301, {"Location": "/b"})}) as site:
        for settings in ({}, deny, {}):
            crawled = crawl(tmp_path, url=f"{site.base}/", settings=settings)
            assert f"{site.base}/a" not in crawled.urls
        assert crawled.stats["pages/not_modified"] == 1


def test_a_sample_stays_beside_the_site_until_the_next_crawl(tmp_path):
    with served(SMALL) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", site="s", sample=3)
        assert len(crawled.documents) == 3
        assert sorted(path.name for path in tmp_path.iterdir()) == [".s.sample", "s.lock"]
        crawl(tmp_path, url=f"{site.base}/", site="s", sample=2)
        with Store.open(tmp_path / ".s.sample") as store:
            assert (store.name, store.documents.count()) == ("s", 2)
        crawl(tmp_path, url=f"{site.base}/", site="s")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "s.lock"]


# --- Documents ---


def test_pages_with_the_same_text_each_get_a_document(tmp_path):
    same = page("same", text="What two pages say.")
    with served({"/": page("home", "/a", "/b"), "/a": same, "/b": same}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/")
    first, second = (document for document in crawled.documents if document["title"] == "same")
    assert first["content_hash"] == second["content_hash"]


def test_a_page_that_waits_for_a_script_has_its_text_and_says_so(tmp_path):
    waiting = "<title>w</title><p>Loading</p><noscript><h2>Words</h2><p>of the page</p></noscript>"
    with served({"/": page("home", "/w"), "/w": waiting}) as site:
        crawled = crawl(tmp_path, url=f"{site.base}/", method="all-text")
    home, document = sorted(crawled.documents, key=lambda document: document["url"])
    assert document["text"] == "Loading\n\nWords\n\nof the page"
    assert document["markdown"] == "Loading\n\n## Words\n\nof the page"
    assert document["html"] == "<p>Loading</p>\n<h2>Words</h2>\n<p>of the page</p>"
    assert (document["stats"]["flags"], home["stats"]["flags"]) == (["unhidden"], [])


def test_order_of_arrival_does_not_matter(demo, demo_server, tmp_path):
    base, crawled = demo
    delays = random.Random(1)
    demo_server.delay = lambda path: delays.random() * 0.05
    other = crawl(tmp_path, url=f"{base}/", site="demo")
    assert without_time(other.documents) == without_time(crawled.documents)


def test_template_version_does_not_depend_on_the_order_of_arrival(tmp_path):
    pages = {f"/{n}": page(str(n), *(f"/{m}" for m in range(12)), around=MENU) for n in range(12)}
    versions = set()
    with served({**pages, "/": page("home", *pages)}) as site:
        for detection in ("local", "global"):
            for seed in (1, 2):
                delays = random.Random(seed)
                site.delay = lambda path, delays=delays: delays.random() * 0.05
                folder = tmp_path / f"{detection}{seed}"
                crawled = crawl(folder, url=f"{site.base}/", detection=detection)
                versions.add((detection, *{d["template_version"] for d in crawled.documents}))
    assert len(versions) == 2


def test_the_same_words_at_several_places_count_the_same_in_any_order_of_arrival(tmp_path):
    pages = {
        f"/{n}": page(str(n), around=f"<div class={'odd' if n % 2 else 'even'}>{MENU}</div>")
        for n in range(8)
    }
    known = []
    with served({**pages, "/": page("home", *pages)}) as site:
        for seed in range(2):
            delays = random.Random(seed)
            site.delay = lambda path, delays=delays: delays.random() * 0.05
            crawled = crawl(tmp_path / str(seed), url=f"{site.base}/", site="s")
            with Store.open(crawled.folder) as store:
                select = store.connection.execute
                tables = [
                    select(f"SELECT * FROM {name}").fetchall()
                    for name in ("blocks", "placed_blocks", "tag_path_support")
                ]
                # The menu is stored once for each of its places.
                alike = select(
                    "SELECT count(*) FROM fragments GROUP BY sketch HAVING count(*) > 1"
                ).fetchall()
                assert alike == [(2,)]
            known.append((tables, without_time(crawled.documents)))
    assert all(map(len, known[0][0]))
    assert known[0] == known[1]


# --- The command ---


def test_stdout_is_a_clean_feed(tmp_path):
    with served(SMALL) as site:
        done = scrapy(tmp_path, "-a", f"url={site.base}/", "-O", "-:jsonlines")
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    assert sorted(document["url"] for document in lines(done.stdout)) == sorted(site.base + p for p in SMALL)


def test_exit_code_of_an_empty_run_and_its_reason(tmp_path):
    with served({}) as site:
        done = scrapy(tmp_path, "-a", f"url={site.base}/")
    assert done.returncode == 3
    assert f"{site.base}/ gone (http 404)" in done.stderr


def test_exit_code_of_a_server_that_is_not_there(tmp_path):
    with served({}) as site:
        base = site.base
    done = scrapy(tmp_path, "-a", f"url={base}/", "-s", "ROBOTSTXT_OBEY=0")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (["-a", "ulr=http://127.0.0.1:9/"], "did you mean 'url'?"),
        (["-a", "url=example.org"], "give a whole address"),
        (["-a", "url=http://a b/", "-a", "site=x"], "url 'http://a b/': is no URL"),
        (["-a", "url=http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b"], "put commas between them"),
        (["-a", "max_pages"], "-a max_pages: give NAME=VALUE"),
        (["-a", "site=nowhere"], "unknown site 'nowhere'"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "PAGELET_K=many"], "give a whole number"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "CONCURRENT_REQUESTS=many"], "CONCURRENT_REQUESTS"),
        (["-a", "url=http://127.0.0.1:9/", "-a", "partition=dim"], "did you mean 'dom'?"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "LOG_LEVEL=debug"], "mend LOG_LEVEL"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "LOG_FILE=/"], "Is a directory: '/'; mend"),
        (["-a", "url=http://127.0.0.1:9/", "-O", "nosuch://e.org/a.json"], "a feed cannot be written"),
        (["-a", "url=http://127.0.0.1:9/", "-s", 'ADDONS={"a.B": 1}'], "ADDONS: a.B is not there"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "TWISTED_REACTOR=x"], "TWISTED_REACTOR: x is not there"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "TWISTED_REACTOR="], "TWISTED_REACTOR: crawls of this"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "FORCE_CRAWLER_PROCESS=1"], "PROCESS: crawls of this"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "TWISTED_DNS_RESOLVER=a.C"], "RESOLVER: a.C is not there"),
        (["-a", "url=http://127.0.0.1:9/", "-s", 'ITEM_PIPELINES={"a.B": 1}'], "a.B cannot be imported"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "ITEM_PIPELINES=5"], "ITEM_PIPELINES: is no table"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "ITEM_PIPELINES=a.B"], "ITEM_PIPELINES: is no table"),
        (["-a", "url=http://127.0.0.1:9/", "-s", 'ADDONS={"pipelines.B": "x"}'], "B: 'x' is no number"),
        (["-a", "url=http://127.0.0.1:9/", "-s", "RETRY_HTTP_CODES=500,x"], "500,x: give numbers"),
        (
            ["-a", "url=http://127.0.0.1:9/", "-s", "SPIDER_MODULES=a.b"],
            "SPIDER_MODULES: No module named 'a'",
        ),
        ([], "no start URL"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(tmp_path, arguments, mend):
    done = scrapy(tmp_path, *arguments)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("scrapy crawl:")]
    assert mend in line
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_unknown_spider(tmp_path):
    done = scrapy(tmp_path, spider="sites")
    assert done.returncode == 2
    assert "did you mean 'site'?" in done.stderr


def test_one_crawl_of_a_site_at_a_time(tmp_path):
    with served(SMALL) as site:
        inner = []

        def while_it_runs(path):
            if not inner:
                inner.append(scrapy(tmp_path, "-a", f"url={site.base}/"))
            return page("a", "/c")

        site.pages["/a"] = while_it_runs
        crawled = crawl(tmp_path, url=f"{site.base}/")
    (busy,) = inner
    assert busy.returncode == 6
    assert "another crawl of site" in busy.stderr
    assert crawled.outcome == "complete"
    assert HTML.startswith("text/html")
