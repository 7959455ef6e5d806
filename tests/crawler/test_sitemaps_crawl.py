"""What a crawl takes of sitemaps, and what it leaves out."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

import pytest

from crawler.spiders import sitemaps
from tests.crawls import crawl
from tests.served import Answer, moved, page, served

if TYPE_CHECKING:
    from pathlib import Path


def xml(body: str) -> Answer:
    return Answer(body, kind="application/xml")


def urlset(*urls: str) -> Answer:
    return xml(f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>")


def index(*urls: str) -> Answer:
    return xml(
        f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"
    )


def robots(*urls: str) -> Answer:
    return Answer("".join(f"Sitemap: {url}\n" for url in urls), kind="text/plain")


def test_what_is_malformed_costs_nothing_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Every night the good entries are crawled, and the bad ones counted; sitemaps that are gone are told
    once. That nothing is at the usual place, but a page, is no news.
    """
    bad = "http://[::1"
    head = "".join(f'<link rel={rel} hreflang=de href="{bad}">' for rel in ("canonical", "alternate", "next"))
    pages = {
        "/": page("home", bad, "/to-nowhere"),
        "/a": page("a", head=head),
        "/b": page("b"),
        "/to-nowhere": moved(bad),
        "/sitemap.xml": page("home"),
        "/robots.txt": robots(bad, "/index.xml", "http://a:x/", "/b", "/gone.xml", "/gone too.xml"),
        "/index.xml": index(bad, "/map.xml"),
        "/map.xml": xml(
            f"<urlset><url><loc>{bad}</loc></url><url><loc>/a</loc><lastmod>soon</lastmod></url>"
            "<url><loc>http://a:99999/</loc></url><url><loc>/b?x&amp;y</loc></url></urlset>"
        ),
        "/b?x&y": page("query"),
    }
    with served(pages) as site:
        nights = [crawl(tmp_path, url=f"{site.base}/", settings={"PROGRESS_ENABLED": True}) for _ in range(3)]
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line for line in told if "as a sitemap" in line] == [
        f"Not readable as a sitemap: {site.base}/b"
    ] * 3
    # Both are asked for at once: one is named.
    assert (
        sum(re.fullmatch(r"Sitemap not read: .*/gone.*\.xml: http 404", line) is not None for line in told)
        == 3
    )
    for night in nights:
        assert (night.outcome, night.errors) == ("complete", [])
        assert night.current(site.base) == ["/", "/a", "/b?x&y"]
        assert night.stats["sitemaps/left_out/malformed/other hosts"] == 5
        assert night.stats["pages/from_sitemaps"] == 2
    assert "  sitemaps   5 URLs left out: 5 malformed other hosts\n" in capsys.readouterr().err


def test_what_is_out_of_scope_is_counted_and_not_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = [f"http://user:secret@h{number % 30}.example/{number}" for number in range(90)]
    with served({"/": page("home"), "/a": page("a")}) as site, caplog.at_level(logging.INFO):
        site.pages["/sitemap.xml"] = urlset(*foreign, f"{site.base}/a", f"{site.base}/a.jpg")
        crawled = crawl(tmp_path, url=f"{site.base}/", settings={"PROGRESS_ENABLED": True})
    assert crawled.states(site.base) == {"/": "delivered", "/a": "delivered"}
    left_out = {name: count for name, count in crawled.stats.items() if name.startswith("sitemaps/")}
    assert sum(left_out.values()) == 91
    # The hosts beyond the first 20 are counted together.
    assert len({name.rpartition("/")[2] for name in left_out}) == 21
    assert left_out["sitemaps/left_out/scope/h0.example"] == 3
    summary = capsys.readouterr().err
    assert "sitemaps   91 URLs left out: 3" in summary
    assert "secret" not in caplog.text + summary


@pytest.mark.parametrize("late", ["/", "/map.xml"])
def test_what_sitemaps_list_where_a_start_url_moves_to_is_found(tmp_path: Path, late: str) -> None:
    """Whichever comes first, the redirect that takes the scope with it or the sitemap."""
    with served({"/start": page("start"), "/orphan": page("orphan")}) as new, served({}) as old:
        old.pages |= {
            "/": moved(f"{new.base}/start"),
            "/robots.txt": robots("/map.xml"),
            "/map.xml": urlset(f"{new.base}/orphan", "/p", "http://third.example/"),
            "/p": page("p"),
        }
        old.delay = lambda path: 0.3 if path == late else 0.0
        crawled = crawl(tmp_path, url=f"{old.base}/")
        asked = old.asked["/map.xml"]
    assert sorted(crawled.urls) == sorted([f"{new.base}/orphan", f"{new.base}/start", f"{old.base}/p"])
    assert asked == (2 if late == "/" else 1)
    # Each entry is counted once.
    assert crawled.stats["pages/from_sitemaps"] == 2
    assert crawled.stats["sitemaps/left_out/scope/third.example"] == 1


