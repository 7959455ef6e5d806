"""Hostile answers (`tests.hostile`), two nights each: no page ends a run, and none hurts another."""

from __future__ import annotations

import gzip
from contextlib import closing
from typing import TYPE_CHECKING, Any

from store.site import Store
from tests.crawls import crawl, lines, scrapy, states
from tests.hostile import ANSWERS, WORDS, answer, record
from tests.served import Answer, page, served

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

GOOD = [f"/good{number}" for number in range(6)]
HOSTILE = {f"/bad{number}": name for number, name in enumerate(ANSWERS)}
SOME = {
    path: name
    for number, (path, name) in enumerate(HOSTILE.items())
    if name.startswith(("body", "Content-Type", "Location")) or number % 4 == 0
}
"""Those by which a page differs that was well before, and a sample of the others."""
SETTINGS = {
    # What the pages of one night have in common is no template, and that most are lost is what is tested.
    "TEMPLATE_MIN_PAGES": 10_000,
    "REPEATED_BLOCK_SHARE": 0,
    "LOSS_MIN_SHARE": 0,
    "MISSED_RUNS": 9,
    "DOWNLOAD_MAXSIZE": 800_000,
    "DOWNLOAD_TIMEOUT": 20,
}


def own(path: str, night: int) -> str:
    """What a good page says: one of them says something else each night."""
    return f"The words of {path}, and of no other page{f', in night {night}' if path == GOOD[0] else ''}."


def good_pages(night: int, others: Iterable[str]) -> dict[str, str]:
    pages = {path: page(path, "/", *GOOD, text=own(path, night)) for path in GOOD}
    return {"/": page("/", *GOOD, *others, text=own("/", night)), **pages}


def well_pages(paths: Iterable[str]) -> dict[str, str]:
    return {path: page(path, "/", text=own(path, 0)) for path in paths}


def site_of(night: int, rows: Mapping[str, str], *, hostile: bool) -> dict[str, Any]:
    """The pages of a night; one more ends its connection with a reset."""
    paths = [*rows, "/reset"]
    answers: Mapping[str, Any] = well_pages(paths)
    if hostile:
        answers = {path: Answer(raw=ANSWERS[name]) for path, name in rows.items()}
        answers = {**answers, "/reset": Answer(raw=b"HTTP/1.1 200 OK\r\n", reset=True)}
    return {**good_pages(night, paths), **answers}


def check(documents: list[dict[str, Any]], base: str, night: int, *, first: bool) -> dict[str, Any]:
    """Checks that of the good pages those went out that are new; returns the others by their paths."""
    sent = {document["url"].removeprefix(base): document for document in documents}
    assert len(sent) == len(documents)
    good = {path: sent.pop(path)["text"].split("\n")[2] for path in ["/", *GOOD] if path in sent}
    assert good == {path: own(path, night) for path in (["/", *GOOD] if first else GOOD[:1])}
    return sent


def check_well(sent: dict[str, Any], paths: set[str]) -> None:
    """Checks that the documents are those of pages that are well, and none is missing."""
    texts = {path: document["text"].split("\n")[2] for path, document in sent.items()}
    assert texts == {path: own(path, 0) for path in paths}
    assert not any(document["stats"]["flags"] for document in sent.values())


def test_pages_that_are_hostile_from_the_first_night_on(tmp_path: Path) -> None:
    """With the real command, and its own HTTP client."""
    options = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    with served({}) as site:
        for night in (1, 2, 3):
            site.pages = site_of(night, HOSTILE, hostile=night < 3)
            start = ["-a", f"url={site.base}/", "-a", "site=s", *options, "-O", "-:jsonlines"]
            done = scrapy(tmp_path, *start)
            assert done.returncode == 0, done.stderr
            assert "Traceback" not in done.stderr
            assert "CRITICAL" not in done.stderr
            sent = check(lines(done.stdout), site.base, night, first=night == 1)
            if night == 1:
                found = {HOSTILE[path]: document for path, document in sent.items()}
                known = {HOSTILE.get(path, path): s for path, s in states(tmp_path / "s", site.base).items()}
            elif night == 2:
                assert sent == {}
    # For two nights this one has said that it is of another type, and never was a page.
    other = [name for name in ANSWERS if known[name] == "refused type"]
    assert other == ["Content-Type b'multipart/form-data; boundary='"]
    check_well(sent, {*(path for path, name in HOSTILE.items() if name not in other), "/reset"})
    check_first_night(found, known)


def check_first_night(found: dict[str, Any], known: dict[str, str]) -> None:
    """Checks what came of hostile pages, by their names: their documents, and their states."""
    for name in ANSWERS:
        if name.startswith(("charset", "meta")):
            assert WORDS in found[name]["text"], name
    assert {known[name] for name in ANSWERS if name.startswith("status")} == {
        *("failed DownloadFailedError", "failed no http status"),
        *("failed http 304", "failed http 600", "failed http 999"),
    }
    codings = ("gzip", "br", "zstd", "deflate")
    assert {known[f"coding {name}"] for name in codings} == {"failed content coding"}
    assert {known[f"bomb {name}"] for name in codings} == {"refused size"}


def test_pages_that_were_well_and_are_hostile_for_two_nights(tmp_path: Path) -> None:
    with served({}) as site:
        for night in range(4):
            site.pages = site_of(night, SOME, hostile=0 < night < 3)
            crawled = crawl(tmp_path, url=f"{site.base}/", site="s", settings=SETTINGS)
            assert (crawled.outcome, crawled.errors) == ("complete", [])
            deleted = {url.removeprefix(site.base) for url in crawled.deleted}
            # A page that has moved for good has gone, wherever it is said to be.
            assert all(SOME[path].startswith("Location") for path in deleted)
            sent = check(crawled.documents, site.base, night, first=night == 0)
            if night == 0:
                check_well(sent, {*SOME, "/reset"})
            elif night == 1:
                taken = {*sent, *deleted}
            elif night == 2:
                assert sent == {}
    # Of what failed there is nothing to take back.
    check_well(sent, taken)


def test_records_that_are_hostile(tmp_path: Path) -> None:
    base = "http://site.example"
    for night in (1, 2, 3):
        pages = {**good_pages(night, SOME), **well_pages(SOME)}
        answers = {path: answer(body.encode()) for path, body in pages.items()}
        if night < 3:
            answers |= {path: ANSWERS[name] for path, name in SOME.items()}
        records = [record(f"{base}{path}".encode(), body) for path, body in answers.items()]
        (tmp_path / "site.warc.gz").write_bytes(b"".join(gzip.compress(one, 1) for one in records))
        crawled = crawl(tmp_path / "data", "archive", SETTINGS, path=tmp_path / "site.warc.gz")
        assert (crawled.outcome, crawled.errors, crawled.deletions) == ("complete", [], [])
        sent = check(crawled.documents, base, night, first=night == 1)
        if night == 2:
            assert sent == {}
    check_well(sent, set(SOME))


def test_a_store_with_a_status_that_http_has_not_is_published(tmp_path: Path) -> None:
    """Earlier versions stored any number that a server sent."""
    with served({"/": page("home", "/bad"), "/bad": Answer(raw=answer(status=b"HTTP/1.1 0 x"))}) as site:
        crawl(tmp_path, url=f"{site.base}/", site="s")
        with closing(Store.open(tmp_path / "s")) as store, store.transaction():
            store.connection.execute("UPDATE pages SET status = 9999999999 WHERE url LIKE '%/bad'")
        again = crawl(tmp_path, url=f"{site.base}/", site="s", settings={"PUBLISH_TABLES": True})
        assert (again.outcome, again.errors, again.documents) == ("complete", [], [])
        site.pages["/bad"] = page("bad")
        assert crawl(tmp_path, url=f"{site.base}/", site="s").paths(site.base) == ["/bad"]


ASIDES = {
    "binary": bytes(range(256)) * 100,
    "long line": b"Disallow: /" + b"x" * 600_000,
    "long lines": (b"Allow: /" + b"x" * 60_000 + b"\n") * 10,
    "odd rules": b"User-agent: *\nCrawl-delay: nan\nDisallow: \xff%zz*$*$\nRequest-rate: x/y",
    "odd sitemaps": b"Sitemap: \0\nSitemap: http://[::1\nSitemap: http://a:99999/x",
    "addresses": b"<urlset><url><loc>http://a:99999/</loc></url><url><loc>\xff</loc><lastmod>99999</lastmod></url>",
    "entities": b"<!DOCTYPE x [<!ENTITY a 'aa'>]><urlset><url><loc>&a;&b;</loc></url></urlset>",
    "not gzip": b"\x1f\x8b\x08" + b"x" * 100,
}


def test_asides_that_are_hostile(tmp_path: Path) -> None:
    with served({"/": page("home", "/a"), "/a": page("a", "/")}) as site:
        for name, body in ASIDES.items():
            site.pages["/robots.txt"] = Answer(body, kind="text/plain")
            crawled = crawl(tmp_path / name, url=f"{site.base}/", site="s")
            assert (crawled.outcome, crawled.errors) == ("complete", []), name
            assert crawled.paths(site.base) == ["/", "/a"], name
        maps = {
            f"/{number}.xml": Answer(body, kind="text/xml") for number, body in enumerate(ASIDES.values())
        }
        named = "".join(f"Sitemap: {site.base}{path}\n" for path in maps)
        site.pages |= {**maps, "/robots.txt": Answer(named, kind="text/plain")}
        site.forget()
        crawled = crawl(tmp_path / "maps", url=f"{site.base}/", site="s")
        assert (crawled.outcome, crawled.errors, crawled.paths(site.base)) == ("complete", [], ["/", "/a"])
        assert {path: site.asked[path] for path in maps} == dict.fromkeys(maps, 1)