@pytest.mark.parametrize(
    ("bound", "most", "expected"),
    [
        ("MOST_SITEMAPS", 4, ["/", "/a", "/b"]),
        ("MOST_ENTRIES", 3, ["/", "/a", "/b", "/c"]),
        ("MOST_ENTRIES_OF_ALL", 7, ["/", "/a", "/b", "/c"]),
        ("MOST_BYTES_OF_ALL", 10, ["/"]),
        ("DEEPEST", 0, ["/"]),
    ],
)
def test_bounds_are_kept_and_said_and_lose_nothing_that_was_listed(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    most: int,
    expected: list[str],
) -> None:
    names = "abcdefg"
    pages = {f"/{name}": page(name) for name in names}
    pages |= {
        "/": page("home"),
        "/robots.txt": robots("/index.xml"),
        "/index.xml": index("/1.xml", "/2.xml", "/3.xml"),
        "/1.xml": urlset("/a", "/b"),
        "/2.xml": urlset("/c"),
        "/3.xml": urlset(*(f"/{name}" for name in "defg")),
    }
    with served(pages) as site:
        site.delay = lambda path: {"/2.xml": 0.2, "/3.xml": 0.5}.get(path, 0.0)
        with monkeypatch.context() as patch:
            patch.setattr(sitemaps, bound, most)
            first = crawl(tmp_path / "cut", url=f"{site.base}/")
        site.delay = lambda path: 0.0
        assert set(first.current(site.base)) >= set(expected)
        assert len(first.current(site.base)) < len(names) + 1
        assert first.stats["sitemaps/cut"] >= 1
        assert "Sitemap not read to its end" in caplog.text
        whole = crawl(tmp_path, url=f"{site.base}/")
        assert "sitemaps/cut" not in whole.stats
        monkeypatch.setattr(sitemaps, bound, most)
        cut = crawl(tmp_path, url=f"{site.base}/")
    assert len(whole.current(site.base)) == len(names) + 1
    assert (cut.stats.get("pages/missed", 0), cut.current(site.base)) == (0, whole.current(site.base))


def test_what_a_feed_names_no_more_is_there_until_it_is_gone(tmp_path: Path) -> None:
    def feed(*paths: str) -> Answer:
        items = "".join(f"<item><link>{path}</link></item>" for path in paths)
        return Answer(f"<rss><channel>{items}</channel></rss>", kind="application/rss+xml")

    pages = {"/": page("home"), "/robots.txt": robots("/feed"), "/a": page("a"), "/c": page("c")}
    with served({**pages, "/b": page("b"), "/feed": feed("/a", "/b")}) as site:
        crawl(tmp_path, url=f"{site.base}/")
        del site.pages["/b"]
        site.pages["/feed"] = feed("/c")
        nights = [crawl(tmp_path, url=f"{site.base}/", settings={"MISSED_RUNS": 1}) for _ in range(3)]
        # Whether the feed comes before the page is not known.
        assert site.asked["/b"] <= 3
    assert [night.deleted for night in nights] == [{f"{site.base}/b": "http 404"}, {}, {}]
    assert nights[-1].current(site.base) == ["/", "/a", "/c"]


@pytest.mark.parametrize("torn", ["map", "index"])
def test_a_sitemap_that_breaks_off_once_takes_nothing_away(tmp_path: Path, torn: str) -> None:
    """Nor do the nights after it on which none can be had."""
    names = [f"/{name}" for name in "abcdefgh"]
    pages = {name: page(name) for name in names} | {
        "/": page("home"),
        "/sitemap.xml": index("/map.xml", "/other.xml"),
        "/map.xml": urlset(*names[:6]),
        "/other.xml": urlset(*names[6:]),
    }
    with served(pages) as site:
        crawl(tmp_path, url=f"{site.base}/")
        path = {"map": "/map.xml", "index": "/sitemap.xml"}[torn]
        body = site.pages[path].body
        site.pages[path] = xml(body[: len(body) // 2].decode())
        nights = [crawl(tmp_path, url=f"{site.base}/")]
        site.pages |= dict.fromkeys(("/sitemap.xml", "/map.xml", "/other.xml"), Answer("", 503))
        nights += [crawl(tmp_path, url=f"{site.base}/") for _ in range(3)]
    assert nights[0].stats["sitemaps/cut"] == 1
    assert [(night.outcome, night.deletions) for night in nights] == [("complete", [])] * 4
    assert nights[-1].current(site.base) == ["/", *names]
